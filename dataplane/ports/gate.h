/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gate of a net_memif port. DPDK's thread of interrupts unmaps the rings of a peer that has ended, closes
 * their event descriptors and connects the next peer, while a worker may be in the middle of a burst: the
 * driver has no lock between the two. A worker therefore goes through the gate for each burst, and the thread
 * of interrupts calls the driver only while the gates are shut and no worker is inside. Other ports have
 * none.
 *
 * The driver also trusts what a peer writes: a descriptor of a ring may name any address of the process. So
 * only a process of the node's own user or of root may be a peer (SO_PEERCRED); others are refused before the
 * first message.
 */
#ifndef DATAPLANE_PORTS_GATE_H
#define DATAPLANE_PORTS_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct gate {
    bool is_needed; /* the port is one of net_memif */
    atomic_bool
        is_inside; /* a burst is in the driver: the worker writes it, the thread of interrupts reads it */
};

extern atomic_bool gate_is_shut; /* all of them: one thread of interrupts serves all links */

/* Of a port that has been configured, before its first burst. */
void gate_open(struct gate *gate, uint16_t port_id);

/* After the last. */
void gate_close(struct gate *gate);

/*
 * Whether the burst may enter the driver; if so, gate_leave() follows it. The order of both accesses is that
 * of all threads: either the worker sees the shut gate, or the thread of interrupts sees the worker inside.
 */
static inline bool gate_enter(struct gate *gate)
{
    atomic_store(&gate->is_inside, true);
    if (__builtin_expect(!atomic_load(&gate_is_shut), 1))
        return true;
    atomic_store_explicit(&gate->is_inside, false, memory_order_release);
    return false;
}

static inline void gate_leave(struct gate *gate)
{
    atomic_store_explicit(&gate->is_inside, false, memory_order_release);
}

/* Waits until no burst is inside, and lets none enter. gate_let_in() ends it; one thread at a time has them
 * shut. */
void gate_shut_all(void);
void gate_let_in(void);

/* The queues that ports of net_memif will have, before they start. */
void gate_expect_queues(uint16_t queues);

/* Before the first device of net_memif is made, and before the first is closed: from then on the driver hears
 * of no event any more, since it may have freed what the event is about. */
void gate_begin_events(void);
void gate_end_events(void);

/* The process becomes this user after the start, whose processes may be peers already. */
void gate_admit(uid_t user);

/* The peers that were refused. */
struct gate_refusals {
    uint64_t count;  /* since the start */
    const char *why; /* the last one, a static text; NULL: it was a process of another user */
    uint32_t user;
};

/* Whether there are more than *seen, which is brought up to date then. Any thread may ask. */
bool gate_refused(struct gate_refusals *seen);

/* The fault of the last peer and the remedy, in words. */
void gate_refusal_text(const struct gate_refusals *seen, char *out, size_t cap);

#endif
