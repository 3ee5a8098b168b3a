/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a flow: octets that went to the mobile, are acknowledged or may be lost, and their repetitions.
 * For the files of this folder alone. */
#ifndef DATAPLANE_PACING_PROGRESS_H
#define DATAPLANE_PACING_PROGRESS_H

#include "dataplane/pacing/flow.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <stdbool.h>
#include <stdint.h>

/* A TCP segment: where it belongs, its connection, its arrival. */
struct pacing_segment {
    const struct pacing_at *at;
    const uint8_t *packet;
    struct tcp tcp;
    uint64_t hash;
    int64_t now;
};

/* Adds a sample, of which most_ms count, to a mean; 0: not measured yet. */
void pacing_progress_sample(uint32_t *mean_us, uint32_t sample_ms, uint32_t most_ms);
/* The number behind a segment, whose FIN is an octet. */
uint32_t pacing_progress_end_of(const struct tcp *tcp);
/* Whether all of a downlink segment was sent before. */
bool pacing_progress_is_again(const struct pacing_flow *flow, const struct tcp *tcp);

/* To be called for each downlink segment of a known flow: what the mobile has lost since may be of it. */
void pacing_progress_look(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at);
/* Whether the mobile has all of a downlink segment, or will have it, and needs no repetition (model:
 * progress.c). */
bool pacing_progress_is_repeated(const struct pacing *p, const struct pacing_flow *flow,
                                 const struct pacing_segment *by);
/* A segment goes to the mobile. */
void pacing_progress_down(struct pacing_flow *flow, const struct tcp *tcp, int64_t now);
/* A segment of the mobile, which acknowledges no octets that were not sent. */
void pacing_progress_heard(struct pacing *p, struct pacing_flow *flow, const struct pacing_segment *by,
                           bool has_sack);

#endif
