/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of the ring to control. A sender whose frames become messages to control has a share: each NSE, each
 * peer of GTP-C, and each kind of sender that cannot be told apart. A share that is alone may have most of
 * the ring. With others in it, a share may have as many messages there as a multiple of the places that are
 * free (the dynamic thresholds of Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). So n
 * shares that are flooded have about 1 / (n + 1/4) of the places each, and a newcomer always finds some. How
 * long control is busy with a message does not count here, but in control (control/core/core_share.h).
 *
 * Messages that control has asked for itself, such as answers, have no share. So that neither takes all
 * places, orders whose answers would leave fewer than SHARES_KEPT places wait, and of the shares only the few
 * places that each has in any case are among the last 2 x SHARES_KEPT.
 *
 *   messages of a share in the ring = put - taken
 */
#ifndef DATAPLANE_WORKER_SHARES_H
#define DATAPLANE_WORKER_SHARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SHARES_PEERS 1024 /* of GTP-C */
#define SHARES_KEPT  512

/* Numbers of shares: of the kinds in shares.def, of peers, of NSEs. */
enum share {
    SHARE_NONE, /* the sum of all; of a message: none */
#define SHARE_KIND(NAME, kind) SHARE_##NAME,
#include "dataplane/worker/shares.def"
#undef SHARE_KIND
    SHARE_PEERS,                                  /* any GTP-C of a peer, by its index */
    SHARE_RESPONSES = SHARE_PEERS + SHARES_PEERS, /* of a peer, to the port of their request */
    SHARE_NSES = SHARE_RESPONSES + SHARES_PEERS,  /* by slot */
};

struct share_row {
    atomic_ullong put, lost; /* written by the worker; lost: found no place */
    atomic_ullong taken,
        late;         /* written by control; late: taken and dropped, as it had too much of control's time */
    int64_t spent_ns; /* control's: its time for messages of the latest round */
    uint32_t round;   /* control's */
};

struct shares {
    struct share_row *rows;
    uint32_t count;
    unsigned places, most; /* of all; the few that each share has in any case are up to `most` */
};

struct msg;
struct msg_rings;

/* Shares of so many NSEs, with `most` places. False: out of memory. */
bool shares_new(struct shares *s, uint32_t nses, unsigned most);
void shares_free(struct shares *s);

/* Begins the counts of a share again, of which no message is in the ring: the worker's part, and control's.
 */
void shares_begin_worker(struct shares *s, uint32_t share);
void shares_begin_control(struct shares *s, uint32_t share);

/* Copies a message of a share into the ring to control; false, counted as lost: the share has no place. */
bool shares_put(const struct msg_rings *rings, struct msg *msg, uint32_t share);

/* Counts as lost what a share may not put for another reason. False. */
bool shares_refuse(const struct msg_rings *rings, uint32_t share);

/* Control takes the next message from the ring; false: it is empty. */
bool shares_take(const struct msg_rings *rings, struct msg *msg);

/* Control has dropped a message of a share. */
void shares_count_late(const struct shares *s, uint32_t share);

/* How many messages a share has in the ring. Any thread may ask. */
unsigned shares_waiting(const struct shares *s, uint32_t share);

#endif
