/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/esp/esp_ends.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/drop.h"
#include "dataplane/esp/esp.h"
#include "dataplane/esp_guard/esp_guard.h"
#include "dataplane/esp/sa.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <inttypes.h>
#include <rte_crypto.h>
#include <rte_mempool.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS_QUEUES = 2 * BENCH_ESP_ENDS_MAX, ENDS_ASSOCIATIONS = 4 * BENCH_ESP_ENDS_MAX };
enum { OPS = 2048, IV_OCTETS = 16, GROUP = 1, WINDOW = 1024, HOP_LIMIT = 64 };

struct bench_esp_ends {
    struct sa *sas[4]; /* of Gn: far end, worker; of Gb: worker, far end */
    struct rules *gn, *gb, *far_gn, *far_gb;
    struct esp sealer, opener;
    struct esp_guard guard; /* of the worker */
    unsigned number;
    uint64_t unsealed[DROP_COUNT], unopened[DROP_COUNT];
};

/* Main opens and closes it; it changes while no worker runs. */
static struct {
    struct sa_device device;
    struct rte_mempool *ops;
    unsigned users;
} shared;

const char *bench_esp_ends_device(void)
{
    return shared.device.name;
}

/* The best devices come first, as for a node with esp.device = "auto". */
static bool open_device(const struct bench_plan_guard *plan, const char **reason)
{
    bool is_auto = strcmp(plan->device, "auto") == 0;
    for (unsigned i = 0; i < (is_auto ? SA_DEVICES : 1); i++) {
        const char *name = is_auto ? sa_devices[i] : plan->device;
        if (!sa_device_open(&shared.device, name, ENDS_QUEUES, ENDS_ASSOCIATIONS, reason))
            continue;
        if (sa_device_has(&shared.device, plan->suite))
            return true;
        *reason = "the crypto device does not have the suite";
        sa_device_close(&shared.device);
    }
    return false;
}

static bool shared_take(const struct bench_plan_guard *plan, const char **reason)
{
    if (shared.users++ > 0)
        return true;
    *reason = "out of memory for operations";
    shared.ops = rte_crypto_op_pool_create("bench.ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, OPS, 0, IV_OCTETS,
                                           SOCKET_ID_ANY);
    if (shared.ops && open_device(plan, reason))
        return true;
    rte_mempool_free(shared.ops);
    shared.users = 0;
    return false;
}

static void shared_put(void)
{
    if (--shared.users > 0)
        return;
    sa_device_close(&shared.device);
    rte_mempool_free(shared.ops);
}

/* --- associations and rules --- */

struct tunnel {
    uint32_t spi, from, to;
};

/* Both ends of a tunnel have the same parameters but for the direction. */
static struct sa *tunnel_end(const struct bench_plan_guard *plan, const struct tunnel *tunnel,
                             bool is_inbound, const char **reason)
{
    struct sa_params p = {.spi = tunnel->spi,
                          .suite = plan->suite,
                          .is_inbound = is_inbound,
                          .is_tunnel = true,
                          .has_esn = true,
                          .copies_dscp = true,
                          .hop_limit = HOP_LIMIT,
                          .window = WINDOW};
    bytes_put_u32(p.source.octets, tunnel->from);
    bytes_put_u32(p.destination.octets, tunnel->to);
    for (unsigned i = 0; i < SA_KEY_OCTETS; i++) {
        p.key[i] = (uint8_t)(tunnel->spi + 5 * i);
        p.auth[i] = (uint8_t)(tunnel->spi + 7 * i);
    }
    return sa_new(&p, &shared.device, reason);
}

/* Packets with a remote address are protected; there are no others. */
static struct rules *rules_of(uint32_t remote, struct sa *out, struct sa *in)
{
    struct rules *rules = rules_new();
    if (!rules)
        return NULL;
    struct rule rule = {.action = RULE_PROTECT, .group = GROUP, .selector.remote_bits = 32, .sa = out};
    bytes_put_u32(rule.selector.remote.octets, remote);
    rules->out[rules->out_count++] = rules->in[rules->in_count++] = rule;
    rules->others = RULE_DROP;
    if (in)
        rules_add_inbound(rules, in, GROUP);
    return rules;
}

static bool ends_make(struct bench_esp_ends *e, const struct bench_plan_guard *plan,
                      const struct bench_guard_addresses *a, const char **reason)
{
    const uint32_t spi = 0x1000 + 16 * e->number;
    const struct tunnel gn = {spi, a->ggsn_ip, a->sgsn_ip}, gb = {spi + 1, a->sgsn_ip, a->bss_ip};
    if (plan->has_gn && (!(e->sas[0] = tunnel_end(plan, &gn, false, reason)) ||
                         !(e->sas[1] = tunnel_end(plan, &gn, true, reason))))
        return false;
    if (plan->has_gb && (!(e->sas[2] = tunnel_end(plan, &gb, false, reason)) ||
                         !(e->sas[3] = tunnel_end(plan, &gb, true, reason))))
        return false;
    *reason = "out of memory for the rules of ESP";
    if (plan->has_gn && (!(e->gn = rules_of(a->ggsn_ip, NULL, e->sas[1])) ||
                         !(e->far_gn = rules_of(a->sgsn_ip, e->sas[0], NULL))))
        return false;
    return !plan->has_gb || ((e->gb = rules_of(a->bss_ip, e->sas[2], NULL)) &&
                             (e->far_gb = rules_of(a->sgsn_ip, NULL, e->sas[3])));
}

void *bench_esp_ends_new(const struct bench_plan *of, const struct bench_guard_addresses *addresses,
                         unsigned number, struct rte_mempool *pool, struct bench_fault *error)
{
    const struct bench_plan_guard *plan = &of->guard;
    const char *reason = "out of memory";
    struct bench_esp_ends *ends = calloc(1, sizeof(*ends));
    assert(number < BENCH_ESP_ENDS_MAX);
    if (!ends || !shared_take(plan, &reason)) {
        bench_fault_add(error, "--esp-device %s, --esp-suite %s: %s", plan->device,
                        sa_suite_name(plan->suite), reason);
        free(ends);
        return NULL;
    }
    ends->number = number;
    if (!ends_make(ends, plan, addresses, &reason)) {
        bench_fault_add(error, "--esp-suite %s: %s", sa_suite_name(plan->suite), reason);
        bench_esp_ends_free(ends);
        return NULL;
    }
    const uint16_t queue = (uint16_t)(BENCH_ESP_ENDS_MAX + number);
    ends->sealer = (struct esp){.rules = ends->far_gn, .ops = shared.ops, .buffers = pool, .queue = queue};
    ends->opener = (struct esp){.rules = ends->far_gb, .ops = shared.ops, .buffers = pool, .queue = queue};
    return ends;
}

void bench_esp_ends_free(void *of)
{
    struct bench_esp_ends *ends = of;
    rules_free(ends->gn);
    rules_free(ends->gb);
    rules_free(ends->far_gn);
    rules_free(ends->far_gb);
    for (unsigned i = 0; i < sizeof(ends->sas) / sizeof(ends->sas[0]); i++)
        sa_free(ends->sas[i]);
    free(ends);
    shared_put();
}

void bench_esp_ends_give(void *of, struct worker_config *config)
{
    struct bench_esp_ends *ends = of;
    ends->guard = (struct esp_guard){.ops = shared.ops};
    ends->guard.rules[MSG_PORT_GN] = ends->gn;
    ends->guard.rules[MSG_PORT_GB] = ends->gb;
    config->guards = esp_guard_of(&ends->guard);
}

/* --- the other ends --- */

unsigned bench_esp_ends_seal(void *of, struct rte_mbuf **frames, unsigned count)
{
    struct bench_esp_ends *ends = of;
    return ends->far_gn ? esp_send(&ends->sealer, frames, count, ends->unsealed) : count;
}

unsigned bench_esp_ends_open(void *of, struct rte_mbuf **frames, unsigned count)
{
    struct bench_esp_ends *ends = of;
    return ends->far_gb ? esp_receive(&ends->opener, frames, count, ends->unopened) : count;
}

void bench_esp_ends_check(const void *of, struct bench_fault *fault)
{
    const struct bench_esp_ends *ends = of;
    for (enum drop i = 0; i < DROP_COUNT; i++) {
        if (ends->unsealed[i] > 0)
            bench_fault_add(fault, "Gn: %" PRIu64 " frames not sealed (%s)", ends->unsealed[i], drop_name(i));
        if (ends->unopened[i] > 0)
            bench_fault_add(fault, "Gb: %" PRIu64 " frames not opened (%s)", ends->unopened[i], drop_name(i));
    }
}
