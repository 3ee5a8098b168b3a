/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes due entries off the wheel and wakes their mobiles, packet flows, cells and links. */
#include "dataplane/sched/sched.h"

#include "dataplane/base/prefetch.h"
#include "dataplane/sched/sched_parts.h"

static void wake(struct sched *s, const struct wheel_entry *entry, int64_t now)
{
    void *owner = sched_arm_owner(entry);
    switch (sched_arm_kind(entry)) {
    case SCHED_WAKE_MS:
        sched_ms_woken(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_EXPIRY:
        sched_ms_expired(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_PFC:
        sched_pfc_woken(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_BVC:
        sched_bvc_woken(s, owner, entry->at_ns);
        break;
    case SCHED_WAKE_LINK:
        sched_link_woken(s, owner, entry->at_ns);
        break;
    case SCHED_WAKE_MASK:
        break;
    }
}

static void prefetch_ms(const void *who)
{
    const char *owner = (const char *)((uintptr_t)who & ~(uintptr_t)SCHED_WAKE_MASK);
    prefetch_line_write(owner);
    prefetch_line_write(owner + offsetof(struct sched_ms, flow));
}

/* On a busy scheduler the entries after these will be needed soon. */
static void prefetch_next(const struct sched *s)
{
    const void *who;
    for (uint32_t i = 0; i < SCHED_DUE && (who = wheel_peek(&s->wheel, i)); i++)
        prefetch_ms(who);
}

static void prefetch_sets(const struct sched *s)
{
    for (uint32_t i = 0; i < s->due_count; i++) {
        const struct sched_ms *ms = sched_arm_owner(&s->due[i]);
        if (sched_arm_kind(&s->due[i]) == SCHED_WAKE_MS && ms->flow.set != FLOW_SETS_NONE)
            flow_sets_prefetch(&s->flow_sets, ms->flow.set);
    }
}

/*
 * Due entries are taken off the wheel in bursts, so that their cache misses overlap: first the mobiles, then
 * the data that they point to.
 */
static void fetch_due(struct sched *s, int64_t now)
{
    s->due_at = s->due_count = 0;
    while (s->due_count < SCHED_DUE && wheel_take(&s->wheel, &s->due[s->due_count], now))
        prefetch_ms(s->due[s->due_count++].who);
    if (s->due_count >= SCHED_BUSY)
        prefetch_next(s);
    for (uint32_t i = 0; i < s->due_count && s->due_count > 1; i++) {
        const struct sched_ms *ms = sched_arm_owner(&s->due[i]);
        if (sched_arm_kind(&s->due[i]) != SCHED_WAKE_MS)
            continue;
        prefetch_line_write(ms->bvc);
        prefetch_line_write(flow_queue_head(&ms->flow.queue));
    }
    if (s->flow_sets.queues > 0)
        prefetch_sets(s);
}

static const struct wheel_entry *take_due(struct sched *s, int64_t now)
{
    if (s->due_at == s->due_count) {
        if (wheel_next_ns(&s->wheel) > now)
            return NULL;
        fetch_due(s, now);
        if (s->due_count == 0)
            return NULL;
    }
    return &s->due[s->due_at++];
}

void sched_advance(struct sched *s, int64_t now)
{
    const struct wheel_entry *entry;
    while ((entry = take_due(s, now)))
        wake(s, entry, now);
}

bool sched_wake_due(struct sched *s, struct sched_grant *grant, int64_t now)
{
    const struct wheel_entry *entry;
    while ((entry = take_due(s, now))) {
        struct sched_ms *ms = sched_arm_owner(entry);
        if (!s->links && sched_arm_kind(entry) == SCHED_WAKE_MS && ms->wake_ns == entry->at_ns &&
            ms->flags & SCHED_MS_PARKED && sched_bypass_woken(s, ms, grant, now))
            return true;
        wake(s, entry, now);
    }
    return false;
}

int64_t sched_next_ns(const struct sched *s)
{
    return s->links || s->due_at < s->due_count ? INT64_MIN : wheel_next_ns(&s->wheel);
}
