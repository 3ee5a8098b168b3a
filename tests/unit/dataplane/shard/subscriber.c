/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/shard/subscriber.h"

#include "dataplane/base/n_pdu.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"

#include <rte_ring.h>
#include <stdlib.h>
#include <string.h>

#define NS_OFFSET 42 /* of the NS PDU in a frame */

/* --- slots and requests --- */

uint32_t subscriber_slot(uint32_t id, unsigned worker)
{
    return (id + 5 * worker) % CLUSTER_MOBILES;
}

uint32_t subscriber_pdp_slot(uint32_t id, unsigned context, unsigned worker)
{
    return (SUBSCRIBER_CONTEXTS * id + context + 7 * worker) % CLUSTER_PDPS;
}

struct msg subscriber_add(struct subscribers *s, uint32_t id, unsigned home, uint16_t bvc)
{
    struct subscriber *who = &s->list[id];
    unsigned receiver = who->receiver;
    uint8_t generation = who->generation;
    struct msg msg = {.type = MSG_MS_ADD, .slot = subscriber_slot(id, home)};

    memset(who, 0, sizeof(*who));
    who->id = id;
    who->tlli = KIT_TLLI + id;
    who->is_there = true;
    who->home = who->server = home;
    who->receiver = receiver;
    who->bvc = bvc;
    who->generation = generation;
    msg.ms = (struct ms_params){.tlli = who->tlli,
                                .bvc = bvc,
                                .n201_u = s->cluster->options.n201_u,
                                .queue_limit_octets = s->cluster->options.queue_limit_octets};
    return msg;
}

struct msg subscriber_add_context(struct subscribers *s, uint32_t id, unsigned context)
{
    struct subscriber *who = &s->list[id];
    struct subscriber_context *c = &who->contexts[context];
    uint32_t slot = subscriber_pdp_slot(id, context, who->home);
    struct msg msg;

    memset(c, 0, sizeof(*c));
    c->is_there = true;
    who->generation = (uint8_t)(who->generation % teid_generations(TEID_SLOT_BITS) + 1);
    c->teid = teid_make(who->home, who->generation, slot, TEID_SLOT_BITS);
    msg = kit_pdp(slot, subscriber_slot(id, who->home), (uint8_t)(5 + context), c->teid);
    msg.pdp.pfi = N_PDU_NO_PFI;
    msg.server_pdp = subscriber_pdp_slot(id, context, who->server);
    return msg;
}

void subscriber_begin(struct subscribers *s, uint32_t id, unsigned home, uint16_t bvc)
{
    struct msg ms = subscriber_add(s, id, home, bvc), pdp = subscriber_add_context(s, id, 0);
    cluster_do(s->cluster, home, &ms);
    cluster_do(s->cluster, home, &pdp);
}

struct msg subscriber_move(const struct subscribers *s, uint32_t id, unsigned worker, uint16_t bvc)
{
    const struct subscriber *who = &s->list[id];
    struct msg msg = {.type = MSG_MS_MOVE, .slot = subscriber_slot(id, who->home)};
    msg.place = (struct msg_place){.worker = (uint16_t)worker, .bvc = bvc, .ms = subscriber_slot(id, worker)};
    for (unsigned k = 0; k < MS_NSAPIS; k++)
        msg.place.pdps[k] = k < SUBSCRIBER_CONTEXTS && who->contexts[k].is_there
                                ? subscriber_pdp_slot(id, k, worker)
                                : MS_PDP_NONE;
    return msg;
}

void subscriber_moved(struct subscribers *s, uint32_t id, unsigned worker, uint16_t bvc)
{
    s->list[id].server = worker;
    s->list[id].bvc = bvc;
}

int subscriber_go(struct subscribers *s, uint32_t id, unsigned worker, uint16_t bvc)
{
    struct msg msg = subscriber_move(s, id, worker, bvc);
    int status = cluster_order(s->cluster, s->list[id].home, &msg);
    if (status == 0)
        subscriber_moved(s, id, worker, bvc);
    return status;
}

/* --- Gn --- */

size_t subscriber_build(struct subscribers *s, uint32_t id, unsigned context, uint16_t octets, uint8_t *frame)
{
    struct subscriber_context *c = &s->list[id].contexts[context];
    struct gn_frame in = {.teid = c->teid, .inner_octets = octets, .seed = c->next_seed};

    assert_true(c->sent - c->seen < SUBSCRIBER_EXPECTED);
    c->expected[c->sent++ % SUBSCRIBER_EXPECTED] = (struct subscriber_sent){octets, c->next_seed++};
    return gn_frame_build(frame, &in);
}

bool subscriber_send(struct subscribers *s, uint32_t id, unsigned context, uint16_t octets)
{
    struct vport *port = &s->cluster->nodes[s->list[id].receiver].gn;
    uint8_t frame[KIT_FRAME_OCTETS];
    if (rte_ring_full(port->to_worker))
        return false;
    size_t frame_octets = subscriber_build(s, id, context, octets, frame);
    assert_int_equal(vport_push(port, frame, frame_octets), 0);
    return true;
}

/* --- Gb --- */

/* An LLC-PDU of a user in DL-UNITDATA. */
struct received {
    uint32_t tlli;
    uint16_t bvci, nu, number;
    uint8_t nsapi, segment;
    bool is_first, is_last;
    const uint8_t *data;
    size_t octets;
};

static uint32_t get(const uint8_t *at, unsigned octets)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < octets; i++)
        value = value << 8 | at[i];
    return value;
}

/* The LLC-PDU behind the information elements in front of it. */
static const uint8_t *find_llc(const uint8_t *at, const uint8_t *end, size_t *octets)
{
    while (at + 2 < end) {
        uint8_t tag = *at++;
        bool is_short = *at & 0x80;
        *octets = is_short ? *at & 0x7fu : get(at, 2);
        at += is_short ? 1 : 2;
        if (tag == 0x0e && at + *octets == end)
            return at;
        at += *octets;
    }
    fail_msg("no LLC-PDU");
    return NULL;
}

static void parse_sndcp(struct received *r, const uint8_t *at, size_t octets)
{
    unsigned header = at[0] & 0x40 ? 4 : 3;
    r->is_first = header == 4;
    r->is_last = !(at[0] & 0x10);
    r->nsapi = at[0] & 15;
    r->segment = at[header - 2] >> 4;
    r->number = get(at + header - 2, 2) & 0xfff;
    r->data = at + header;
    r->octets = octets - header;
}

static void parse(struct received *r, const uint8_t *frame, size_t octets)
{
    const uint8_t *ns = frame + NS_OFFSET;
    size_t llc_octets;

    assert_int_equal(get(ns, 2), 0); /* NS-UNITDATA */
    assert_int_equal(ns[4], 0);      /* DL-UNITDATA */
    r->bvci = (uint16_t)get(ns + 2, 2);
    r->tlli = get(ns + 5, 4);
    const uint8_t *llc = find_llc(ns + 12, frame + octets, &llc_octets);
    assert_int_equal(llc[0], 0x40 | KIT_SAPI);
    assert_int_equal(llc[1] & 0xf8, 0xc0);
    uint32_t fcs = gb_frame_fcs(llc, llc_octets - 3);
    assert_int_equal(fcs, llc[llc_octets - 3] | llc[llc_octets - 2] << 8 | llc[llc_octets - 1] << 16);
    r->nu = get(llc + 1, 2) >> 2 & 0x1ff;
    parse_sndcp(r, llc + 3, llc_octets - 6);
}

/* A whole N-PDU is the next one that was sent; or a later one, if some may be lost. */
static void take_n_pdu(const struct subscribers *s, struct subscriber_context *c, uint32_t id)
{
    uint8_t want[KIT_FRAME_OCTETS];
    for (; c->seen != c->sent; c->seen++) {
        const struct subscriber_sent *sent = &c->expected[c->seen % SUBSCRIBER_EXPECTED];
        gn_frame_inner(want, sent->octets, sent->seed);
        if (sent->octets == c->octets && memcmp(want, c->n_pdu, c->octets) == 0) {
            c->seen++;
            return;
        }
        if (!s->may_lose)
            fail_msg("mobile %u: not the N-PDU that is next (drops: %s)", id, cluster_why(s->cluster));
        c->skipped++;
    }
    fail_msg("mobile %u: an N-PDU that was not sent, or sent before another that came", id);
}

static void take_segment(const struct subscribers *s, struct subscriber *who, const struct received *r)
{
    assert_true(r->nsapi >= 5 && r->nsapi < 5 + SUBSCRIBER_CONTEXTS);
    struct subscriber_context *c = &who->contexts[r->nsapi - 5];
    if (r->is_first && c->segment > 0 && s->may_lose) {
        c->segment = 0; /* the rest of the one before will not come */
        c->number = (uint16_t)((c->number + 1) % 4096);
    }
    assert_int_equal(r->is_first, c->segment == 0);
    assert_int_equal(r->segment, c->segment);
    assert_int_equal(r->number, c->number);
    c->octets = c->segment == 0 ? 0 : c->octets;
    memcpy(c->n_pdu + c->octets, r->data, r->octets);
    c->octets += (uint32_t)r->octets;
    c->segment++;
    if (!r->is_last)
        return;
    c->segment = 0;
    c->number = (uint16_t)((c->number + 1) % 4096);
    take_n_pdu(s, c, who->id);
}

struct subscriber_heading subscriber_heading(const uint8_t *frame, size_t octets)
{
    struct received r;
    parse(&r, frame, octets);
    return (struct subscriber_heading){.tlli = r.tlli, .nu = r.nu};
}

void subscriber_take_frame(struct subscribers *s, unsigned worker, const uint8_t *frame, size_t octets)
{
    struct received r;
    parse(&r, frame, octets);
    uint32_t id = r.tlli - KIT_TLLI;
    assert_true(id < CLUSTER_MOBILES && s->list[id].is_there);
    struct subscriber *who = &s->list[id];
    assert_int_equal(r.nu, who->nu);
    who->nu = (who->nu + 1) % 512;
    who->frames++;
    who->last_worker = worker;
    who->last_bvci = r.bvci;
    take_segment(s, who, &r);
}

static void on_gb(void *arg, unsigned worker, const uint8_t *frame, size_t octets)
{
    subscriber_take_frame(arg, worker, frame, octets);
}

void subscriber_open_all(struct subscribers *s, struct cluster *c)
{
    memset(s, 0, sizeof(*s));
    s->cluster = c;
    c->on_gb = on_gb;
    c->arg = s;
}

void subscriber_check_all_came(const struct subscribers *s)
{
    for (uint32_t id = 0; id < CLUSTER_MOBILES; id++)
        for (unsigned k = 0; s->list[id].is_there && k < SUBSCRIBER_CONTEXTS; k++)
            if (s->list[id].contexts[k].seen != s->list[id].contexts[k].sent)
                fail_msg("mobile %u: %u N-PDUs have not come", id,
                         s->list[id].contexts[k].sent - s->list[id].contexts[k].seen);
}

struct subscribers *subscribers;

int subscriber_start(void **state)
{
    subscribers = calloc(1, sizeof(*subscribers));
    return subscribers ? kit_start(state) : -1;
}

int subscriber_stop(void **state)
{
    free(subscribers);
    return 0;
}
