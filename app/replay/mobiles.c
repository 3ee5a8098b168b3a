/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles of a replay in LLC's acknowledged mode: they answer SABM and acknowledge I frames. A mobile is made
 * by the first frame to it that asks for an answer; UI frames ask for none. */
#include "app/replay/replay.h"

#include "bss/bss.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"

#include <stdio.h>
#include <stdlib.h>

struct replay_mobile {
    struct ms_stack stack;
    struct timer timer; /* rank: its index */
    struct bss *bss;
    uint32_t tlli;
    uint16_t bvci;
};

/* As much as a link can have: the node's own bounds hold. */
static const struct link_values most = {.n201_i_octets = MS_STACK_NPDU_OCTETS,
                                        .t200_ds = 1,
                                        .k_down = LINK_MOST_FRAMES,
                                        .k_up = LINK_MOST_FRAMES,
                                        .n200 = 1};

static uint64_t key_of(uint32_t tlli, uint8_t sapi)
{
    return (uint64_t)tlli << 4 | sapi;
}

/* The mobile's key, if it is listed with ciphering. */
static void set_key(const struct replay *r, struct ms_stack *stack)
{
    const struct node_config *config = &r->node.config;
    stack->gea = r->node.workers[0]->gea;
    for (uint32_t i = 0; i < config->mobile_count; i++)
        if (config->list[i].tlli == stack->tlli)
            llc_cipher_key(&stack->key, &config->list[i].ciphering);
}

static struct replay_mobile *mobiles_add(struct replay *r, uint32_t tlli, uint8_t sapi)
{
    struct replay_mobiles *m = &r->mobiles;
    struct replay_mobile *mobile = calloc(1, sizeof(*mobile)), **list = NULL;
    if (mobile)
        list = reallocarray(m->list, m->count + 1, sizeof(*m->list));
    if (!list || (m->count == 0 && !u64_map_new(&m->by_key, r->node.config.limits.contexts))) {
        fprintf(stderr, "gbflow: out of memory for the mobiles of a replay\n");
        exit(1);
    }
    m->list = list;
    *mobile = (struct replay_mobile){.tlli = tlli, .timer.rank = m->count};
    mobile->stack = (struct ms_stack){.tlli = tlli, .sapi = sapi, .nsapi = SNDCP_NSAPI_MIN};
    set_key(r, &mobile->stack);
    ms_stack_acknowledge(&mobile->stack, &most);
    if (u64_map_add(&m->by_key, key_of(tlli, sapi), m->count) != 0) {
        ms_stack_fini(&mobile->stack);
        free(mobile);
        return NULL;
    }
    return m->list[m->count++] = mobile;
}

static struct replay_mobile *mobiles_find(struct replay *r, uint32_t tlli, const struct llc *header)
{
    struct replay_mobiles *m = &r->mobiles;
    uint32_t i = m->count ? u64_map_get(&m->by_key, key_of(tlli, header->sapi)) : U64_MAP_NONE;
    if (i != U64_MAP_NONE)
        return m->list[i];
    bool is_begin = header->format == LLC_U && header->command == LLC_SABM;
    return is_begin ? mobiles_add(r, tlli, header->sapi) : NULL;
}

static void plan(struct replay *r, struct replay_mobile *mobile)
{
    int64_t due_ns = ms_stack_due_ns(&mobile->stack);
    if (due_ns == MOMENT_NEVER)
        timers_cancel(&r->mobiles.timers, &mobile->timer);
    else
        timers_set(&r->mobiles.timers, &mobile->timer, due_ns);
}

void replay_mobiles_take(void *replay, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now)
{
    struct replay *r = replay;
    struct llc header;
    size_t n_pdu_octets;
    uint16_t number;
    if (llc_decode(&header, llc_pdu, octets) < 0 || header.format == LLC_UI ||
        (header.format == LLC_U && header.command == LLC_XID))
        return;
    struct replay_mobile *mobile = mobiles_find(r, tlli, &header);
    if (!mobile)
        return;
    mobile->bss = r->far.delivering;
    mobile->bvci = bvci;
    const uint8_t *n_pdu = ms_stack_receive(&mobile->stack, llc_pdu, octets, &n_pdu_octets, &number, now);
    while (n_pdu)
        n_pdu = ms_stack_receive_more(&mobile->stack, &n_pdu_octets, &number, now);
    plan(r, mobile);
}

struct way_up {
    const struct replay_mobile *mobile;
    int64_t now;
};

static void send_up(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    const struct way_up *way = arg;
    bss_ul_put(way->mobile->bss, way->mobile->bvci, way->mobile->tlli, llc_pdu, octets, way->now);
}

int64_t replay_mobiles_step(void *replay, int64_t now)
{
    struct replay *r = replay;
    struct timer *timer;
    while ((timer = timers_take_due(&r->mobiles.timers, now))) {
        struct replay_mobile *mobile = r->mobiles.list[timer->rank];
        ms_stack_step(&mobile->stack, send_up, &(struct way_up){mobile, now}, now);
        plan(r, mobile);
    }
    return timers_next_ns(&r->mobiles.timers);
}

void replay_mobiles_free(struct replay_mobiles *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        ms_stack_fini(&m->list[i]->stack);
        free(m->list[i]);
    }
    if (m->count)
        u64_map_free(&m->by_key);
    timers_free(&m->timers);
    free(m->list);
    *m = (struct replay_mobiles){0};
}
