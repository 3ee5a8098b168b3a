/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/abm/sn_ack.h"

static struct sn_ack_n_pdu *slot_of(const struct sn_ack *s, uint8_t number)
{
    return &s->slots[number % SN_ACK_SLOTS];
}

static uint8_t distance(uint8_t from, uint8_t to)
{
    return (uint8_t)(to - from);
}

int sn_ack_put(struct sn_ack *s, void *n_pdu, unsigned segments)
{
    if (distance(s->confirmed, s->put) >= SN_ACK_MAX)
        return -1;
    *slot_of(s, s->put) = (struct sn_ack_n_pdu){n_pdu, (uint8_t)segments, (uint8_t)segments};
    return s->put++;
}

void *sn_ack_offer(struct sn_ack *s, uint8_t *number)
{
    if (s->offered == s->put)
        return NULL;
    *number = s->offered++;
    return slot_of(s, *number)->n_pdu;
}

void *sn_ack_confirm(struct sn_ack *s)
{
    if (s->confirmed == s->offered)
        return NULL;
    struct sn_ack_n_pdu *oldest = slot_of(s, s->confirmed);
    if (--oldest->left > 0)
        return NULL;
    s->confirmed++;
    return oldest->n_pdu;
}

void *sn_ack_sequence(struct sn_ack *s, uint8_t receive)
{
    uint8_t before = distance(s->confirmed, receive);
    if (before == 0 || before > distance(s->confirmed, s->put))
        return NULL;
    if (s->offered == s->confirmed)
        s->offered++;
    return slot_of(s, s->confirmed++)->n_pdu;
}

/* A first segment. Without recovery LLC has kept the order, and the number is the sender's affair. */
static enum sn_ack_fate begin(struct sn_ack *s, const struct sn_data *in)
{
    bool is_before = (uint8_t)(distance(in->number, s->receive) - 1) < SN_ACK_MAX;
    bool is_again = s->is_recovering && is_before;
    s->is_partial = false;
    s->is_skipping = is_again && in->more;
    if (is_again)
        return SN_ACK_AGAIN;
    s->is_recovering = false;
    s->receive = in->number;
    s->is_partial = in->more;
    if (in->more)
        return SN_ACK_BEGIN;
    s->receive++;
    return SN_ACK_WHOLE;
}

enum sn_ack_fate sn_ack_receive(struct sn_ack *s, const struct sn_data *in)
{
    if (in->first)
        return begin(s, in);
    if (s->is_skipping) {
        s->is_skipping = in->more;
        return SN_ACK_AGAIN;
    }
    if (!s->is_partial)
        return SN_ACK_ERROR;
    if (in->more)
        return SN_ACK_APPEND;
    s->is_partial = false;
    s->receive++;
    return SN_ACK_END;
}

void sn_ack_skip(struct sn_ack *s)
{
    if (!s->is_partial)
        return;
    s->is_partial = false;
    s->is_skipping = true;
    s->receive++;
}

void sn_ack_established(struct sn_ack *s)
{
    for (uint8_t number = s->confirmed; number != s->offered; number++)
        slot_of(s, number)->left = slot_of(s, number)->segments;
    s->offered = s->confirmed;
    s->is_partial = s->is_skipping = false;
    s->is_recovering = true;
}
