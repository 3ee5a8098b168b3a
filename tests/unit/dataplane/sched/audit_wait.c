/* SPDX-License-Identifier: BSD-3-Clause */
/* Who waits: is it on the wheel, and does it wait for something? */
#include "dataplane/sched/link.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/flow.h"
#include "tests/unit/dataplane/sched/audit.h"

#include <stdlib.h>

/* --- the wheel --- */

struct entries {
    struct wheel_entry *all;
    uint32_t count, cap;
};

static int compare(const void *left, const void *right)
{
    const struct wheel_entry *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return a->who < b->who ? -1 : a->who > b->who;
}

/* A purge that drops nothing shows all entries. */
static bool collect(const struct wheel_entry *entry, void *arg)
{
    struct entries *entries = arg;
    if (entries->count < entries->cap)
        entries->all[entries->count] = *entry;
    entries->count++;
    return false;
}

static bool is_set(const struct entries *entries, int64_t at_ns, const void *who, enum sched_wake kind)
{
    struct wheel_entry entry = {at_ns, (void *)((uintptr_t)who | kind)};
    if (at_ns == MOMENT_NEVER)
        return true;
    return bsearch(&entry, entries->all, entries->count, sizeof(entry), compare) != NULL;
}

static const char *find_missing(struct rig *rig, const struct entries *entries)
{
    for (uint32_t i = 0; i < rig->counts.mobiles; i++) {
        const struct sched_ms *ms = &rig->ms[i];
        if (!is_set(entries, ms->wake_ns, ms, SCHED_WAKE_MS) ||
            !is_set(entries, ms->expiry_ns, ms, SCHED_WAKE_EXPIRY))
            return "nobody will wake a mobile";
    }
    for (uint32_t i = 0; i < rig->counts.extras; i++)
        if (!is_set(entries, rig->sched.extras[i].wake_ns, &rig->sched.extras[i], SCHED_WAKE_PFC))
            return "nobody will wake a packet flow";
    for (uint32_t i = 0; i < rig->counts.cells; i++)
        if (!is_set(entries, rig->cells[i].wake_ns, &rig->cells[i], SCHED_WAKE_BVC))
            return "nobody will wake a cell";
    for (uint32_t i = 0; i < rig->counts.links; i++)
        if (!is_set(entries, rig->links[i].wake_ns, &rig->links[i], SCHED_WAKE_LINK))
            return "nobody will wake a link";
    return NULL;
}

const char *audit_wheel(struct rig *rig)
{
    struct entries entries = {.cap = rig->sched.wheel.count};
    entries.all = calloc(entries.cap + 1, sizeof(*entries.all));
    wheel_purge(&rig->sched.wheel, collect, &entries);
    const char *complaint = entries.count == entries.cap ? NULL : "the wheel has miscounted";
    if (!complaint && rig->sched.wheel.count != entries.cap)
        complaint = "a purge dropped what was not stale";
    qsort(entries.all, entries.count, sizeof(*entries.all), compare);
    if (!complaint)
        complaint = find_missing(rig, &entries);
    free(entries.all);
    return complaint;
}

/* --- who may go --- */

/* Whether an LLC-PDU of a mobile that passes all levels below is one that a level waits with. */
struct waiting {
    bool is_any, at_cell, at_link;
};

static bool is_before(const struct sched_ms *ms, const struct sched_flow *flow)
{
    return flow->queue.pkts > 0 && !(ms->flags & (SCHED_MS_PARKED | SCHED_MS_FROZEN)) &&
           !(flow->turn.flags & SCHED_FLOW_PARKED);
}

static bool fits_link(const struct sched_ms *ms, uint32_t octets, int64_t now)
{
    return sched_link_can_take(ms->bvc->link, sched_link_octets(ms->bvc->link, octets + ms->link_octets),
                               now);
}

/* Looks for an LLC-PDU of a cell (NULL: of any of a link) that passes it and the mobile; how it fares at the
 * next level. */
static struct waiting look(struct rig *rig, const struct sched_bvc *bvc, const struct sched_link *link)
{
    struct waiting found = {0};
    for (uint32_t i = 0; i < rig->counts.mobiles; i++) {
        struct sched_ms *ms = &rig->ms[i];
        if (ms->bvc->link != link || (bvc && ms->bvc != bvc) || ms->bvc->mode == SCHED_MODE_STOPPED)
            continue;
        for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(&rig->sched, flow)) {
            if (!is_before(ms, flow))
                continue;
            uint32_t octets = sched_flow_next(&rig->sched, ms, flow).llc_octets;
            found.is_any = true;
            found.at_cell |= ms->bvc->open_ns == bucket_earliest_ns(&ms->bvc->bucket, octets);
            found.at_link |= !fits_link(ms, octets, rig->now);
        }
    }
    return found;
}

static const char *idle_cell(struct rig *rig, struct sched_bvc *bvc)
{
    if (bvc->mode == SCHED_MODE_STOPPED || !bvc->active)
        return NULL;
    if (bvc->mode == SCHED_MODE_PARKED) {
        if (bvc->wake_ns <= rig->now)
            return "a cell is parked though its time has come";
        return look(rig, bvc, bvc->link).at_cell ? NULL : "a cell waits for an LLC-PDU that nobody has";
    }
    return bvc->link->is_parked ? NULL : "a cell has something to send and is not parked";
}

static const char *idle_link(struct rig *rig, const struct sched_link *link)
{
    struct waiting found = look(rig, NULL, link);
    if (link->wake_ns <= rig->now)
        return "a link is parked though its time has come";
    return !found.is_any || found.at_link ? NULL : "a link waits though whatever waits would fit";
}

const char *audit_idle(struct rig *rig)
{
    const char *complaint = NULL;
    for (uint32_t i = 0; i < rig->counts.mobiles; i++)
        if (rig->ms[i].flags & SCHED_MS_PARKED && rig->ms[i].wake_ns <= rig->now)
            return "a mobile is parked though its time has come";
    for (uint32_t i = 0; i < rig->counts.cells && !complaint; i++)
        complaint = idle_cell(rig, &rig->cells[i]);
    for (uint32_t i = 0; i < rig->counts.links && !complaint; i++) {
        struct sched_link *link = &rig->links[i];
        if (link->is_parked)
            complaint = idle_link(rig, link);
    }
    return complaint;
}
