/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries are never removed from the wheel: the owner stores the instant for which it is armed, and an entry
 * for another instant is stale. When the wheel is full, stale entries are purged.
 */
#include "dataplane/sched/arm.h"

#include <assert.h>

/* Where the owner of an entry stores the instant for which it is armed. */
static int64_t *armed_of(const struct wheel_entry *entry)
{
    void *owner = sched_arm_owner(entry);
    switch (sched_arm_kind(entry)) {
    case SCHED_WAKE_MS:
        return &((struct sched_ms *)owner)->wake_ns;
    case SCHED_WAKE_EXPIRY:
        return &((struct sched_ms *)owner)->expiry_ns;
    case SCHED_WAKE_PFC:
        return &((struct sched_extra *)owner)->wake_ns;
    case SCHED_WAKE_BVC:
        return &((struct sched_bvc *)owner)->wake_ns;
    default:
        return &((struct sched_link *)owner)->wake_ns;
    }
}

/* Of two entries for the same instant the second is stale, too: the test of the first one inverts *armed_ns.
 * */
static bool is_stale(const struct wheel_entry *entry, void *arg)
{
    int64_t *armed_ns = armed_of(entry);
    (void)arg;
    if (*armed_ns != entry->at_ns)
        return true;
    *armed_ns = ~entry->at_ns;
    return false;
}

static bool unmark(const struct wheel_entry *entry, void *arg)
{
    (void)arg;
    *armed_of(entry) = entry->at_ns;
    return false;
}

void sched_arm(struct sched *s, int64_t *armed_ns, int64_t at_ns, void *who, enum sched_wake kind)
{
    void *tagged = (void *)((uintptr_t)who | kind);
    if (*armed_ns == at_ns)
        return;
    *armed_ns = at_ns;
    if (at_ns == MOMENT_NEVER || wheel_set(&s->wheel, at_ns, tagged))
        return;
    wheel_purge(&s->wheel, is_stale, NULL);
    wheel_purge(&s->wheel, unmark, NULL);
    bool is_set = wheel_set(&s->wheel, at_ns, tagged);
    assert(is_set);
    (void)is_set;
}
