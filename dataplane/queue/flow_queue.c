/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/flow_queue.h"

static uint32_t waiting(const struct n_pdu *n_pdu)
{
    return (uint32_t)(n_pdu->octets - n_pdu->sent_octets);
}

struct n_pdu *flow_queue_drop_waiting(struct flow_queue *q)
{
    struct n_pdu *head = q->list.head;
    if (!head || head->sent_octets == 0)
        return flow_queue_drop_head(q);
    struct n_pdu *second = head->next;
    if (!second)
        return NULL;
    head->next = second->next;
    head->next_octets = second->next_octets;
    if (q->list.last == second)
        q->list.last = head;
    q->octets -= waiting(second);
    q->pkts--;
    return second;
}

uint32_t flow_queue_remove_pdp(struct flow_queue *q, uint32_t pdp, struct n_pdu_list *out)
{
    struct n_pdu_list all = q->list;
    struct n_pdu *n_pdu;
    uint32_t removed = 0;

    *q = (struct flow_queue){0};
    while ((n_pdu = n_pdu_list_take(&all))) {
        if (n_pdu->pdp != pdp) {
            flow_queue_put(q, n_pdu);
            continue;
        }
        n_pdu_list_put(out, n_pdu);
        removed++;
    }
    return removed;
}
