/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_share.h"
#include "dataplane/worker/shares.h"

#include <rte_common.h>
#include <rte_ring.h>

static void begin(struct core_share_round *round, unsigned messages)
{
    *round =
        (struct core_share_round){.number = round->number + 1, .left = messages, .previous = round->shares};
}

static void enter(struct core_share_round *round, struct share_row *row)
{
    if (row->round == round->number)
        return;
    row->round = round->number;
    row->spent_ns = 0;
    round->shares++;
}

bool core_share_take(struct core_share_round *round, const struct msg_rings *rings, struct msg *msg)
{
    unsigned messages = round->left > 0 ? round->left : rte_ring_count(rings->to_control);
    if (messages == 0)
        return false;
    if (round->left == 0)
        begin(round, messages);
    round->left--;
    if (!shares_take(rings, msg))
        return false;
    if (msg->share != SHARE_NONE)
        enter(round, &rings->shares->rows[msg->share]);
    return true;
}

/* A worker tells but once that a mobile is to be paged. */
bool core_share_is_late(const struct core_share_round *round, const struct msg_rings *rings,
                        const struct msg *msg, int64_t round_ns)
{
    if (msg->share == SHARE_NONE || msg->share == SHARE_PAGING)
        return false;
    const struct shares *s = rings->shares;
    struct share_row *row = &s->rows[msg->share];
    int64_t part_ns = round_ns / RTE_MAX(round->shares, round->previous);
    if (row->spent_ns < RTE_MAX(part_ns, CORE_SHARE_LEAST_NS) ||
        shares_waiting(s, SHARE_NONE) <= shares_waiting(s, msg->share))
        return false;
    shares_count_late(s, msg->share);
    return true;
}

void core_share_charge(const struct msg_rings *rings, const struct msg *msg, int64_t spent_ns)
{
    if (msg->share != SHARE_NONE)
        rings->shares->rows[msg->share].spent_ns += spent_ns;
}
