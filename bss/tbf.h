/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures of temporary block flows on a radio, for the files of this folder alone; tbf.c has the model. */
#ifndef BSS_TBF_H
#define BSS_TBF_H

#include "bss/radio_flow.h"

/* Events, by at_ns. */
enum { TBF_POLL_DOWN, TBF_POLL_UP, TBF_ANSWER, TBF_LEARN, TBF_RINGS };

struct tbf_event {
    int64_t at_ns;
    unsigned ring; /* TBF_... */
    struct radio_flow *flow;
    uint32_t stamp;
    uint64_t sends, oldest_block; /* of the flow when it asked for an acknowledgement */
};

struct tbf_ring {
    struct tbf_event *events;
    unsigned cap, first, count;
};

struct radio;
struct radio_air;

void tbf_fini(struct radio *radio);
int64_t tbf_due_ns(const struct radio *radio);
/* Takes an event that is due at `now`; none is due before. False: there is none. */
bool tbf_take(struct radio *radio, struct tbf_event *event, int64_t now);
/* A poll of a TBF that is open without data. False: it is out of date. */
bool tbf_poll(struct radio *radio, const struct tbf_event *event);
/* The answer to a poll for an acknowledgement, at its period's begin: the BSS knows it later, or asks again.
 */
void tbf_answer(struct radio *radio, const struct tbf_event *event, bool is_bad);
/* The BSS knows the answer. */
void tbf_learn(const struct tbf_event *event);
/* The flow has nothing more to send: sets close_ns. */
void tbf_rest(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);
/* Data came while the TBF was open without any. */
void tbf_wake(const struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now);
/* A new TBF's set-up time. `beside`: the mobile's other flow. */
int64_t tbf_setup_ns(const struct radio_air *air, const struct radio_flow *flow,
                     const struct radio_flow *beside, int64_t now);
/* Whether T3190 has run out. */
bool tbf_is_lost(const struct radio_air *air, const struct radio_flow *flow, int64_t now);
/* The flow sent a block: asks for an acknowledgement if that is due. */
void tbf_sent(struct radio *radio, struct radio_flow *flow, int64_t now);
/* All that was left to send has expired. True: a block without data asks for an acknowledgement. */
bool tbf_stop(struct radio *radio, struct radio_flow *flow, int64_t now);

#endif
