/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Echo Requests (TS 29.281 clause 7.2.1) that control orders: expects their responses and reports them.
 * Control decides when to send them and when a path has failed.
 *
 * A response counts once, and only with the sequence number of the latest request between its two addresses;
 * all other responses have no effect but a counter.
 */
#ifndef DATAPLANE_WORKER_GN_ECHO_H
#define DATAPLANE_WORKER_GN_ECHO_H

#include "dataplane/base/drop.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/gn_tx.h"

#include <stdbool.h>
#include <stdint.h>

#define GN_ECHO_PATHS 4096 /* pairs of a local and a GGSN's address at a time */

struct gn_echo {
    struct u64_map
        expected; /* from a pair of addresses to the sequence number of the request without response */
};

bool gn_echo_new(struct gn_echo *e);
void gn_echo_free(struct gn_echo *e);

/* An Echo Response; returns the reason under which its frame counts. */
enum drop gn_echo_response(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu);

#endif
