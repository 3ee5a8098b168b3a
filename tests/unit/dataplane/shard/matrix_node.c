/* SPDX-License-Identifier: BSD-3-Clause */
/* The node with its mobiles: how it is made of features, what is seen of it, and what must hold. */
#include "tests/unit/dataplane/shard/matrix.h"
#include "tests/unit/dataplane/shard/matrix_features.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include "dataplane/abm/link.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/fate.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

enum { CELL = 1, DATA = 500, TICK_MS = 100 };

/* --- rings, ports, time --- */

static void see_gn(struct matrix *m, const uint8_t *frame)
{
    bool is_ipv6 = frame[12] == 0x86 && frame[13] == 0xdd;
    bool is_esp = frame[is_ipv6 ? 20 : 23] == 50;
    m->seen.ipv6_gn += is_ipv6;
    m->seen.esp_gn += is_esp;
    assert_true(is_esp || !matrix_has(m, MATRIX_ESP_GN));
}

static void see_gb(void *arg, unsigned unused_worker, const uint8_t *frame, size_t octets)
{
    struct matrix *m = arg;
    bool is_ipv6 = frame[12] == 0x86 && frame[13] == 0xdd;
    bool is_esp = frame[is_ipv6 ? 20 : 23] == 50;
    unsigned tos = is_ipv6 ? (frame[14] << 4 | frame[15] >> 4) & 0xff : frame[15];
    m->seen.ipv6_gb += is_ipv6;
    m->seen.esp_gb += is_esp;
    m->seen.marked_gb += tos >> 2 == MATRIX_DSCP;
    assert_true(is_esp || !matrix_has(m, MATRIX_ESP_GB));
}

static void take_gn(struct matrix *m, unsigned worker)
{
    struct rte_mbuf *mbuf;
    while ((mbuf = vport_pull(&m->c.nodes[worker].gn))) {
        see_gn(m, rte_pktmbuf_mtod(mbuf, const uint8_t *));
        rte_pktmbuf_free(mbuf);
    }
}

static void take_told(struct matrix *m, unsigned worker)
{
    struct msg msg;
    while (cluster_take_told(&m->c, worker, &msg)) {
        m->seen.pages += msg.type == MSG_PAGE_WANTED;
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
    }
}

static void take_records(struct matrix *m, unsigned worker)
{
    struct trace_event event;
    for (; tap_get(&matrix_taps[worker]); m->seen.taps++)
        tap_done(&matrix_taps[worker]);
    while (m->c.nodes[worker].worker->trace && fate_trace_take(m->c.nodes[worker].worker->trace, &event))
        m->seen.traces++;
}

/* Answers of the worker are those of stats.h. */
static void check_answers(const struct worker_stats *s)
{
    assert_int_equal(s->gn_answers_due, s->gn_echo_responses + s->gn_error_indications +
                                            s->gn_extension_notifications + s->gn_rate_limited +
                                            s->gn_unanswerable + s->gn_answers_unsent + s->gn_answers_held);
    assert_int_equal(s->gn_drops[DROP_NONE] + s->gb_drops[DROP_NONE], 0);
}

void matrix_settle(struct matrix *m)
{
    cluster_settle(&m->c);
    for (unsigned i = 0; i < MATRIX_WORKERS; i++) {
        take_gn(m, i);
        take_told(m, i);
        take_records(m, i);
        check_answers(cluster_stats(&m->c, i));
    }
}

static void pass(struct matrix *m, int64_t ns)
{
    for (int64_t end = m->c.now + ns; m->c.now < end;) {
        m->c.now += TICK_MS * KIT_MS;
        matrix_settle(m);
    }
}

int matrix_order(struct matrix *m, const struct msg *msg)
{
    int status = cluster_order(&m->c, 0, msg);
    matrix_settle(m);
    return status;
}

uint64_t matrix_drops(const struct matrix *m, enum matrix_port port, unsigned reason)
{
    return port == MATRIX_GN ? CLUSTER_SUM(&m->c, gn_drops[reason]) : CLUSTER_SUM(&m->c, gb_drops[reason]);
}

/* --- mobiles --- */

uint32_t matrix_slot(enum matrix_who who, unsigned worker)
{
    return (uint32_t)who + 5 * worker;
}

/* The bystander's at their home are the NSAPIs of all, which N-PDUs have in place of slots between workers.
 */
uint32_t matrix_pdp_slot(enum matrix_who who, unsigned context, unsigned worker)
{
    return KIT_NSAPI + (uint32_t)who * MATRIX_CONTEXTS + context + 9 * worker;
}

static struct msg context_of(const struct matrix *m, enum matrix_who who, unsigned context)
{
    bool is_ipv6 = matrix_has(m, MATRIX_IPV6_TRANSPORT);
    const struct matrix_mobile *mobile = &m->mobiles[who];
    uint32_t slot = matrix_pdp_slot(who, context, 0);
    struct msg msg =
        kit_pdp(slot, matrix_slot(who, 0), (uint8_t)(KIT_NSAPI + context), mobile->teids[context]);
    msg.server_pdp = matrix_pdp_slot(who, context, mobile->server);
    msg.pdp.sgsn_ip = is_ipv6 ? GN_IPV6_SGSN : KIT_SGSN_IP;
    msg.pdp.ggsn_ip = is_ipv6 ? GN_IPV6_GGSN : KIT_GGSN_IP;
    msg.pdp.ggsn_teid = KIT_GGSN_TEID + slot;
    msg.pdp.sapi = context == 0 ? KIT_SAPI : KIT_SAPI + 2;
    msg.pdp.ip_version = matrix_has(m, MATRIX_IPV6_USERS) ? 6 : 4;
    msg.pdp.address = 0x0a000007u + who;
    msg.pdp.prefix = UINT64_C(0x20010db800070000) + who;
    return msg;
}

void matrix_add(struct matrix *m, enum matrix_who who)
{
    struct matrix_mobile *mobile = &m->mobiles[who];
    unsigned generation = ++mobile->generation;
    *mobile = (struct matrix_mobile){
        .tlli = KIT_TLLI + who, .generation = generation, .bvc = who == MATRIX_BYSTANDER ? 0 : CELL};
    struct msg ms = {.type = MSG_MS_ADD, .slot = matrix_slot(who, 0)};
    ms.ms = (struct ms_params){.tlli = mobile->tlli,
                               .bvc = mobile->bvc,
                               .n201_u = m->c.options.n201_u,
                               .queue_limit_octets = m->c.options.queue_limit_octets};
    cluster_do(&m->c, 0, &ms);
    for (unsigned i = 0; i < MATRIX_CONTEXTS; i++) {
        mobile->teids[i] = teid_make(0, generation, matrix_pdp_slot(who, i, 0), TEID_SLOT_BITS);
        struct msg pdp = context_of(m, who, i);
        cluster_do(&m->c, 0, &pdp);
    }
}

struct msg matrix_move(const struct matrix *m, enum matrix_who who, unsigned worker, uint16_t bvc)
{
    struct msg msg = {.type = MSG_MS_MOVE, .slot = matrix_slot(who, 0)};
    msg.place = (struct msg_place){.worker = (uint16_t)worker, .bvc = bvc, .ms = matrix_slot(who, worker)};
    for (unsigned k = 0; k < MS_NSAPIS; k++)
        msg.place.pdps[k] = k < MATRIX_CONTEXTS ? matrix_pdp_slot(who, k, worker) : MS_PDP_NONE;
    return msg;
}

void matrix_flow(struct matrix *m, uint64_t octets, uint64_t rate_bps)
{
    for (unsigned i = 0; i < MATRIX_WORKERS; i++)
        cluster_flow(&m->c, i, CELL, octets, rate_bps);
}

void matrix_fill(struct matrix *m)
{
    matrix_flow(m, 700, 0);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < MATRIX_CONTEXTS; k++)
            matrix_down(m, MATRIX_VICTIM, k, 900);
    matrix_up_half(m, MATRIX_VICTIM);
}

/* --- the node --- */

static void order_ipv6(struct matrix *m)
{
    for (unsigned i = 0; i < MATRIX_WORKERS; i++)
        for (uint32_t place = 0; place < 5; place++) {
            const uint8_t *from = place < 3 ? gn_ipv6_addresses[place] : matrix_gb_addresses[place - 3];
            struct msg msg = {.type = MSG_GN_IPV6, .ipv6 = {.place = place}};
            memcpy(msg.ipv6.octets, from, sizeof(msg.ipv6.octets));
            cluster_do(&m->c, i, &msg);
        }
}

/* The cells' NS-VC is in IPv6. */
static void order_transport(struct matrix *m)
{
    struct msg nsvc = kit_nsvc(1);
    nsvc.nsvc.local_ip = address_of_place(3);
    nsvc.nsvc.remote_ip = address_of_place(4);
    order_ipv6(m);
    for (unsigned i = 0; i < MATRIX_WORKERS && matrix_has(m, MATRIX_IPV6_TRANSPORT); i++) {
        const struct msg orders[] = {
            nsvc,
            {.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true},
            {.type = MSG_NSVC_STATE, .slot = 0, .is_usable = false},
            {.type = MSG_GN_ADDRESS, .address = {.ip = GN_IPV6_SGSN, .is_there = true}},
        };
        for (unsigned k = 0; k < COUNT(orders); k++)
            cluster_do(&m->c, i, &orders[k]);
    }
}

/* Until the victim's flow is slow, and what it is sent waits, is dropped and delivered. */
static void congest(struct matrix *m)
{
    matrix_flow(m, 2000, 64000);
    for (unsigned i = 0; i < 16; i++) {
        matrix_down(m, MATRIX_VICTIM, 0, DATA);
        matrix_down_other(m, MATRIX_VICTIM, i * DATA, DATA);
    }
    pass(m, 6 * MOMENT_SECOND);
    matrix_flow(m, 1000000, 0);
    m->mobiles[MATRIX_VICTIM].acked += 2 * DATA;
    matrix_up(m, MATRIX_VICTIM, 0);
    matrix_up(m, MATRIX_VICTIM, 20);
    matrix_down(m, MATRIX_VICTIM, 1, DATA);
}

/* What the bystander has had last comes again. */
static void repeat(struct matrix *m)
{
    m->mobiles[MATRIX_BYSTANDER].seq -= DATA;
    matrix_down(m, MATRIX_BYSTANDER, 0, DATA);
}

static void use_all(struct matrix *m)
{
    for (unsigned who = 0; who < MATRIX_MOBILES; who++)
        matrix_connect(m, who);
    congest(m);
    matrix_features_begin(m);
    matrix_connect(m, MATRIX_BYSTANDER);
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++)
        for (unsigned i = 0; i < 2; i++)
            matrix_down(m, MATRIX_BYSTANDER, k, DATA);
    matrix_up(m, MATRIX_BYSTANDER, 20);
    if (matrix_has(m, MATRIX_REPEATED))
        repeat(m);
}

static uint64_t lost_here(const struct matrix *m, unsigned what)
{
    const struct context *c = &m->c.nodes[0].worker->context;
    const struct gb_counts *cell = context_counts(c, 0, QCLASS_BACKGROUND);
    uint64_t sum = 0;
    if (what == 0)
        return c->pdps[matrix_pdp_slot(MATRIX_BYSTANDER, 0, 0)].dropped +
               c->pdps[matrix_pdp_slot(MATRIX_BYSTANDER, 1, 0)].dropped;
    for (unsigned i = 0; i < DROP_COUNT - DROP_FIRST_NPDU; i++)
        sum += cell->drops[i];
    return sum;
}

void matrix_open(struct matrix *m, uint32_t features, const char *input)
{
    *m = (struct matrix){.features = features, .input = input};
    matrix_features_make(m);
    cluster_open(&m->c, &(struct cluster_options){.workers = MATRIX_WORKERS,
                                                  .buffers = 1023,
                                                  .abm = matrix_features_abm(m),
                                                  .compression = matrix_features_compression(m),
                                                  .is_told = true,
                                                  .configure = matrix_features_configure,
                                                  .configure_arg = m});
    m->c.on_gb = see_gb;
    m->c.arg = m;
    order_transport(m);
    for (unsigned who = 0; who < MATRIX_MOBILES; who++)
        matrix_add(m, who);
    matrix_features_order(m);
    use_all(m);
    for (unsigned i = 0; i < MATRIX_FEATURES; i++)
        if (matrix_has(m, i) && !matrix_features_seen(m, i))
            fail_msg("with features %x %s met no packet", features, matrix_features_name(i));
    for (unsigned i = 0; i < COUNT(m->before); i++)
        m->before[i] = lost_here(m, i);
}

void matrix_close(struct matrix *m)
{
    for (unsigned i = 0; i < MATRIX_WORKERS; i++)
        rte_ring_free(m->c.nodes[i].worker->trace);
    cluster_close(&m->c);
    matrix_features_free(m);
}

/* --- what must hold --- */

static void expect(const struct matrix *m, const char *what, uint64_t got, uint64_t wanted)
{
    if (got != wanted)
        fail_msg("'%s' with features %x: %s is %lu, not %lu", m->input, m->features, what, got, wanted);
}

#define GREW(m, field, by, call)                                                                             \
    do {                                                                                                     \
        uint64_t before_ = CLUSTER_SUM(&(m)->c, field);                                                      \
        call;                                                                                                \
        expect(m, #field, CLUSTER_SUM(&(m)->c, field) - before_, by);                                        \
    } while (0)

static void check_losses(const struct matrix *m)
{
    expect(m, "what the bystander lost", lost_here(m, 0), m->before[0]);
    expect(m, "what its cell lost", lost_here(m, 1), m->before[1]);
}

/* What the bystander has is a repetition still; its header is compressed still. */
static void check_marks(struct matrix *m)
{
    m->is_marked_checked = true;
    check_losses(m);
    if (matrix_has(m, MATRIX_COMPRESSION) && !matrix_has(m, MATRIX_IPV6_USERS))
        GREW(m, compression_headers, 1, matrix_down(m, MATRIX_BYSTANDER, 0, DATA));
    if (matrix_has(m, MATRIX_REPEATED)) {
        GREW(m, gn_drops[DROP_DUPLICATE], 1, repeat(m));
        m->before[0]++;
        m->before[1]++;
    }
}

static void check_pool(struct matrix *m)
{
    GREW(m, forward_npdu_out, 1, matrix_down(m, MATRIX_FORWARDED, 0, DATA));
    GREW(m, forward_behind, 1, matrix_down(m, MATRIX_TAKEN_OVER, 0, DATA));
}

void matrix_check(struct matrix *m)
{
    if (!m->is_marked_checked)
        check_marks(m);
    GREW(m, ul_npdu_out, 1, matrix_up(m, MATRIX_BYSTANDER, 20));
    for (unsigned k = 0; k < MATRIX_CONTEXTS; k++)
        GREW(m, npdu_out, 1, matrix_down(m, MATRIX_BYSTANDER, k, DATA));
    if (matrix_has(m, MATRIX_POOL))
        check_pool(m);
    check_losses(m);
    assert_int_equal(cluster_on_the_way(&m->c), 0);
}

void matrix_wait(struct matrix *m, int64_t ns)
{
    if (!m->is_marked_checked)
        check_marks(m);
    pass(m, ns);
}
