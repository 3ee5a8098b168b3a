/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/shard/matrix_features.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include "control/base/eal.h"
#include "dataplane/abm/link.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/wire/llc.h"
#include "dataplane/worker/fate.h"

#include <rte_crypto.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <string.h>

enum {
    OPS = 1023,
    IV_OCTETS = 16,
    GROUP = 1,
    SPI = 0x1001,
    WINDOW = 1024,
    FLOWS = 64,
    PFI = 8,
    EVENTS = 1024
};

#define MEMORY_OCTETS ((size_t)384 << 20)
#define OTHER_IP      (KIT_GGSN_IP + 3)

struct tap matrix_taps[MATRIX_WORKERS];
static struct sa_device device;
static struct rte_mempool *ops;
static struct aqm_registry registry;

int matrix_start(void **state)
{
    const char *reason = "";
    bool is_open = false;
    if (!eal_start_device("net_null0", MEMORY_OCTETS))
        return -1;
    for (unsigned i = 0; i < SA_DEVICES && !is_open; i++)
        is_open = sa_device_open(&device, sa_devices[i], MATRIX_WORKERS, 8, &reason) &&
                  sa_device_has(&device, SA_AES_GCM_128);
    ops = rte_crypto_op_pool_create("ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, OPS, 0, IV_OCTETS, SOCKET_ID_ANY);
    aqm_registry_init(&registry);
    if (!is_open)
        print_message("%s\n", reason);
    return is_open && ops ? 0 : -1;
}

/* --- ESP --- */

static struct sa *make_sa(const struct matrix *m, uint32_t spi, bool is_inbound)
{
    const char *reason;
    const struct sa_params params = {.spi = spi,
                                     .suite = SA_AES_GCM_128,
                                     .is_inbound = is_inbound,
                                     .is_ipv6 = matrix_has(m, MATRIX_IPV6_TRANSPORT),
                                     .is_inner_ipv6 = matrix_has(m, MATRIX_IPV6_TRANSPORT),
                                     .hop_limit = 64,
                                     .window = WINDOW};
    struct sa *sa = sa_new(&params, &device, &reason);
    assert_non_null(sa);
    return sa;
}

static struct rules *make_rules(const struct matrix *m, struct sa *out, struct sa *in)
{
    struct rules *rules = rules_new();
    struct rule rule = {
        .action = RULE_PROTECT, .group = GROUP, .selector.is_ipv6 = matrix_has(m, MATRIX_IPV6_TRANSPORT)};
    rules->others = RULE_DROP;
    rules->in[rules->in_count++] = rule;
    rule.sa = out;
    rules->out[rules->out_count++] = rule;
    assert_true(!in || rules_add_inbound(rules, in, GROUP));
    return rules;
}

static void make_esp(struct matrix *m, enum matrix_port port)
{
    struct sa **sas = m->sas[port];
    for (unsigned i = 0; i < 3; i++)
        sas[i] = make_sa(m, SPI + (i > 0), i == 1);
    m->rules[port] = make_rules(m, sas[0], sas[1]);
    m->far[port] = (struct esp){.rules = make_rules(m, sas[2], NULL), .ops = ops};
}

/* --- what outlives the workers --- */

void matrix_features_make(struct matrix *m)
{
    const struct compression_settings settings = matrix_features_compression(m);
    if (matrix_has(m, MATRIX_ESP_GN))
        make_esp(m, MATRIX_GN);
    if (matrix_has(m, MATRIX_ESP_GB))
        make_esp(m, MATRIX_GB);
    if (settings.entities > 0)
        assert_true(compression_pool_new(&m->pool, &settings));
}

void matrix_features_free(struct matrix *m)
{
    for (unsigned port = 0; port < 2; port++) {
        for (unsigned i = 0; i < 3 && m->rules[port]; i++)
            sa_free(m->sas[port][i]);
        if (!m->rules[port])
            continue;
        rules_free(m->rules[port]);
        rules_free(m->far[port].rules);
    }
    if (matrix_has(m, MATRIX_COMPRESSION))
        compression_pool_free(&m->pool);
    for (unsigned i = 0; i < MATRIX_WORKERS; i++)
        tap_stop(&matrix_taps[i]);
    assert_int_equal(rte_mempool_avail_count(ops), OPS);
}

/* --- configuration --- */

struct link_settings matrix_features_abm(const struct matrix *m)
{
    const struct link_settings on = {
        .links = 8,
        .buffers = 64,
        .values = {.n201_i_octets = 1503, .t200_ds = 400, .k_down = 16, .k_up = 8, .n200 = 3},
        .seed = 1};
    return matrix_has(m, MATRIX_ACKNOWLEDGED) ? on : (struct link_settings){0};
}

struct compression_settings matrix_features_compression(const struct matrix *m)
{
    const struct compression_settings on = {.entities = 4,
                                            .slots = 4,
                                            .codewords = 512,
                                            .string_octets = 6,
                                            .directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK};
    return matrix_has(m, MATRIX_COMPRESSION) ? on : (struct compression_settings){0};
}

static void configure_queues(const struct matrix *m, struct worker_config *config)
{
    struct sched_params *sched = &config->policy.sched;
    if (matrix_has(m, MATRIX_START_TAGS)) {
        sched->sfq_classes = 1 << QCLASS_BACKGROUND;
        sched->ms_quantum_octets = 1300;
        sched->credit_octets = 6000;
        sched->drops_duplicates = true;
    }
    if (matrix_has(m, MATRIX_FQ_CODEL)) {
        sched->flow_queues = 8;
        sched->flow_tags = matrix_has(m, MATRIX_START_TAGS);
        config->limits.flow_sets = 16;
        sched->aqm[QCLASS_BACKGROUND] = (struct sched_aqm_params){
            {.ops = aqm_registry_find(&registry, "fq_codel"), .seed = 1}, SCHED_AQM_FLOW};
        assert_non_null(sched->aqm[QCLASS_BACKGROUND].choice.ops);
    }
}

void matrix_features_configure(void *arg, struct worker_config *config)
{
    struct matrix *m = arg;
    configure_queues(m, config);
    config->no_uplink_filter = false;
    config->limits.has_volumes = matrix_has(m, MATRIX_VOLUMES);
    config->has_paging = matrix_has(m, MATRIX_PAGING);
    config->policy.ready_ns = config->has_paging ? 5 * MOMENT_SECOND : 0;
    if (matrix_has(m, MATRIX_LIFETIME))
        config->policy.lifetime = (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = MOMENT_SECOND};
    if (matrix_has(m, MATRIX_MARKING))
        config->gb_marking = config->gn_marking =
            (struct marking){.dscp = {[QCLASS_SIGNALLING] = 48, [QCLASS_BACKGROUND] = MATRIX_DSCP}};
    if (matrix_has(m, MATRIX_PACING) || matrix_has(m, MATRIX_REPEATED))
        config->pacing = (struct pacing_params){.classes = 1 << QCLASS_BACKGROUND,
                                                .drops_repeated = matrix_has(m, MATRIX_REPEATED),
                                                .flows = FLOWS,
                                                .ms_target_ns = MOMENT_SECOND / 8};
    struct esp_guard *guard = &m->guards[config->number];
    *guard = (struct esp_guard){.ops = ops, .rules = {m->rules[0], m->rules[1]}};
    if (m->rules[0] || m->rules[1])
        config->guards = esp_guard_of(guard);
}

/* --- orders --- */

static void order_entity(struct matrix *m, enum matrix_who who, enum compression_kind kind)
{
    struct msg order = {.type = MSG_MS_COMPRESSION, .slot = matrix_slot(who, 0)};
    order.compression.memory = compression_pool_take(&m->pool, kind);
    order.compression.params =
        (struct compression_params){.nsapis = 1u << KIT_NSAPI, .kind = (uint8_t)kind, .sapi = KIT_SAPI};
    struct compression_params *p = &order.compression.params;
    assert_non_null(order.compression.memory);
    p->slots = kind == COMPRESSION_RFC1144 ? 4 : 0;
    p->first = 1;
    p->second = kind == COMPRESSION_RFC1144 ? 2 : 0;
    if (kind == COMPRESSION_V42BIS) {
        p->codewords = 512;
        p->string_octets = 6;
        p->directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK;
        p->number = 1;
    }
    cluster_do(&m->c, 0, &order);
}

/* The mobile's answer to SABM. */
static void answer(struct matrix *m, enum matrix_who who)
{
    const struct llc ua = {.format = LLC_U, .command = LLC_UA, .sapi = KIT_SAPI + 2, .cr = true, .pf = true};
    struct worker *w = m->c.nodes[0].worker;
    struct gb_abm_link *l = gb_abm_find(w, matrix_slot(who, 0), KIT_SAPI + 2);
    assert_non_null(l);
    link_receive_u(&l->link, &ua, NULL, m->c.now);
    gb_abm_touch(w, l, m->c.now);
}

/* The second context of the bystander and of the victim. */
static void order_links(struct matrix *m)
{
    for (unsigned who = 0; who <= MATRIX_VICTIM; who++) {
        const struct msg mode = {
            .type = MSG_PDP_LLC, .slot = matrix_pdp_slot(who, 1, 0), .llc_mode = {.is_acknowledged = true}};
        cluster_do(&m->c, 0, &mode);
        matrix_down(m, who, 1, 100);
        answer(m, who);
    }
    matrix_settle(m);
}

static void order_capture(struct matrix *m)
{
    bool has_esp = m->rules[0] || m->rules[1];
    for (unsigned i = 0; i < MATRIX_WORKERS; i++) {
        memset(&matrix_taps[i], 0, sizeof(matrix_taps[i]));
        tap_start(&matrix_taps[i], &(struct tap_filter){.side = has_esp ? TAP_INSIDE : TAP_NO_SIDE});
        cluster_do(&m->c, i, &(struct msg){.type = MSG_TAP, .tap = &matrix_taps[i]});
    }
}

static void order_traces(struct matrix *m)
{
    static unsigned made;
    for (unsigned i = 0; i < MATRIX_WORKERS; i++) {
        char name[24];
        snprintf(name, sizeof(name), "events%u", made++);
        m->c.nodes[i].worker->trace = fate_trace_new(name, EVENTS);
        assert_non_null(m->c.nodes[i].worker->trace);
    }
}

static void order_packet_flows(struct matrix *m)
{
    for (unsigned who = 0; who <= MATRIX_VICTIM; who++) {
        cluster_do(&m->c, 0, &(struct msg){.type = MSG_PFC_ADD, .tlli = KIT_TLLI + who, .pfi = PFI});
        cluster_do(&m->c, 0,
                   &(struct msg){.type = MSG_PDP_PFI, .slot = matrix_pdp_slot(who, 0, 0), .pfi = PFI});
    }
}

void matrix_features_order(struct matrix *m)
{
    if (matrix_has(m, MATRIX_CAPTURE))
        order_capture(m);
    if (matrix_has(m, MATRIX_TRACE))
        order_traces(m);
    if (matrix_has(m, MATRIX_PACKET_FLOWS))
        order_packet_flows(m);
    for (unsigned who = 0; who <= MATRIX_VICTIM && matrix_has(m, MATRIX_COMPRESSION); who++) {
        order_entity(m, who, COMPRESSION_RFC1144);
        order_entity(m, who, COMPRESSION_V42BIS);
    }
    if (matrix_has(m, MATRIX_ACKNOWLEDGED))
        order_links(m);
}

/* --- what meets packets --- */

static void hold(struct matrix *m, enum matrix_who who, uint32_t from)
{
    cluster_do(&m->c, 0, &(struct msg){.type = MSG_MS_HOLD, .slot = matrix_slot(who, 0), .is_held = true});
    for (unsigned k = 0; from && k < MATRIX_CONTEXTS; k++)
        cluster_do(
            &m->c, 0,
            &(struct msg){.type = MSG_PDP_FROM, .slot = matrix_pdp_slot(who, k, 0), .forwarder_ip = from});
}

static void begin_pool(struct matrix *m)
{
    uint32_t other = matrix_has(m, MATRIX_IPV6_TRANSPORT) ? GN_IPV6_OTHER : OTHER_IP;
    struct msg forward = {.type = MSG_PDP_FORWARD, .slot = matrix_slot(MATRIX_FORWARDED, 0)};
    hold(m, MATRIX_FORWARDED, ADDRESS_NONE);
    hold(m, MATRIX_TAKEN_OVER, other);
    hold(m, MATRIX_VICTIM, other);
    forward.forward = (struct forward_to){.ip = other, .teid = MATRIX_FAR_TEID, .nsapi = KIT_NSAPI};
    cluster_do(&m->c, 0, &forward);
    for (unsigned who = MATRIX_VICTIM; who < MATRIX_MOBILES; who++)
        matrix_down(m, who, 0, 100);
}

static void begin_paging(struct matrix *m)
{
    m->is_marked_checked = true; /* the bystander has had nothing yet */
    matrix_wait(m, 6 * MOMENT_SECOND);
    m->is_marked_checked = false;
    matrix_down(m, MATRIX_VICTIM, 0, 100);
    for (unsigned who = 0; who < MATRIX_MOBILES; who++)
        matrix_up(m, who, 20);
}

void matrix_features_begin(struct matrix *m)
{
    if (matrix_has(m, MATRIX_PAGING))
        begin_paging(m);
    if (matrix_has(m, MATRIX_POOL))
        begin_pool(m);
}

/* --- what has met packets --- */

static bool has_judged(const struct matrix *m)
{
    const struct gb_counts *cell = context_counts(&m->c.nodes[0].worker->context, 1, QCLASS_BACKGROUND);
    return cell->marked + cell->drops[DROP_AQM - DROP_FIRST_NPDU] > 0;
}

#define SEEN(name, what)                                                                                     \
    static bool name(const struct matrix *m)                                                                 \
    {                                                                                                        \
        return what;                                                                                         \
    }

SEEN(has_pacing, CLUSTER_SUM(&m->c, pacing_clamped) > 0)
SEEN(has_repeated, CLUSTER_SUM(&m->c, gn_drops[DROP_DUPLICATE]) > 0)
SEEN(has_start_tags, m->c.nodes[0].worker->context.bvcs[1].sched.classes[QCLASS_BACKGROUND].vt > 0)
SEEN(has_esp_gn, sa_counts_of(m->sas[MATRIX_GN][1]).packets > 0 && m->seen.esp_gn > 0)
SEEN(has_esp_gb, sa_counts_of(m->sas[MATRIX_GB][1]).packets > 0 && m->seen.esp_gb > 0)
SEEN(has_compression, CLUSTER_SUM(&m->c, compression_headers) + CLUSTER_SUM(&m->c, compression_data) > 0)
SEEN(has_acknowledged, CLUSTER_SUM(&m->c, abm_held) > 0)
SEEN(has_pool, CLUSTER_SUM(&m->c, forward_npdu_out) > 0 && CLUSTER_SUM(&m->c, forward_behind) > 0)
SEEN(has_volumes,
     m->c.nodes[0].worker->context.volumes[matrix_pdp_slot(MATRIX_BYSTANDER, 0, 0)].down.npdus > 0)
SEEN(has_capture, m->seen.taps > 0)
SEEN(has_trace, m->seen.traces > 0)
SEEN(has_marking, m->seen.marked_gb > 0)
SEEN(has_ipv6_transport, m->seen.ipv6_gn > 0 && m->seen.ipv6_gb > 0)
SEEN(has_ipv6_users, m->seen.users[0] == 0 && m->seen.users[1] > 0 && CLUSTER_SUM(&m->c, npdu_out) > 0 &&
                         CLUSTER_SUM(&m->c, ul_npdu_out) > 0)
SEEN(has_paging, m->seen.pages > 0)
SEEN(has_lifetime, matrix_drops(m, MATRIX_GN, DROP_LIFETIME) > 0)
SEEN(has_packet_flows,
     m->c.nodes[0].worker->context.pdps[matrix_pdp_slot(MATRIX_BYSTANDER, 0, 0)].params.pfi == PFI &&
         CLUSTER_SUM(&m->c, llc_frames) > 0)

static const struct {
    const char *name;
    bool (*seen)(const struct matrix *m);
} features[MATRIX_FEATURES] = {
    [MATRIX_PACING] = {"pacing", has_pacing},
    [MATRIX_REPEATED] = {"drop_duplicates", has_repeated},
    [MATRIX_FQ_CODEL] = {"fq_codel", has_judged},
    [MATRIX_START_TAGS] = {"discipline q", has_start_tags},
    [MATRIX_ESP_GN] = {"ESP on Gn", has_esp_gn},
    [MATRIX_ESP_GB] = {"ESP on Gb", has_esp_gb},
    [MATRIX_COMPRESSION] = {"compression", has_compression},
    [MATRIX_ACKNOWLEDGED] = {"acknowledged LLC", has_acknowledged},
    [MATRIX_POOL] = {"holds and forwards", has_pool},
    [MATRIX_VOLUMES] = {"volumes of records", has_volumes},
    [MATRIX_CAPTURE] = {"capture", has_capture},
    [MATRIX_TRACE] = {"trace", has_trace},
    [MATRIX_MARKING] = {"DSCP and ECN", has_marking},
    [MATRIX_IPV6_TRANSPORT] = {"IPv6 transport", has_ipv6_transport},
    [MATRIX_IPV6_USERS] = {"IPv6 users", has_ipv6_users},
    [MATRIX_PAGING] = {"paging", has_paging},
    [MATRIX_LIFETIME] = {"lifetime", has_lifetime},
    [MATRIX_PACKET_FLOWS] = {"packet flows", has_packet_flows},
};

const char *matrix_features_name(enum matrix_feature feature)
{
    return features[feature].name;
}

bool matrix_features_seen(const struct matrix *m, enum matrix_feature feature)
{
    return features[feature].seen(m);
}
