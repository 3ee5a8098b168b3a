/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signalling on Gb: frames of the control core go before all users' frames. If the link of their NSE has a
 * rate, they are charged to it and may take a limited part of it. Frames above that wait, in order within an
 * NSE, in one list per worker, of whose places an NSE may have as many as it leaves free. Users' frames and
 * other orders do not wait there.
 */
#ifndef DATAPLANE_WORKER_SIGNALLING_H
#define DATAPLANE_WORKER_SIGNALLING_H

#include <stdint.h>

#define SIGNALLING_WAITING 128

struct gb_nse;
struct rte_mbuf;
struct worker;

struct signalling_frame {
    struct rte_mbuf *mbuf;
    struct gb_nse *nse;
    uint32_t ns_octets;
};

/* Zeroed: empty. */
struct signalling {
    struct signalling_frame frames[SIGNALLING_WAITING]; /* oldest first */
    uint32_t count;
};

/*
 * Sends a whole frame with an NS PDU of ns_octets over a link, now or when the link's rate allows; takes
 * ownership. 0, or -1: too many wait; it was freed and counted. The port must have room.
 */
int signalling_send(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame, uint32_t ns_octets,
                    int64_t now);

/* Sends waiting frames that may leave, while the port has room; returns their number. */
unsigned signalling_release(struct worker *w, int64_t now);

/* When the first waiting frame may leave, later than now; MOMENT_NEVER when none waits. */
int64_t signalling_next_ns(const struct worker *w, int64_t now);

/* The NSE is deleted: sends its waiting frames, such as the last NS-BLOCK, at once. */
void signalling_end(struct worker *w, const struct gb_nse *nse, int64_t now);

/* Frees all waiting frames. */
void signalling_free(struct worker *w);

#endif
