/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of control's time: what the messages of a worker may cost. Control takes them in the order of the
 * ring, in rounds: a round has the messages that are in the ring when it begins. In a round each share
 * (worker/shares.h) may have an equal part of CORE_SHARE_ROUND_NS of processor time. While others wait, its
 * messages beyond that are dropped and counted as late. So a message waits for about two rounds at most,
 * however many others a share sends and whatever these cost. A share that is alone is never late.
 *
 * The workers' rings take turns, so each has its part of a round.
 */
#ifndef CONTROL_CORE_CORE_SHARE_H
#define CONTROL_CORE_CORE_SHARE_H

#include "dataplane/base/moment.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_SHARE_ROUND_NS (MOMENT_SECOND / 50)   /* of all workers */
#define CORE_SHARE_LEAST_NS (MOMENT_SECOND / 1000) /* of a share, however many there are */

struct core_share_round {
    uint32_t number;
    unsigned left;             /* messages of the ring that belong to it */
    unsigned shares, previous; /* shares that had messages in it so far, and in the one before */
};

/* Takes the next message of a worker; false: there is none. */
bool core_share_take(struct core_share_round *round, const struct msg_rings *rings, struct msg *msg);

/* Whether a message is to be dropped, of a ring whose rounds have so much time; it is counted. */
bool core_share_is_late(const struct core_share_round *round, const struct msg_rings *rings,
                        const struct msg *msg, int64_t round_ns);

/* Charges what a message has cost. */
void core_share_charge(const struct msg_rings *rings, const struct msg *msg, int64_t spent_ns);

#endif
