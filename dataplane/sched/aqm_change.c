/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of AQM schemes, and their exchange for others. */
#include "dataplane/sched/aqm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_changed(const struct sched_aqm *a, unsigned k)
{
    return a->changed >> k & 1;
}

static bool new_setups(struct sched_aqm *a, char *message, size_t cap)
{
    size_t most = 0;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        const struct sched_aqm_params *params = &a->params[k];
        if (!is_changed(a, k) || !params->choice.ops)
            continue;
        a->setups[k] = aqm_setup_new(&params->choice, message, cap);
        if (!a->setups[k])
            return false;
        if (params->choice.ops->state_octets > most)
            most = params->choice.ops->state_octets;
    }
    a->slot_octets = SCHED_AQM_SLOT_OCTETS + (most + 15) / 16 * 16;
    return true;
}

static bool has_scope(const struct sched_aqm *a, unsigned scope)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (a->params[k].choice.ops && a->params[k].scope == scope)
            return true;
    return false;
}

static size_t slots_of(const struct sched *s, unsigned scope)
{
    const struct sched_counts *counts = &s->counts;
    switch (scope) {
    case SCHED_AQM_CLASS_OF_NSE:
        return (size_t)counts->links * QCLASS_COUNT;
    case SCHED_AQM_CLASS_OF_BVC:
        return (size_t)counts->bvcs * QCLASS_COUNT;
    case SCHED_AQM_MS:
        return (size_t)counts->mobiles + counts->extras;
    default:
        return (size_t)counts->mobiles + counts->extras + (size_t)s->flow_sets.count * s->flow_sets.queues;
    }
}

/* Those that the present schemes do not have, or all if the present ones are too small. */
static bool new_slots(const struct sched *s, struct sched_aqm *a)
{
    const struct sched_aqm *old = s->aqm;
    if (old && old->slot_octets >= a->slot_octets)
        a->slot_octets = old->slot_octets;
    bool has_slots = old && old->slot_octets == a->slot_octets;
    for (unsigned scope = 0; scope < SCHED_AQM_SCOPES; scope++) {
        if (!has_scope(a, scope) || (has_slots && old->slots[scope]))
            continue;
        a->slots[scope] = calloc(slots_of(s, scope) + 1, a->slot_octets);
        if (!a->slots[scope])
            return false;
    }
    a->fresh = calloc(1, a->slot_octets);
    return a->fresh != NULL;
}

static struct sched_aqm_still *new_stills(uint32_t count)
{
    struct sched_aqm_still *stills = calloc((size_t)count + 1, sizeof(*stills));
    for (uint32_t i = 0; stills && i < count; i++)
        stills[i].since_ns = MOMENT_NEVER;
    return stills;
}

static bool add_stills(const struct sched *s, struct sched_aqm *a)
{
    if (s->aqm)
        return true;
    a->ms_stills = new_stills(s->counts.mobiles);
    a->bvc_stills = new_stills(s->counts.bvcs);
    return a->ms_stills && a->bvc_stills;
}

struct sched_aqm *sched_aqm_prepare(const struct sched *s, const struct sched_aqm_params params[QCLASS_COUNT],
                                    uint8_t changed, char *message, size_t cap)
{
    struct sched_aqm *a = calloc(1, sizeof(*a));
    snprintf(message, cap, "no memory");
    if (!a)
        return NULL;
    a->changed = changed;
    a->mobiles = s->counts.mobiles;
    a->singles = s->counts.mobiles + s->counts.extras;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        a->params[k] = is_changed(a, k) ? params[k] : s->params.aqm[k];
    if (new_setups(a, message, cap) && new_slots(s, a) && add_stills(s, a))
        return a;
    sched_aqm_release(a);
    return NULL;
}

void sched_aqm_release(struct sched_aqm *a)
{
    if (!a)
        return;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        aqm_setup_free(a->setups[k]);
    for (unsigned i = 0; i < SCHED_AQM_SCOPES; i++)
        free(a->slots[i]);
    free(a->fresh);
    free(a->ms_stills);
    free(a->bvc_stills);
    free(a);
}

/* Moves a pointer that `to` lacks. */
#define TAKE(to, from)                                                                                       \
    do {                                                                                                     \
        if (!(to)) {                                                                                         \
            (to) = (from);                                                                                   \
            (from) = NULL;                                                                                   \
        }                                                                                                    \
    } while (0)

/* Moves to `a` the parts of the present schemes that do not change. */
static void take_kept(struct sched_aqm *a, struct sched_aqm *old)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        if (is_changed(a, k))
            continue;
        TAKE(a->setups[k], old->setups[k]);
        a->ids[k] = old->ids[k];
        a->since_ns[k] = old->since_ns[k];
    }
    for (unsigned scope = 0; scope < SCHED_AQM_SCOPES && a->slot_octets == old->slot_octets; scope++)
        TAKE(a->slots[scope], old->slots[scope]);
    TAKE(a->ms_stills, old->ms_stills);
    TAKE(a->bvc_stills, old->bvc_stills);
}

/* After an epoch that flows may have had before. */
static void end_epochs(struct sched *s, const struct sched_aqm_owners *owners)
{
    char *ms = (char *)(uintptr_t)owners->mobiles;
    for (uint32_t i = 0; i < s->counts.mobiles && ms; i++, ms += owners->ms_octets)
        ((struct sched_ms *)(void *)ms)->flow.turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
    s->aqm_epoch = 0;
}

static void set_class(struct sched *s, unsigned k)
{
    struct sched_aqm *a = s->aqm;
    a->scopes[k] = a->params[k].scope;
    s->params.aqm[k] = a->params[k];
    s->aqm_setups[k] = a->setups[k];
    if (a->setups[k])
        s->aqm_classes |= (uint8_t)(1U << k);
    else
        s->aqm_classes &= (uint8_t) ~(1U << k);
}

void sched_aqm_exchange(struct sched *s, struct sched_aqm **aqm, const struct sched_aqm_owners *owners,
                        int64_t now)
{
    struct sched_aqm *a = *aqm, *old = s->aqm;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        a->ids[k] = ++s->aqm_ids;
        a->since_ns[k] = now;
    }
    if (old)
        take_kept(a, old);
    s->aqm = a;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        set_class(s, k);
    sched_aqm_place(s, owners);
    if (s->aqm_epoch == SCHED_FLOW_AQM_IDLE >> SCHED_FLOW_AQM_IDLE_SHIFT)
        end_epochs(s, owners);
    s->aqm_epoch++;
    *aqm = old;
}

static bool wants_any(const struct sched_params *params)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (params->aqm[k].choice.ops)
            return true;
    return false;
}

bool sched_aqm_new(struct sched *s)
{
    char message[128];
    if (!wants_any(&s->params))
        return true;
    struct sched_aqm *a = sched_aqm_prepare(s, s->params.aqm, UINT8_MAX, message, sizeof(message));
    if (a)
        sched_aqm_exchange(s, &a, &(struct sched_aqm_owners){0}, INT64_MIN);
    return s->aqm != NULL;
}

void sched_aqm_free(struct sched *s)
{
    sched_aqm_release(s->aqm);
    s->aqm = NULL;
    memset(s->aqm_setups, 0, sizeof(s->aqm_setups));
}

/* Newton: each step doubles the number of correct bits; an odd number is its own inverse to three bits. */
static struct sched_aqm_step step_of(size_t octets)
{
    struct sched_aqm_step step = {.shift = (unsigned)__builtin_ctzll(octets)};
    uint64_t odd = (uint64_t)octets >> step.shift;
    step.inverse = odd;
    for (unsigned bits = 3; bits < 64; bits *= 2)
        step.inverse *= 2 - odd * step.inverse;
    return step;
}

void sched_aqm_place(struct sched *s, const struct sched_aqm_owners *owners)
{
    if (!s->aqm || !owners->mobiles)
        return;
    s->aqm->owners = *owners;
    s->aqm->ms_step = step_of(owners->ms_octets);
    s->aqm->bvc_step = step_of(owners->bvc_octets);
    s->aqm->link_step = step_of(owners->link_octets);
}
