/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Echo Requests of our own (TS 29.281 clause 7.2.1), as control orders them: which are under way, and that
 * one of them was answered. When to send them, and what silence means, control knows.
 *
 * An answer counts once, and only with the number of the latest request between the two addresses; so
 * strangers tell control nothing.
 */
#ifndef DATAPLANE_WORKER_GN_ECHO_H
#define DATAPLANE_WORKER_GN_ECHO_H

#include "dataplane/base/drop.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/gn_tx.h"

#include <stdbool.h>

#define GN_ECHO_PATHS 4096 /* pairs of our address and a GGSN's at a time */

struct gn_echo {
    struct u64_map
        expected; /* from a pair of addresses to the number of a request that waits for its answer */
};

bool gn_echo_new(struct gn_echo *e);
void gn_echo_free(struct gn_echo *e);

/* An Echo Response; returns the reason under which its frame counts. */
enum drop gn_echo_response(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu);

#endif
