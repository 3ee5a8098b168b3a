/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/sched.h"

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"

enum timer_kind { MS_WAKE, MS_EXPIRY, BVC_WAKE };

#define OWNER(timer_, type, member) ((type *)(void *)((char *)(timer_)-offsetof(type, member)))

bool sched_new(struct sched *s, uint32_t ms_count, uint32_t bvc_count)
{
    *s = (struct sched){0};
    return timers_new(&s->timers, 2 * ms_count + bvc_count);
}

void sched_free(struct sched *s)
{
    timers_free(&s->timers);
}

void sched_bvc_init(struct sched_bvc *bvc, int64_t now)
{
    *bvc = (struct sched_bvc){.wake.kind = BVC_WAKE};
    bucket_init(&bvc->bucket, 0, 0, now);
}

void sched_ms_init(struct sched_ms *ms, struct sched_bvc *bvc, int64_t now)
{
    *ms = (struct sched_ms){.bvc = bvc, .wake.kind = MS_WAKE, .expiry.kind = MS_EXPIRY};
    bucket_init(&ms->bucket, 0, 0, now);
}

/* --- rings
 * ------------------------------------------------------------------------------------------------------------
 */

static void push_bvc(struct sched *s, struct sched_bvc *bvc)
{
    bvc->state = SCHED_STATE_READY;
    bvc->next = NULL;
    if (s->head)
        s->last->next = bvc;
    else
        s->head = bvc;
    s->last = bvc;
}

static void pop_bvc(struct sched *s)
{
    struct sched_bvc *bvc = s->head;
    s->head = bvc->next;
    bvc->state = SCHED_STATE_IDLE;
}

static void unlink_bvc(struct sched *s, struct sched_bvc *bvc)
{
    struct sched_bvc **at = &s->head, *before = NULL;
    while (*at != bvc) {
        before = *at;
        at = &(*at)->next;
    }
    *at = bvc->next;
    if (s->last == bvc)
        s->last = before;
    bvc->state = SCHED_STATE_IDLE;
}

static void push_ms(struct sched_bvc *bvc, struct sched_ms *ms)
{
    ms->state = SCHED_STATE_READY;
    ms->next = NULL;
    if (bvc->head)
        bvc->last->next = ms;
    else
        bvc->head = ms;
    bvc->last = ms;
}

static void pop_ms(struct sched_bvc *bvc)
{
    struct sched_ms *ms = bvc->head;
    bvc->head = ms->next;
    ms->state = SCHED_STATE_IDLE;
}

static void unlink_ms(struct sched_bvc *bvc, struct sched_ms *ms)
{
    struct sched_ms **at = &bvc->head, *before = NULL;
    while (*at != ms) {
        before = *at;
        at = &(*at)->next;
    }
    *at = ms->next;
    if (bvc->last == ms)
        bvc->last = before;
    ms->state = SCHED_STATE_IDLE;
}

/* --- who is ready
 * ----------------------------------------------------------------------------------------------------- */

/* A cell that idles, or waits for a PDU whose turn may have changed, is looked at again. */
void sched_bvc_changed(struct sched *s, struct sched_bvc *bvc)
{
    if (bvc->state == SCHED_STATE_PARKED) {
        timers_cancel(&s->timers, &bvc->wake);
        bvc->state = SCHED_STATE_IDLE;
    }
    if (bvc->state == SCHED_STATE_IDLE && bvc->usable && bvc->head)
        push_bvc(s, bvc);
}

static void make_ready(struct sched *s, struct sched_ms *ms)
{
    push_ms(ms->bvc, ms);
    if (ms->bvc->state == SCHED_STATE_IDLE)
        sched_bvc_changed(s, ms->bvc);
}

/* Whether its cell is parked for the PDU of this very mobile. */
static bool holds_parked_turn(const struct sched_ms *ms)
{
    return ms->state == SCHED_STATE_READY && ms->bvc->head == ms && ms->bvc->state == SCHED_STATE_PARKED;
}

void sched_ms_changed(struct sched *s, struct sched_ms *ms)
{
    if (holds_parked_turn(ms))
        sched_bvc_changed(s, ms->bvc);
    if (ms->state != SCHED_STATE_PARKED)
        return;
    timers_cancel(&s->timers, &ms->wake);
    make_ready(s, ms);
}

void sched_bvc_use(struct sched *s, struct sched_bvc *bvc, bool usable)
{
    bvc->usable = usable;
    if (!usable && bvc->state == SCHED_STATE_READY)
        unlink_bvc(s, bvc);
    sched_bvc_changed(s, bvc);
}

static void park_ms(struct sched *s, struct sched_ms *ms, int64_t at_ns)
{
    pop_ms(ms->bvc);
    ms->state = SCHED_STATE_PARKED;
    if (at_ns != MOMENT_NEVER)
        timers_set(&s->timers, &ms->wake, at_ns);
}

static void park_bvc(struct sched *s, struct sched_bvc *bvc, int64_t at_ns)
{
    pop_bvc(s);
    bvc->state = SCHED_STATE_PARKED;
    if (at_ns != MOMENT_NEVER)
        timers_set(&s->timers, &bvc->wake, at_ns);
}

/* --- N-PDUs in, N-PDUs too old
 * ---------------------------------------------------------------------------------------- */

static void watch_age(struct sched *s, struct sched_ms *ms)
{
    int64_t expiry_ns = ms_queue_expiry_ns(&ms->queue);
    if (expiry_ns != MOMENT_NEVER && ms->expiry.pos == 0)
        timers_set(&s->timers, &ms->expiry, expiry_ns);
}

int sched_enqueue(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu)
{
    if (!ms_queue_put(&ms->queue, n_pdu))
        return DROP_QUEUE_FULL;
    if (ms->state == SCHED_STATE_IDLE) {
        make_ready(s, ms);
        watch_age(s, ms);
    }
    return DROP_NONE;
}

static void put_dropped(struct sched *s, struct n_pdu *n_pdu, int reason)
{
    n_pdu->drop_reason = (uint8_t)(n_pdu->sent_octets > 0 ? DROP_PARTIAL : reason);
    n_pdu_list_put(&s->dropped, n_pdu);
}

/* The head of a mobile's queue is another one now: nobody waits any longer for the one that was there. */
static void head_changed(struct sched *s, struct sched_ms *ms)
{
    if (ms->state == SCHED_STATE_READY) {
        bool held_turn = holds_parked_turn(ms);
        if (!ms_queue_head(&ms->queue))
            unlink_ms(ms->bvc, ms);
        if (held_turn)
            sched_bvc_changed(s, ms->bvc);
    } else if (ms->state == SCHED_STATE_PARKED) {
        timers_cancel(&s->timers, &ms->wake);
        ms->state = SCHED_STATE_IDLE;
        if (ms_queue_head(&ms->queue))
            make_ready(s, ms);
    }
    watch_age(s, ms);
}

static void drop_old(struct sched *s, struct sched_ms *ms, int64_t now)
{
    bool changed = false;
    while (ms_queue_expiry_ns(&ms->queue) <= now) {
        put_dropped(s, ms_queue_drop_head(&ms->queue), DROP_LIFETIME);
        changed = true;
    }
    if (changed)
        head_changed(s, ms);
    else
        watch_age(s, ms);
}

void sched_remove_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp)
{
    struct n_pdu_list removed = {0};
    struct n_pdu *n_pdu;
    if (ms_queue_remove_pdp(&ms->queue, pdp, &removed) == 0)
        return;
    while ((n_pdu = n_pdu_list_take(&removed)))
        put_dropped(s, n_pdu, DROP_CONTEXT_DELETED);
    head_changed(s, ms);
}

void sched_ms_flush(struct sched *s, struct sched_ms *ms, int reason)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = ms_queue_drop_head(&ms->queue)))
        put_dropped(s, n_pdu, reason);
    head_changed(s, ms);
    timers_cancel(&s->timers, &ms->expiry);
}

/* --- turns
 * ------------------------------------------------------------------------------------------------------------
 */

void sched_advance(struct sched *s, int64_t now)
{
    struct timer *timer;
    while ((timer = timers_take_due(&s->timers, now))) {
        switch (timer->kind) {
        case MS_WAKE:
            make_ready(s, OWNER(timer, struct sched_ms, wake));
            break;
        case MS_EXPIRY:
            drop_old(s, OWNER(timer, struct sched_ms, expiry), now);
            break;
        case BVC_WAKE:
            sched_bvc_changed(s, OWNER(timer, struct sched_bvc, wake));
            break;
        }
    }
}

/* The mobile whose turn it is and whose own bucket is open; those before it are parked. NULL: none. */
static struct sched_ms *turn_of(struct sched *s, struct sched_bvc *bvc, struct llc_next *next, int64_t now)
{
    struct sched_ms *ms;
    while ((ms = bvc->head)) {
        *next = ms_queue_next(&ms->queue);
        if (bucket_can_take(&ms->bucket, next->llc_octets, now))
            return ms;
        park_ms(s, ms, bucket_earliest_ns(&ms->bucket, next->llc_octets));
    }
    return NULL;
}

static void send(struct sched *s, struct sched_ms *ms, struct sched_grant *grant, int64_t now)
{
    struct sched_bvc *bvc = ms->bvc;
    const struct n_pdu *head = ms_queue_head(&ms->queue);

    grant->ms = ms;
    grant->offset = head->sent_octets;
    grant->segment = head->segment;
    bucket_take(&ms->bucket, grant->next.llc_octets, now);
    bucket_take(&bvc->bucket, grant->next.llc_octets, now);
    grant->n_pdu = ms_queue_take(&ms->queue, &grant->next);

    pop_ms(bvc);
    if (ms_queue_head(&ms->queue))
        push_ms(bvc, ms);
    pop_bvc(s);
    if (bvc->head)
        push_bvc(s, bvc);
}

bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now)
{
    struct sched_bvc *bvc;
    while ((bvc = s->head)) {
        struct sched_ms *ms = turn_of(s, bvc, &grant->next, now);
        if (!ms) {
            pop_bvc(s);
        } else if (!bucket_can_take(&bvc->bucket, grant->next.llc_octets, now)) {
            park_bvc(s, bvc, bucket_earliest_ns(&bvc->bucket, grant->next.llc_octets));
        } else {
            send(s, ms, grant, now);
            return true;
        }
    }
    return false;
}

int64_t sched_next_ns(const struct sched *s)
{
    return s->head ? INT64_MIN : timers_next_ns(&s->timers);
}
