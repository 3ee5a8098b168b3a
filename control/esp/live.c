/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/live.h"
#include "control/esp/ike_packets.h"
#include "control/esp/lua_esp_keys.h"

#include "control/base/clock.h"
#include "control/esp/associations.h"
#include "control/esp/used_keys.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/base/words.h"
#include "control/links/links.h"
#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_NS (MOMENT_SECOND / 1000) /* until the next look, while workers change their rules */

/* --- what is next --- */

static bool is_held(const struct esp_live *esp, const struct used_key *key)
{
    for (unsigned i = 0; i < esp->count; i++)
        if (used_key_is(&esp->held[i]->key, key))
            return true;
    return false;
}

/* Whether each rule has an association for its version of IP: one carries packets of one. */
static bool fit_rules(const struct esp_config_side *side, const struct esp_keys *keys)
{
    for (unsigned i = 0; i < side->count; i++) {
        const struct rule *rule = &side->rules[i];
        bool has = rule->action != RULE_PROTECT || rule->group == ESP_CONFIG_NO_GROUP;
        for (unsigned k = 0; k < keys->count && !has; k++) {
            const struct sa_params *p = &keys->list[k].params;
            has = keys->list[k].group == rule->group && !p->is_inbound &&
                  p->is_inner_ipv6 == rule->selector.is_ipv6;
        }
        if (has)
            continue;
        const char *version = rule->selector.is_ipv6 ? "ipv6" : "ipv4";
        fprintf(stderr,
                "gbflow: %s: a rule has ip = \"%s\", and no association of direction out carries it; set "
                "`inner = \"%s\"` of a tunnel, `from` and `to` of transport mode, or `ip`\n",
                keys->path, version, version);
        return false;
    }
    return true;
}

static bool is_same_address(const struct sa_address *a, const struct sa_address *b)
{
    return memcmp(a->octets, b->octets, sizeof(a->octets)) == 0;
}

/* Whether both are the same but for their keys. */
static bool is_same(const struct sa_params *a, const struct sa_params *b)
{
    return a->spi == b->spi && a->suite == b->suite && a->is_inbound == b->is_inbound &&
           a->is_tunnel == b->is_tunnel && a->is_ipv6 == b->is_ipv6 && a->is_inner_ipv6 == b->is_inner_ipv6 &&
           a->has_esn == b->has_esn && a->copies_dscp == b->copies_dscp && a->dscp == b->dscp &&
           a->window == b->window && a->encap_source == b->encap_source &&
           a->encap_destination == b->encap_destination && is_same_address(&a->source, &b->source) &&
           is_same_address(&a->destination, &b->destination);
}

/* Whether the file has those in force as they are. */
static bool are_unchanged(const struct esp_live *esp, const struct esp_keys *keys)
{
    for (unsigned i = 0; i < keys->count; i++) {
        const struct sa_params *p = &keys->list[i].params;
        struct used_key key = used_key_of(p);
        for (unsigned k = 0; k < esp->count; k++) {
            if (!used_key_is(&esp->held[k]->key, &key) || is_same(&esp->held[k]->sa->params, p))
                continue;
            fprintf(stderr,
                    "gbflow: %s: SPI 0x%08x of direction %s has the keys of an association in force that is "
                    "not the same; give both ends new keys\n",
                    keys->path, p->spi, p->is_inbound ? "in" : "out");
            return false;
        }
    }
    return true;
}

/* Whether no earlier run had the keys. */
static bool are_new(const struct esp_live *esp, const struct esp_keys *keys)
{
    for (unsigned i = 0; i < keys->count; i++) {
        const struct sa_params *p = &keys->list[i].params;
        struct used_key key = used_key_of(p);
        if (is_held(esp, &key) || !used_keys_has(&esp->used, &key))
            continue;
        fprintf(stderr,
                "gbflow: %s: SPI 0x%08x of direction %s was used by an earlier run, or before a reload: its "
                "sequence numbers would come again; give both ends new keys\n",
                keys->path, p->spi, p->is_inbound ? "in" : "out");
        return false;
    }
    return true;
}

static bool make_one(const struct esp_live *esp, const struct sa_params *params, struct esp_live_made *made)
{
    const char *reason;
    if (is_held(esp, &made->key))
        return true;
    made->sa = associations_make(&esp->all, params, &reason);
    if (!made->sa)
        fprintf(stderr, "gbflow: esp.keys: SPI 0x%08x, %s: %s\n", params->spi, sa_suite_name(params->suite),
                reason);
    return made->sa != NULL;
}

/* Notes the keys of the new ones. */
static bool note_used(const struct esp_live *esp, const struct esp_live_next *next)
{
    struct used_key list[ESP_CONFIG_SAS];
    unsigned count = 0;
    for (unsigned i = 0; i < next->count; i++)
        if (next->list[i].sa)
            list[count++] = next->list[i].key;
    return count == 0 || used_keys_note(&esp->used, list, count);
}

static bool make_all(const struct esp_live *esp, const struct esp_keys *keys, struct esp_live_next *next)
{
    for (unsigned i = 0; i < keys->count; i++) {
        struct esp_live_made *made = &next->list[next->count++];
        const struct sa_params *params = &keys->list[i].params;
        *made = (struct esp_live_made){.key = used_key_of(params), .group = keys->list[i].group};
        if (!make_one(esp, params, made))
            return false;
        next->made_count += made->sa != NULL;
    }
    return true;
}

static bool read_and_make(const struct esp_live *esp, struct esp_keys *keys, struct esp_live_next *next,
                          bool is_trial)
{
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
        if (!fit_rules(&next->config.sides[side], keys))
            return false;
    return are_unchanged(esp, keys) && are_new(esp, keys) && make_all(esp, keys, next) &&
           (is_trial || note_used(esp, next));
}

static void release(void *of)
{
    struct esp_live_next *next = of;
    for (unsigned i = 0; next && i < next->count; i++)
        sa_free(next->list[i].sa);
    free(next);
}

/* The associations that the file has now and the node has not; notes that their keys are used, but for a
 * trial. NULL, with a line on stderr: the file is wrong, or its keys were used by an earlier run. */
static struct esp_live_next *make_next(const struct esp_live *esp, const struct esp_config *config,
                                       bool is_trial)
{
    const struct node_capability_host *host = esp->host;
    struct esp_live_next *next = calloc(1, sizeof(*next));
    struct esp_keys *keys = calloc(1, sizeof(*keys));
    bool is_good = next && keys;
    if (next)
        next->config = *config;
    if (config->keys[0])
        is_good = is_good && lua_esp_keys_load(keys, config, host->config_path, host->user) &&
                  read_and_make(esp, keys, next, is_trial);
    if (keys)
        lua_esp_keys_forget(keys);
    free(keys);
    if (is_good)
        return next;
    release(next);
    return NULL;
}

static bool prepare(const void *state, const struct node_config *config, bool is_trial, void **next)
{
    const struct esp_live *esp = state;
    if (!esp->config.is_on)
        return true;
    *next = make_next(esp, &config->esp, is_trial);
    return *next != NULL;
}

/* --- what is in force --- */

static struct association *find_held(struct esp_live *esp, const struct used_key *key)
{
    for (unsigned i = 0; i < esp->count; i++)
        if (used_key_is(&esp->held[i]->key, key))
            return esp->held[i];
    return NULL;
}

/* The association of one of the file, which is new or stays; NULL: *why, a static text, it cannot be. */
static struct association *put_held(struct esp_live *esp, struct esp_live_made *made, int64_t now,
                                    const char **why)
{
    const struct sa_params *p = made->sa ? &made->sa->params : NULL;
    if (!p)
        return find_held(esp, &made->key);
    *why = "another association of direction in, of IKE, has it; give both ends another SPI";
    if (p->is_inbound && associations_has_inbound(&esp->all, p->spi))
        return NULL;
    *why = "no room: former associations are still in use; reload again";
    return associations_add(&esp->all, made->sa, made->group, now);
}

static bool stays(const struct association *held, const struct esp_live_next *next)
{
    for (unsigned k = 0; k < next->count; k++)
        if (used_key_is(&held->key, &next->list[k].key))
            return true;
    return false;
}

static bool tell(const void *state, const void *of, FILE *lines)
{
    const struct esp_live *esp = state;
    const struct esp_live_next *next = of;
    unsigned made = next->made_count, gone = 0;
    for (unsigned i = 0; i < esp->count; i++)
        gone += !stays(esp->held[i], next);
    if (lines && made > 0)
        fprintf(lines, "esp: %u association%s added\n", made, words_plural(made));
    if (lines && gone > 0)
        fprintf(lines, "esp: %u association%s removed\n", gone, words_plural(gone));
    return made + gone > 0;
}

static void bring_in_force(struct esp_live *esp, struct esp_live_next *next, int64_t now)
{
    struct association *held[ESP_CONFIG_SAS];
    unsigned count = 0;
    for (unsigned i = 0; i < esp->count; i++)
        if (!stays(esp->held[i], next))
            associations_remove(&esp->all, esp->held[i]);
    for (unsigned i = 0; i < next->count; i++) {
        struct esp_live_made *made = &next->list[i];
        const char *why = NULL;
        struct association *one = put_held(esp, made, now, &why);
        if (!one) {
            fprintf(stderr, "esp: SPI 0x%08x: %s\n", made->sa ? made->sa->params.spi : 0,
                    why ? why : "it is not in force any more");
            continue;
        }
        made->sa = NULL;
        one->group = made->group;
        one->order = ++esp->all.orders;
        one->key = made->key;
        held[count++] = one;
    }
    memcpy(esp->held, held, count * sizeof(held[0]));
    esp->count = count;
    esp->config = next->config;
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
        esp->all.sides[side].config = next->config.sides[side];
    esp->all.is_changed = true;
}

static void apply(void *state, void *of)
{
    struct esp_live *esp = state;
    bring_in_force(esp, of, esp->host->node->core.now);
}

/* --- the part of the node --- */

static bool start(void *state, const struct node_capability_host *host)
{
    struct esp_live *esp = state;
    esp->host = host;
    return esp_ike_start(esp);
}

static bool watch(void *state, int epoll_fd)
{
    struct esp_live *esp = state;
    return !esp->ike.is_on || xfrm_watch(&esp->ike.xfrm, epoll_fd);
}

/* Opens the devices, reads the associations, and makes the first rules. */
static bool open_all(void *state)
{
    struct esp_live *esp = state;
    const struct esp_config *config = &esp->host->node->config.esp;
    char path[2 * ESP_CONFIG_FILE_CHARS];
    esp->config.is_on = config->is_on;
    if (!config->is_on)
        return true;
    lua_esp_keys_path(config, esp->host->config_path, path);
    if ((config->keys[0] && !used_keys_open(&esp->used, path)) ||
        !associations_open(&esp->all, config, node_config_workers(&esp->host->node->config)))
        return false;
    struct esp_live_next *next = make_next(esp, config, false);
    if (!next)
        return false;
    bring_in_force(esp, next, 0);
    release(next);
    struct rules *sets[ESP_CONFIG_SIDES];
    if (associations_exchange(&esp->all, sets))
        return true;
    fprintf(stderr, "gbflow: no memory for the rules of ESP\n");
    return false;
}

static void deal(void *state, unsigned workers, struct node_ports *ports)
{
    struct esp_live *esp = state;
    for (unsigned i = 0; esp->config.is_on && i < workers; i++) {
        struct esp_guard *guard = &esp->guards[i];
        *guard = (struct esp_guard){.ops = esp->all.ops, .has_ike = esp->config.ike.is_on};
        guard->rules[MSG_PORT_GN] = esp->all.sides[ESP_CONFIG_GN].now;
        guard->rules[MSG_PORT_GB] = esp->all.sides[ESP_CONFIG_GB].now;
        ports[i].guards = esp_guard_of(guard);
    }
}

static void on_news(void *arg, const struct msg *msg)
{
    struct esp_live *esp = arg;
    if (msg->type == MSG_ESP_FAULT)
        esp_faults_take(esp, &msg->esp_fault);
    else if (msg->type == MSG_IKE && esp->ike.is_on)
        esp_ike_packets_take(esp, rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf));
}

static void serve(void *state, struct links_tunnels *tunnels)
{
    struct esp_live *esp = state;
    esp->host->node->core.guards = (struct core_guards){.arg = esp, .on_news = on_news};
    *tunnels = esp_tunnels_of(esp);
}

static int64_t exchange(struct esp_live *esp, int64_t now)
{
    static const uint16_t ports[ESP_CONFIG_SIDES] = {
        [ESP_CONFIG_GN] = MSG_PORT_GN, [ESP_CONFIG_GB] = MSG_PORT_GB};
    struct associations *all = &esp->all;
    struct core *core = &esp->host->node->core;
    struct rules *sets[ESP_CONFIG_SIDES];
    if (!esp->config.is_on)
        return MOMENT_NEVER;
    associations_tidy(all);
    if (associations_exchange(all, sets)) {
        links_follow(esp->host->links, now);
        for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
            for (unsigned i = 0; sets[side] && i < core->workers; i++) {
                const struct msg msg = {.type = MSG_ESP_RULES, .rules = {sets[side], ports[side]}};
                core_link_order(core, i, &msg);
            }
    }
    int64_t next_ns = esp_faults_step(esp, now);
    return associations_is_settled(all) ? next_ns : moment_min(next_ns, now + PATIENCE_NS);
}

static int64_t step(void *state, int64_t now)
{
    int64_t next_ns = esp_ike_step(state, now);
    return moment_min(next_ns, exchange(state, now));
}

static void stop(void *state)
{
    struct esp_live *esp = state;
    esp_ike_stop(&esp->ike);
}

static void close_all(void *state)
{
    struct esp_live *esp = state;
    associations_close(&esp->all);
    used_keys_close(&esp->used);
}

const struct node_capability esp_capability = {
    .octets = sizeof(struct esp_live),
    .start = start,
    .watch = watch,
    .open = open_all,
    .deal = deal,
    .serve = serve,
    .step = step,
    .prepare = prepare,
    .tell = tell,
    .apply = apply,
    .release = release,
    .stop = stop,
    .close = close_all,
};
