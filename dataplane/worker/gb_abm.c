/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gb_abm.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/memory/pool.h"
#include "dataplane/sched/ms.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <stddef.h>
#include <string.h>

static_assert(sizeof(struct gb_abm_link) + 16 * sizeof(struct abm_sent) + 8 * sizeof(void *) <= 512,
              "with k of 16 down and 8 up a mobile's link has 512 octets");

#define DECISECOND_NS INT64_C(100000000)
#define SEARCH        64 /* links looked at in one step for one that waits for buffers */

struct gb_abm_link *gb_abm_at(const struct gb_abm *abm, uint32_t index)
{
    return (struct gb_abm_link *)(void *)(abm->records + index * abm->record_octets);
}

static uint32_t index_of(const struct gb_abm *abm, const struct gb_abm_link *l)
{
    return (uint32_t)((size_t)((const uint8_t *)l - abm->records) / abm->record_octets);
}

/* --- what links ask for --- */

static void gb_abm_hold(void *arg, struct n_pdu *n_pdu)
{
    struct worker *w = arg;
    rte_mbuf_refcnt_update(pool_mbuf(n_pdu), 1);
    w->stats.abm_held++;
}

static void let_go(void *arg, struct n_pdu *n_pdu)
{
    struct worker *w = arg;
    w->stats.abm_held--;
    pool_n_pdu_free(n_pdu);
}

static void abandon(void *arg, struct n_pdu *n_pdu)
{
    struct worker *w = arg;
    w->stats.abm_abandoned++;
    let_go(arg, n_pdu);
}

static void drop(void *arg, void *frame)
{
    struct worker *w = arg;
    w->abm.stored--;
    w->stats.ul_held--;
    w->stats.gb_drops[DROP_LLC_ABM]++;
    rte_pktmbuf_free(frame);
}

static void opened(void *arg, struct link *link)
{
    struct worker *w = arg;
    const struct gb_abm_link *l = (const struct gb_abm_link *)(const void *)link;
    w->stats.abm_established++;
    gb_compression_restart(w, l->ms, link->sapi);
}

static void failed(void *arg, struct link *link)
{
    struct worker *w = arg;
    w->stats.abm_failed++;
}

static uint32_t new_iov(void *arg, const struct link *link)
{
    struct worker *w = arg;
    return (uint32_t)rng_u64(&w->abm.rng);
}

/* --- memory --- */

static size_t record_octets_of(const struct link_kind *kind)
{
    size_t octets = sizeof(struct gb_abm_link) + link_send_slots(kind) * sizeof(struct abm_sent) +
                    link_receive_slots(kind) * sizeof(void *);
    return (octets + MS_LINE_OCTETS - 1) / MS_LINE_OCTETS * MS_LINE_OCTETS;
}

size_t gb_abm_link_octets(const struct link_values *values)
{
    return record_octets_of(&(struct link_kind){.values = *values, .is_network = true});
}

bool gb_abm_new(struct worker *w, const struct link_settings *config, uint32_t mobiles)
{
    struct gb_abm *abm = &w->abm;
    *abm = (struct gb_abm){.config = *config, .free = GB_ABM_NONE, .ready = GB_ABM_NONE, .mobiles = mobiles};
    if (config->links == 0)
        return true;
    abm->kind = (struct link_kind){.values = config->values,
                                   .is_network = true,
                                   .hold = gb_abm_hold,
                                   .let_go = let_go,
                                   .abandon = abandon,
                                   .drop = drop,
                                   .opened = opened,
                                   .failed = failed,
                                   .new_iov = new_iov,
                                   .pack = gb_compression_pack,
                                   .unpack = gb_compression_unpack,
                                   .arg = w};
    abm->record_octets = record_octets_of(&abm->kind);
    rng_init(&abm->rng, config->seed, w->number);
    abm->records = bigmem_new(config->links * abm->record_octets);
    abm->first = bigmem_new(mobiles * sizeof *abm->first);
    if (!abm->records || !abm->first || !wheel_new(&abm->wheel, 4 * config->links))
        return false;
    for (uint32_t i = 0; i < mobiles; i++)
        abm->first[i] = GB_ABM_NONE;
    for (uint32_t i = config->links; i-- > 0;) {
        *gb_abm_at(abm, i) = (struct gb_abm_link){.ms = MS_NONE, .next = abm->free};
        abm->free = i;
    }
    abm->free_count = config->links;
    return true;
}

void gb_abm_free(struct worker *w)
{
    struct gb_abm *abm = &w->abm;
    for (uint32_t i = 0; abm->records && abm->first && i < abm->config.links; i++)
        if (gb_abm_at(abm, i)->ms != MS_NONE)
            link_empty(&gb_abm_at(abm, i)->link, NULL);
    bigmem_free(abm->records, abm->config.links * abm->record_octets);
    bigmem_free(abm->first, abm->mobiles * sizeof *abm->first);
    wheel_free(&abm->wheel);
}

struct gb_abm_link *gb_abm_find(const struct worker *w, uint32_t ms, uint8_t sapi)
{
    const struct gb_abm *abm = &w->abm;
    if (!abm->first)
        return NULL;
    for (uint32_t i = abm->first[ms]; i != GB_ABM_NONE; i = gb_abm_at(abm, i)->next)
        if (gb_abm_at(abm, i)->link.sapi == sapi)
            return gb_abm_at(abm, i);
    return NULL;
}

void gb_abm_prefetch(const struct worker *w, uint32_t ms)
{
    uint32_t i = w->abm.first[ms];
    if (i == GB_ABM_NONE)
        return;
    const uint8_t *record = (const uint8_t *)gb_abm_at(&w->abm, i);
    for (size_t at = 0; at < w->abm.record_octets; at += MS_LINE_OCTETS)
        rte_prefetch0(record + at);
}

void gb_abm_prefetch_confirmed(const struct gb_abm_link *l, uint16_t nr)
{
    const struct abm *a = &l->link.abm;
    uint32_t end = a->va + (nr - a->va) % LLC_NU_MODULUS;
    if (l->link.state != LINK_ABM || end - a->confirmed > a->vs - a->confirmed)
        return;
    for (uint32_t count = a->confirmed; count != end; count++) {
        const uint8_t *mbuf = (const uint8_t *)pool_mbuf(a->sent[count & a->send_mask].frame);
        rte_prefetch0(mbuf);
        rte_prefetch0(mbuf + RTE_CACHE_LINE_MIN_SIZE);
    }
}

/* --- the mobile's window --- */

bool gb_abm_is_open(const struct worker *w, const struct gb_abm_link *l)
{
    const struct ms *ms = &w->context.mobiles[l->ms];
    return l->contexts == 0 || (!l->is_starved && link_can_send(&l->link, 1, ms->sched.n201_u));
}

/* The window of a mobile is open while those of all its links are. */
static void set_window(struct worker *w, uint32_t index, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    bool is_closed = false;
    for (uint32_t i = w->abm.first[index]; i != GB_ABM_NONE; i = gb_abm_at(&w->abm, i)->next)
        is_closed |= !gb_abm_is_open(w, gb_abm_at(&w->abm, i));
    if (is_closed)
        sched_ms_close(&ms->sched);
    else if (ms->sched.flags & SCHED_MS_CLOSED)
        sched_ms_open(&w->context.sched, &ms->sched, now);
}

bool gb_abm_has_buffers(const struct worker *w)
{
    return w->stats.abm_held < w->abm.config.buffers;
}

void gb_abm_starve(struct worker *w, struct gb_abm_link *l, bool is_starved)
{
    w->abm.starved += is_starved - l->is_starved;
    l->is_starved = is_starved;
}

/* Buffers are free again: the next link that waits for one has them. */
static void feed(struct worker *w, int64_t now)
{
    struct gb_abm *abm = &w->abm;
    if (abm->is_feeding)
        return;
    abm->is_feeding = true;
    for (unsigned i = 0; i < SEARCH && abm->starved > 0 && gb_abm_has_buffers(w); i++) {
        struct gb_abm_link *l = gb_abm_at(abm, abm->cursor);
        abm->cursor = (abm->cursor + 1) % abm->config.links;
        if (!l->is_starved)
            continue;
        gb_abm_starve(w, l, false);
        gb_abm_touch(w, l, now);
    }
    abm->is_feeding = false;
}

/* --- the lists --- */

static uint16_t decisecond(int64_t at_ns)
{
    return (uint16_t)(at_ns / DECISECOND_NS);
}

/* Another entry has taken its place. */
bool gb_abm_is_stale(const struct wheel_entry *entry, void *unused_arg)
{
    uintptr_t kind = (uintptr_t)entry->who & GB_ABM_WAKE_MASK;
    const struct gb_abm_link *l = (const struct gb_abm_link *)((uintptr_t)entry->who - kind);
    return kind == GB_ABM_WAKE_TIMER && (!l->is_timed || l->armed_ds != decisecond(entry->at_ns));
}

void gb_abm_arm(struct worker *w, struct gb_abm_link *l, int64_t at_ns, unsigned kind)
{
    void *who = (void *)((uintptr_t)l | kind);
    if (kind == GB_ABM_WAKE_TIMER) {
        l->is_timed = true;
        l->armed_ds = decisecond(at_ns);
    } else {
        l->is_waiting = true;
    }
    if (wheel_set(&w->abm.wheel, at_ns, who))
        return;
    wheel_purge(&w->abm.wheel, gb_abm_is_stale, NULL);
    bool is_set = wheel_set(&w->abm.wheel, at_ns, who);
    assert(is_set); /* two entries of each link are not stale */
    (void)is_set;
}

bool gb_abm_must_arm(const struct gb_abm_link *l)
{
    return l->link.due_ns != MOMENT_NEVER &&
           (!l->is_timed || (int16_t)(decisecond(l->link.due_ns) - l->armed_ds) < 0);
}

static void make_ready(struct gb_abm *abm, struct gb_abm_link *l)
{
    uint32_t index = index_of(abm, l);
    if (l->is_ready || l->is_waiting)
        return;
    l->is_ready = true;
    l->next_ready = GB_ABM_NONE;
    if (abm->ready == GB_ABM_NONE)
        abm->ready = index;
    else
        gb_abm_at(abm, abm->ready_last)->next_ready = index;
    abm->ready_last = index;
}

void gb_abm_touch(struct worker *w, struct gb_abm_link *l, int64_t now)
{
    /* Segments that the scheduler grants must fit N201-I. */
    const struct ms *ms = &w->context.mobiles[l->ms];
    if (unlikely(l->link.values.n201_i_octets < ms->sched.n201_u && l->link.state == LINK_ABM))
        context_ms_n201_u(&w->context, l->ms, l->link.values.n201_i_octets, now);
    set_window(w, l->ms, now);
    if (link_next_octets(&l->link) > 0)
        make_ready(&w->abm, l);
    if (gb_abm_must_arm(l))
        gb_abm_arm(w, l, l->link.due_ns, GB_ABM_WAKE_TIMER);
    if (w->abm.starved > 0)
        feed(w, now);
}

/* --- contexts and mobiles --- */

static struct gb_abm_link *gb_abm_make(struct worker *w, uint32_t ms, uint8_t sapi)
{
    struct gb_abm *abm = &w->abm;
    uint32_t index = abm->free;
    if (!abm->first || index == GB_ABM_NONE)
        return NULL;
    struct gb_abm_link *l = gb_abm_at(abm, index);
    bool is_waiting = l->is_waiting; /* an entry of the wheel that a former mobile left */
    abm->free = l->next;
    abm->free_count--;
    *l = (struct gb_abm_link){.ms = ms, .next = abm->first[ms], .is_waiting = is_waiting};
    struct abm_sent *sent = (struct abm_sent *)(void *)(l + 1);
    link_init(&l->link, &abm->kind, sapi, sent, (void **)(void *)(sent + link_send_slots(&abm->kind)));
    abm->first[ms] = index;
    return l;
}

void gb_abm_recycle(struct gb_abm *abm, struct gb_abm_link *l)
{
    l->next = abm->free;
    abm->free = index_of(abm, l);
    abm->free_count++;
}

/* A link that is in the list of ready ones leaves it at its turn. */
static void unmake(struct worker *w, struct gb_abm_link *l)
{
    struct gb_abm *abm = &w->abm;
    uint32_t index = index_of(abm, l), *before = &abm->first[l->ms];
    link_empty(&l->link, NULL);
    gb_abm_starve(w, l, false);
    while (*before != index)
        before = &gb_abm_at(abm, *before)->next;
    *before = l->next;
    l->ms = MS_NONE;
    l->contexts = 0;
    l->is_timed = false;
    if (!l->is_ready)
        gb_abm_recycle(abm, l);
}

void gb_abm_done(struct worker *w, struct gb_abm_link *l, int64_t now)
{
    uint32_t ms = l->ms;
    l->link.is_done = false;
    if (l->contexts > 0) {
        gb_abm_touch(w, l, now);
        return;
    }
    unmake(w, l);
    set_window(w, ms, now);
}

int gb_abm_attach(struct worker *w, uint32_t ms, uint8_t sapi, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, ms, sapi);
    if (!l)
        l = gb_abm_make(w, ms, sapi);
    if (!l) {
        w->stats.abm_refused++;
        return -1;
    }
    l->contexts++;
    gb_abm_touch(w, l, now);
    return 0;
}

void gb_abm_detach(struct worker *w, uint32_t ms, uint8_t sapi, unsigned nsapi, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, ms, sapi);
    if (!l)
        return;
    link_forget(&l->link, nsapi);
    if (--l->contexts == 0)
        link_release(&l->link, now);
    if (l->link.is_done)
        gb_abm_done(w, l, now);
    else
        gb_abm_touch(w, l, now);
}

void gb_abm_end(struct worker *w, uint32_t ms)
{
    while (w->abm.first && w->abm.first[ms] != GB_ABM_NONE)
        unmake(w, gb_abm_at(&w->abm, w->abm.first[ms]));
}

void gb_abm_take(struct worker *w, uint32_t ms, struct gb_abm_parcel parcels[GB_ABM_SAPIS])
{
    memset(parcels, 0, GB_ABM_SAPIS * sizeof *parcels);
    if (!w->abm.first)
        return;
    for (uint32_t i = w->abm.first[ms], n = 0; i != GB_ABM_NONE && n < GB_ABM_SAPIS;
         i = gb_abm_at(&w->abm, i)->next) {
        struct gb_abm_link *l = gb_abm_at(&w->abm, i);
        struct gb_abm_parcel *parcel = &parcels[n++];
        parcel->sapi = l->link.sapi;
        link_empty(&l->link, &parcel->unconfirmed);
        memcpy(parcel->next_number, l->link.next_number, sizeof parcel->next_number);
        memcpy(parcel->in, l->link.in, sizeof parcel->in);
        for (const struct n_pdu *n_pdu = parcel->unconfirmed.head; n_pdu; n_pdu = n_pdu->next)
            w->stats.abm_held--;
    }
    gb_abm_end(w, ms);
}

void gb_abm_put(struct worker *w, uint32_t ms, struct gb_abm_parcel parcels[GB_ABM_SAPIS], int64_t now)
{
    for (unsigned i = 0; i < GB_ABM_SAPIS; i++) {
        struct gb_abm_link *l = parcels[i].sapi ? gb_abm_find(w, ms, parcels[i].sapi) : NULL;
        struct n_pdu *n_pdu;
        if (!l)
            continue;
        memcpy(l->link.next_number, parcels[i].next_number, sizeof l->link.next_number);
        memcpy(l->link.in, parcels[i].in, sizeof l->link.in);
        while ((n_pdu = n_pdu_list_take(&parcels[i].unconfirmed))) {
            uint8_t nsapi = (uint8_t)(n_pdu->number >> 8);
            uint32_t pdp = ms_pdp(&w->context.mobiles[ms], nsapi);
            if (pdp == MS_PDP_NONE) {
                pool_n_pdu_free(n_pdu); /* deleted on the way */
                continue;
            }
            n_pdu->pdp = pdp;
            n_pdu->generation = w->context.pdps[pdp].generation;
            w->stats.abm_held++;
            link_put(&l->link, n_pdu, nsapi);
        }
        link_establish(&l->link, now); /* the other side is in acknowledged mode with the former worker */
        gb_abm_touch(w, l, now);
    }
    gb_abm_parcels_free(parcels);
}

void gb_abm_parcels_free(struct gb_abm_parcel parcels[GB_ABM_SAPIS])
{
    struct n_pdu *n_pdu;
    for (unsigned i = 0; i < GB_ABM_SAPIS; i++)
        while ((n_pdu = n_pdu_list_take(&parcels[i].unconfirmed)))
            pool_n_pdu_free(n_pdu);
}

static void forget(struct gb_abm_parcel *parcel, unsigned nsapi)
{
    struct n_pdu_list others = {0};
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&parcel->unconfirmed)))
        if (n_pdu->number >> 8 == nsapi)
            pool_n_pdu_free(n_pdu);
        else
            n_pdu_list_put(&others, n_pdu);
    parcel->unconfirmed = others;
    parcel->next_number[nsapi - LINK_NSAPI_MIN] = 0;
    parcel->in[nsapi - LINK_NSAPI_MIN] = (struct sn_receive){0};
}

void gb_abm_parcels_forget(struct gb_abm_parcel parcels[GB_ABM_SAPIS], unsigned nsapi)
{
    for (unsigned i = 0; i < GB_ABM_SAPIS; i++)
        forget(&parcels[i], nsapi);
}

void gb_abm_take_unconfirmed(struct worker *w, uint32_t ms, uint8_t sapi, unsigned nsapi,
                             struct n_pdu_list *out, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, ms, sapi);
    if (!l)
        return;
    link_take(&l->link, nsapi, out, now);
    for (const struct n_pdu *n_pdu = out->head; n_pdu; n_pdu = n_pdu->next)
        w->stats.abm_held--;
    gb_abm_touch(w, l, now);
}

bool gb_abm_return(struct worker *w, uint32_t ms, uint8_t sapi, struct n_pdu *n_pdu, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, ms, sapi);
    if (!l || l->contexts == 0)
        return false;
    w->stats.abm_held++;
    link_put(&l->link, n_pdu, (uint8_t)(n_pdu->number >> 8));
    link_establish(&l->link, now);
    gb_abm_touch(w, l, now);
    return true;
}

void gb_abm_continue(struct worker *w, const struct pdp_params *pdp, uint8_t send, uint8_t receive,
                     int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, pdp->ms, pdp->sapi);
    if (!l)
        return;
    link_continue(&l->link, pdp->nsapi, send, receive);
    link_establish(&l->link, now);
    gb_abm_touch(w, l, now);
}

bool gb_abm_resume(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu, int64_t now)
{
    const struct gb_abm_link *l = gb_abm_find(w, pdp->ms, pdp->sapi);
    const struct n_pdu *last = l && l->link.queue.head ? l->link.queue.last : NULL;
    bool follows = !last || !last->is_numbered || last->number >> 8 != n_pdu->number >> 8 ||
                   sn_is_before((uint8_t)last->number, (uint8_t)n_pdu->number);
    uint8_t next = l ? l->link.next_number[pdp->nsapi - LINK_NSAPI_MIN] : 0;
    return follows && sn_is_before((uint8_t)n_pdu->number, next) &&
           gb_abm_return(w, pdp->ms, pdp->sapi, n_pdu, now);
}

unsigned gb_abm_confirm(struct worker *w, const struct pdp_params *pdp, uint8_t number, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, pdp->ms, pdp->sapi);
    unsigned confirmed = l ? link_confirm(&l->link, pdp->nsapi, number) : 0;
    if (l)
        gb_abm_touch(w, l, now);
    return confirmed;
}

void gb_abm_moved(struct worker *w, uint32_t ms, int64_t now)
{
    for (uint32_t i = w->abm.first ? w->abm.first[ms] : GB_ABM_NONE; i != GB_ABM_NONE;
         i = gb_abm_at(&w->abm, i)->next) {
        link_pause(&gb_abm_at(&w->abm, i)->link, now);
        gb_abm_touch(w, gb_abm_at(&w->abm, i), now);
    }
}

void gb_abm_lost(struct worker *w, uint32_t ms, bool is_all, int64_t now)
{
    for (uint32_t i = w->abm.first ? w->abm.first[ms] : GB_ABM_NONE; i != GB_ABM_NONE;
         i = gb_abm_at(&w->abm, i)->next) {
        link_lost(&gb_abm_at(&w->abm, i)->link, is_all);
        gb_abm_touch(w, gb_abm_at(&w->abm, i), now);
    }
}

void gb_abm_renew(struct worker *w, uint32_t ms, int64_t now)
{
    for (uint32_t i = w->abm.first ? w->abm.first[ms] : GB_ABM_NONE; i != GB_ABM_NONE;
         i = gb_abm_at(&w->abm, i)->next) {
        link_renew(&gb_abm_at(&w->abm, i)->link, now);
        gb_abm_touch(w, gb_abm_at(&w->abm, i), now);
    }
}

void gb_abm_reset(struct worker *w, uint32_t index, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    ms->awaits_reset = false;
    for (unsigned i = 0; i < MS_SAPIS; i++) {
        ms->llc[i].vur = ms->llc[i].seen = 0;
        llc_entity_leave_last(&ms->llc[i]);
        ms->cipher.switched_vur[i] = 0;
    }
    gb_abm_renew(w, index, now);
}

uint32_t gb_abm_n201(const struct worker *w, uint32_t ms)
{
    uint32_t least = UINT32_MAX, i = w->abm.first ? w->abm.first[ms] : GB_ABM_NONE;
    for (; i != GB_ABM_NONE; i = gb_abm_at(&w->abm, i)->next) {
        const struct link *link = &gb_abm_at(&w->abm, i)->link;
        if (link->state == LINK_ABM && link->values.n201_i_octets < least)
            least = link->values.n201_i_octets;
    }
    return least;
}

void gb_abm_values(struct worker *w, const struct link_values *values)
{
    struct link_values *own = &w->abm.kind.values;
    uint8_t k_down = own->k_down, k_up = own->k_up;
    *own = *values;
    own->k_down = k_down;
    own->k_up = k_up;
}

void gb_abm_bound(struct worker *w, uint32_t ms, uint8_t sapi, const struct link_values *values, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, ms, sapi);
    if (!l)
        return;
    link_bound(&l->link, values);
    gb_abm_touch(w, l, now);
}

struct gb_abm_look gb_abm_look(const struct worker *w, uint32_t ms)
{
    struct gb_abm_look look = {0};
    uint32_t i = w->abm.first ? w->abm.first[ms] : GB_ABM_NONE;
    for (; i < w->abm.config.links && look.links < GB_ABM_SAPIS; i = gb_abm_at(&w->abm, i)->next) {
        const struct link *link = &gb_abm_at(&w->abm, i)->link;
        bool is_open = link->state == LINK_ABM;
        look.links++;
        look.open += is_open;
        look.unconfirmed += is_open ? link->abm.vs - link->abm.va : 0;
        look.repeated += is_open ? (uint16_t)(link->abm.order - link->abm.vs) : 0;
    }
    return look;
}
