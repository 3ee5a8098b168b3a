/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/ms_queue.h"

#include "dataplane/base/moment.h"

static uint32_t waiting(const struct n_pdu *n_pdu)
{
    return (uint32_t)(n_pdu->octets - n_pdu->sent_octets);
}

bool ms_queue_put(struct ms_queue *q, struct n_pdu *n_pdu)
{
    if (q->octets > q->limit_octets || n_pdu->octets > q->limit_octets - q->octets)
        return false;
    n_pdu_list_put(&q->list, n_pdu);
    q->octets += n_pdu->octets;
    q->pkts++;
    return true;
}

struct llc_next ms_queue_next(const struct ms_queue *q)
{
    const struct segmenting *s = &q->segmenting;
    const struct n_pdu *n_pdu = q->list.head;
    bool first = n_pdu->segment == 0;
    uint32_t room = first ? s->first_octets : s->next_octets;
    uint32_t left = waiting(n_pdu);
    uint32_t payload = left < room ? left : room;
    return (struct llc_next){
        .payload_octets = (uint16_t)payload,
        .llc_octets = (uint16_t)(payload + (first ? s->first_overhead_octets : s->next_overhead_octets)),
        .last = payload == left,
    };
}

struct n_pdu *ms_queue_take(struct ms_queue *q, const struct llc_next *next)
{
    struct n_pdu *n_pdu = q->list.head;
    n_pdu->sent_octets = (uint16_t)(n_pdu->sent_octets + next->payload_octets);
    n_pdu->segment++;
    q->octets -= next->payload_octets;
    if (next->last)
        ms_queue_drop_head(q);
    return n_pdu;
}

struct n_pdu *ms_queue_drop_head(struct ms_queue *q)
{
    struct n_pdu *n_pdu = n_pdu_list_take(&q->list);
    if (n_pdu) {
        q->octets -= waiting(n_pdu);
        q->pkts--;
    }
    return n_pdu;
}

uint32_t ms_queue_remove_pdp(struct ms_queue *q, uint32_t pdp, struct n_pdu_list *out)
{
    struct n_pdu_list all = q->list;
    struct n_pdu *n_pdu;
    uint32_t removed = 0;

    q->list = (struct n_pdu_list){0};
    while ((n_pdu = n_pdu_list_take(&all))) {
        if (n_pdu->pdp != pdp) {
            n_pdu_list_put(&q->list, n_pdu);
            continue;
        }
        q->octets -= waiting(n_pdu);
        q->pkts--;
        n_pdu_list_put(out, n_pdu);
        removed++;
    }
    return removed;
}

int64_t ms_queue_expiry_ns(const struct ms_queue *q)
{
    if (!q->list.head || q->max_age_ns == MOMENT_NEVER)
        return MOMENT_NEVER;
    return moment_add(q->list.head->arrival_ns, q->max_age_ns + 1);
}
