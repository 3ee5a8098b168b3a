/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries of the wheel: mobiles, packet flows, cells and links armed for the instant at which their bucket
 * opens, and mobiles for that at which an N-PDU is too old. For the files of this folder alone.
 */
#ifndef DATAPLANE_SCHED_ARM_H
#define DATAPLANE_SCHED_ARM_H

#include "dataplane/base/moment.h"
#include "dataplane/sched/sched.h"

#include <stddef.h>

#define SCHED_OWNER(member_, type, member) ((type *)(void *)((char *)(member_)-offsetof(type, member)))

/* The kind of an entry of the wheel, in the low bits of its pointer. */
enum sched_wake {
    SCHED_WAKE_MS,
    SCHED_WAKE_EXPIRY,
    SCHED_WAKE_PFC,
    SCHED_WAKE_BVC,
    SCHED_WAKE_LINK,
    SCHED_WAKE_MASK = 7,
};

static inline void *sched_arm_owner(const struct wheel_entry *entry)
{
    return (void *)((uintptr_t)entry->who & ~(uintptr_t)SCHED_WAKE_MASK);
}

static inline enum sched_wake sched_arm_kind(const struct wheel_entry *entry)
{
    return (enum sched_wake)((uintptr_t)entry->who & SCHED_WAKE_MASK);
}

/*
 * Puts `who` on the wheel for at_ns unless armed for it already. `armed_ns` is where its owner stores that
 * instant: entries are never removed from the wheel, but one that differs from *armed_ns is stale.
 */
void sched_arm(struct sched *s, int64_t *armed_ns, int64_t at_ns, void *who, enum sched_wake kind);

static inline bool sched_wake_is_due(const struct sched *s, int64_t now)
{
    return s->due_at != s->due_count || wheel_next_ns(&s->wheel) <= now;
}

#endif
