/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/flow_queue.h"

#include "dataplane/base/moment.h"

#define NS_PER_CS      INT64_C(10000000)
#define LONGEST_PDU_CS (LIFETIME_INFINITE_CS - 1)

int64_t lifetime_max_age_ns(const struct lifetime *l)
{
    if (l->sgsn_max_ns == MOMENT_NEVER || l->mode != LIFETIME_SPLIT)
        return l->sgsn_max_ns;
    return moment_max(-1, l->sgsn_max_ns - l->bss_min_ns);
}

static int64_t remaining_ns(const struct lifetime *l, int64_t age_ns)
{
    switch (l->mode) {
    case LIFETIME_SGSN_ONLY:
        return MOMENT_NEVER;
    case LIFETIME_PER_NODE:
        return l->bss_max_ns;
    case LIFETIME_SPLIT:
        break;
    }
    int64_t left = l->sgsn_max_ns == MOMENT_NEVER ? MOMENT_NEVER : l->sgsn_max_ns - age_ns;
    return moment_min(left, l->bss_max_ns);
}

uint16_t lifetime_pdu_cs(const struct lifetime *l, int64_t age_ns)
{
    int64_t left = remaining_ns(l, age_ns);
    if (left == MOMENT_NEVER)
        return LIFETIME_INFINITE_CS;
    return (uint16_t)moment_min(left / NS_PER_CS, LONGEST_PDU_CS);
}

static uint32_t waiting(const struct n_pdu *n_pdu)
{
    return (uint32_t)(n_pdu->octets - n_pdu->sent_octets);
}

void flow_queue_spare(const struct flow_queue *q, int64_t since_ns, int64_t now)
{
    for (struct n_pdu *n_pdu = q->list.head; n_pdu; n_pdu = n_pdu->next)
        n_pdu->arrival_ns += now - moment_max(n_pdu->arrival_ns, since_ns);
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
