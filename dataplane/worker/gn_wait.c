/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gn_wait: datagrams on Gn that wait for their next hop.
 * Exits: DROP_NO_NEXT_HOP.
 */
#include "dataplane/worker/gn_wait.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <string.h>

static uint32_t count_to(const struct gn_wait *wait, uint32_t ip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wait->count; i++)
        count += wait->list[i].way.dst_ip == ip;
    return count;
}

bool gn_wait_has(const struct gn_wait *wait, uint32_t ip)
{
    return count_to(wait, ip) > 0;
}

/* Of the worker's own answers, to a queue that gets or loses one of this way. */
static void count_answer(struct worker *w, const struct gn_way *way, int more)
{
    w->wait.answers += way->is_answer ? (uint32_t)more : 0;
    w->stats.gn_answers_held += way->unsent == &w->stats.gn_answers_unsent ? (uint64_t)(int64_t)more : 0;
}

static struct gn_wait_item take_at(struct worker *w, uint32_t i)
{
    struct gn_wait *wait = &w->wait;
    struct gn_wait_item item = wait->list[i];
    wait->count--;
    count_answer(w, &item.way, -1);
    memmove(&wait->list[i], &wait->list[i + 1], (wait->count - i) * sizeof(wait->list[0]));
    return item;
}

void gn_wait_lose(struct worker *w, const struct gn_wait_item *item, enum drop reason)
{
    (*(item->way.unsent ? item->way.unsent : &w->stats.gn_unsent[reason]))++;
    rte_pktmbuf_free(item->mbuf);
}

static void lose_at(struct worker *w, uint32_t i)
{
    struct gn_wait_item item = take_at(w, i);
    gn_wait_lose(w, &item, DROP_NO_NEXT_HOP);
}

/* Loses the oldest of those with which this one shares a limit that is reached. */
static void make_room(struct worker *w, const struct gn_way *way)
{
    struct gn_wait *wait = &w->wait;
    bool is_answer = way->is_answer && wait->answers == GN_WAIT_ANSWERS,
         is_there = !is_answer && count_to(wait, way->dst_ip) >= GN_WAIT_EACH;
    uint32_t i = 0;
    if (!is_answer && !is_there && wait->count < GN_WAIT_MOST)
        return;
    while ((is_answer && !wait->list[i].way.is_answer) ||
           (is_there && wait->list[i].way.dst_ip != way->dst_ip))
        i++;
    lose_at(w, i);
}

bool gn_wait_put(struct worker *w, struct rte_mbuf *mbuf, const struct gn_way *way, int64_t now)
{
    struct gn_wait *wait = &w->wait;
    if (way->is_kept || way->dst_ip == ADDRESS_NONE)
        return false;
    make_room(w, way);
    struct gn_wait_item *item = &wait->list[wait->count++];
    *item = (struct gn_wait_item){.mbuf = mbuf, .way = *way, .until_ns = now + GN_WAIT_NS};
    item->way.dst_ipv6 = NULL; /* of the frame that is answered */
    count_answer(w, way, 1);
    return true;
}

bool gn_wait_take(struct worker *w, uint32_t ip, struct gn_wait_item *item)
{
    uint32_t i = 0;
    while (i < w->wait.count && w->wait.list[i].way.dst_ip != ip)
        i++;
    if (i == w->wait.count)
        return false;
    *item = take_at(w, i);
    return true;
}

void gn_wait_expire(struct worker *w, int64_t now)
{
    while (gn_wait_next_ns(&w->wait) <= now)
        lose_at(w, 0);
}

void gn_wait_free(struct gn_wait *wait)
{
    for (uint32_t i = 0; i < wait->count; i++)
        rte_pktmbuf_free(wait->list[i].mbuf);
    wait->count = 0;
}
