/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/associations.h"

#include "dataplane/esp/esp.h"

#include <rte_crypto.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_WORKER (4 * ESP_BURST)
#define IV_OCTETS  16

/* --- devices --- */

static bool open_devices(struct associations *a, const char *name, unsigned workers)
{
    const char *reason = NULL;
    bool is_auto = strcmp(name, "auto") == 0;
    for (unsigned i = 0; i < (is_auto ? SA_DEVICES : 1); i++)
        if (sa_device_open(&a->devices[a->device_count], is_auto ? sa_devices[i] : name, workers,
                           ASSOCIATIONS_MAX, &reason))
            a->device_count++;
    if (a->device_count == 0)
        fprintf(stderr, "gbflow: esp.device: '%s': %s; install IPsec-mb or OpenSSL's driver of DPDK\n", name,
                reason);
    return a->device_count > 0;
}

bool associations_open(struct associations *a, const struct esp_config *config, unsigned workers)
{
    *a = (struct associations){.workers = workers, .is_changed = true};
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
        a->sides[side].config = config->sides[side];
    a->ops = rte_crypto_op_pool_create("esp.ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, workers * OPS_WORKER, 0,
                                       IV_OCTETS, SOCKET_ID_ANY);
    if (!a->ops)
        fprintf(stderr, "gbflow: no memory for ESP's operations\n");
    return a->ops && open_devices(a, config->device, workers);
}

void associations_close(struct associations *a)
{
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++) {
        rules_free(a->sides[side].now);
        rules_free(a->sides[side].former);
    }
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++)
        sa_free(a->list[i].sa);
    for (unsigned i = 0; i < a->device_count; i++)
        sa_device_close(&a->devices[i]);
    rte_mempool_free(a->ops);
    *a = (struct associations){0};
}

/* --- associations --- */

struct sa *associations_make(const struct associations *a, const struct sa_params *params,
                             const char **reason)
{
    *reason = "no crypto device has the suite";
    for (unsigned i = 0; i < a->device_count; i++)
        if (sa_device_has(&a->devices[i], params->suite))
            return sa_new(params, &a->devices[i], reason);
    return NULL;
}

struct association *associations_add(struct associations *a, struct sa *sa, uint32_t group, int64_t now)
{
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++) {
        if (a->list[i].state != ASSOCIATION_FREE)
            continue;
        a->list[i] = (struct association){
            .state = ASSOCIATION_HELD, .group = group, .order = ++a->orders, .since_ns = now, .sa = sa};
        a->is_changed = true;
        return &a->list[i];
    }
    return NULL;
}

bool associations_has_inbound(const struct associations *a, uint32_t spi)
{
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++)
        if (a->list[i].state == ASSOCIATION_HELD && a->list[i].sa->params.is_inbound &&
            a->list[i].sa->params.spi == spi)
            return true;
    return false;
}

void associations_remove(struct associations *a, struct association *association)
{
    association->state = ASSOCIATION_LEAVING;
    a->is_changed = true;
}

/* Whether a policy or an association has the group. */
static bool is_group_used(const struct associations *a, uint32_t group)
{
    for (unsigned i = 0; i < a->policy_count; i++)
        if (a->policies[i].rule.group == group)
            return true;
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++)
        if (a->list[i].state != ASSOCIATION_FREE && a->list[i].group == group)
            return true;
    return false;
}

/* A place for one more template; ASSOCIATIONS_POLICIES: all are in use. */
static unsigned template_place(const struct associations *a)
{
    unsigned i = a->template_count;
    if (i == ASSOCIATIONS_POLICIES)
        for (i = 0; i < ASSOCIATIONS_POLICIES && is_group_used(a, ASSOCIATIONS_GROUP + i);)
            i++;
    return i;
}

uint32_t associations_group(struct associations *a, const struct association_template *wanted)
{
    for (unsigned i = 0; i < a->template_count; i++) {
        const struct association_template *t = &a->templates[i];
        if (t->reqid == wanted->reqid && t->is_tunnel == wanted->is_tunnel && t->is_ipv6 == wanted->is_ipv6 &&
            memcmp(&t->local, &wanted->local, sizeof(t->local)) == 0 &&
            memcmp(&t->remote, &wanted->remote, sizeof(t->remote)) == 0)
            return ASSOCIATIONS_GROUP + i;
    }
    unsigned place = template_place(a);
    if (place == ASSOCIATIONS_POLICIES)
        return UINT32_MAX;
    a->templates[place] = *wanted;
    a->template_count += place == a->template_count;
    return ASSOCIATIONS_GROUP + place;
}

/* --- policies --- */

struct association_policy *associations_find_policy(struct associations *a,
                                                    const struct association_policy *wanted)
{
    for (unsigned i = 0; i < a->policy_count; i++)
        if (a->policies[i].index == wanted->index && a->policies[i].is_out == wanted->is_out)
            return &a->policies[i];
    return NULL;
}

static void remove_policy(struct associations *a, struct association_policy *policy)
{
    const struct association_policy *end = a->policies + a->policy_count--;
    memmove(policy, policy + 1, (size_t)(end - (policy + 1)) * sizeof(*policy));
    a->is_changed = true;
}

/* In the order of priorities; of equal ones, the later one is behind. The kernel lists the latest first, and
 * its indices grow. */
static void insert_policy(struct associations *a, const struct association_policy *policy)
{
    unsigned i = 0;
    while (i < a->policy_count && (a->policies[i].priority < policy->priority ||
                                   (a->policies[i].priority == policy->priority &&
                                    (!a->is_listing || a->policies[i].index < policy->index))))
        i++;
    memmove(&a->policies[i + 1], &a->policies[i], (a->policy_count++ - i) * sizeof(a->policies[0]));
    a->policies[i] = *policy;
    a->policies[i].is_seen = true;
    a->is_changed = true;
}

/* One that comes later than one without a place has a place before it alone. */
static bool has_place(const struct associations *a, const struct association_policy *policy)
{
    const struct associations_missing *missing = &a->missing[policy->is_out];
    bool is_behind = !a->is_listing && missing->count > 0 && policy->priority >= missing->priority;
    return a->policy_count < ASSOCIATIONS_POLICIES && !is_behind;
}

bool associations_put_policy(struct associations *a, const struct association_policy *policy)
{
    struct association_policy *former = associations_find_policy(a, policy);
    struct associations_missing *missing = &a->missing[policy->is_out];
    if (former && former->priority == policy->priority) { /* it stays before later ones of its priority */
        *former = *policy;
        former->is_seen = a->is_changed = true;
        return true;
    }
    if (former)
        remove_policy(a, former);
    if (former || has_place(a, policy)) {
        insert_policy(a, policy);
        return true;
    }
    bool is_first = missing->count++ == 0 || policy->priority < missing->priority ||
                    (policy->priority == missing->priority && policy->index < missing->index);
    if (is_first) {
        missing->priority = policy->priority;
        missing->index = policy->index;
    }
    a->is_changed = true;
    return false;
}

void associations_remove_policy(struct associations *a, const struct association_policy *policy)
{
    struct association_policy *found = associations_find_policy(a, policy);
    if (found)
        remove_policy(a, found);
    else if (a->missing[policy->is_out].count > 0) {
        a->missing[policy->is_out].count--;
        a->is_changed = true;
    }
}

void associations_flush_policies(struct associations *a)
{
    a->policy_count = 0;
    memset(a->missing, 0, sizeof(a->missing));
    a->is_changed = true;
}

void associations_begin_list(struct associations *a)
{
    a->is_listing = true;
    for (unsigned i = 0; i < a->policy_count; i++)
        a->policies[i].is_seen = false;
    for (unsigned i = 0; i < 2; i++)
        a->missing[i].before = a->missing[i].count;
}

void associations_end_list(struct associations *a)
{
    a->is_listing = false;
    a->is_changed = true;
    for (unsigned i = a->policy_count; i-- > 0;)
        if (!a->policies[i].is_seen)
            remove_policy(a, &a->policies[i]);
    for (unsigned i = 0; i < 2; i++)
        a->missing[i].count -= a->missing[i].before;
    a->missing[0].before = a->missing[1].before = 0;
}

/* --- sets --- */

/* The association that protects the packets of a rule, with the SPI if that is not 0; NULL: there is none. */
static struct sa *protector(const struct associations *a, const struct rule *rule, uint32_t spi)
{
    const struct association *best_one = NULL;
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++) {
        const struct association *one = &a->list[i];
        if (spi != 0 && (one->state == ASSOCIATION_FREE || one->sa->params.spi != spi))
            continue;
        if (one->state == ASSOCIATION_HELD && !one->sa->params.is_inbound && one->group == rule->group &&
            one->sa->params.is_inner_ipv6 == rule->selector.is_ipv6 &&
            (!best_one || one->order > best_one->order))
            best_one = one;
    }
    return best_one ? best_one->sa : NULL;
}

static void add_out(const struct associations *a, struct rules *rules, const struct rule *rule, uint32_t spi)
{
    struct rule *added = &rules->out[rules->out_count++];
    *added = *rule;
    if (rule->action == RULE_PROTECT)
        added->sa = protector(a, rule, spi);
}

static void add_rule(const struct associations *a, struct rules *rules, const struct rule *rule,
                     const struct association_policy *of)
{
    if (of->is_out)
        add_out(a, rules, rule, of->spi);
    else
        rules->in[rules->in_count++] = *rule;
}

static bool is_behind_missing(const struct associations *a, const struct association_policy *policy)
{
    const struct associations_missing *missing = &a->missing[policy->is_out];
    bool is_later = policy->priority > missing->priority ||
                    (policy->priority == missing->priority && policy->index > missing->index);
    return missing->count > 0 && is_later;
}

/* Behind the policies of a direction: the rules of the configuration, or none passes. */
static void copy_last(const struct associations *a, const struct esp_config_side *config, struct rules *rules,
                      bool is_out)
{
    const struct association_policy none = {.is_out = is_out};
    const struct rule drops[] = {{.action = RULE_DROP}, {.action = RULE_DROP, .selector.is_ipv6 = true}};
    bool is_missing = a->missing[is_out].count > 0;
    const struct rule *list = is_missing ? drops : config->rules;
    for (unsigned i = 0; i < (is_missing ? 2 : config->count); i++)
        add_rule(a, rules, &list[i], &none);
}

/* Policies of IKE in the order of their priority, then the rules of the configuration. */
static void copy_rules(const struct associations *a, const struct esp_config_side *config,
                       struct rules *rules)
{
    for (unsigned i = 0; i < a->policy_count; i++)
        if (!is_behind_missing(a, &a->policies[i]))
            add_rule(a, rules, &a->policies[i].rule, &a->policies[i]);
    copy_last(a, config, rules, false);
    copy_last(a, config, rules, true);
    rules->others = config->others;
}

static void note_encap(struct rules *rules, uint16_t port)
{
    for (unsigned i = 0; i < rules->encap_count; i++)
        if (rules->encap_ports[i] == port)
            return;
    if (port != 0 && rules->encap_count < RULES_ENCAPS)
        rules->encap_ports[rules->encap_count++] = port;
}

static struct rules *set_new(const struct associations *a, const struct esp_config_side *config)
{
    struct rules *rules = rules_new();
    if (!rules)
        return NULL;
    atomic_init(&rules->users, a->workers);
    copy_rules(a, config, rules);
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++) {
        const struct association *one = &a->list[i];
        if (one->state != ASSOCIATION_HELD || !one->sa->params.is_inbound)
            continue;
        rules_add_inbound(rules, one->sa, one->group);
        note_encap(rules, one->sa->params.encap_destination);
    }
    return rules;
}

bool associations_exchange(struct associations *a, struct rules *sets[ESP_CONFIG_SIDES])
{
    bool is_good = a->is_changed;
    memset(sets, 0, ESP_CONFIG_SIDES * sizeof(sets[0]));
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
        is_good &= a->sides[side].former == NULL;
    for (unsigned side = 0; is_good && side < ESP_CONFIG_SIDES; side++)
        if (a->sides[side].config.is_on)
            is_good = (sets[side] = set_new(a, &a->sides[side].config)) != NULL;
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++) {
        if (!is_good) {
            rules_free(sets[side]);
            sets[side] = NULL;
        } else if (sets[side]) {
            a->sides[side].former = a->sides[side].now;
            a->sides[side].now = sets[side];
        }
    }
    for (unsigned i = 0; is_good && i < ASSOCIATIONS_MAX; i++)
        if (a->list[i].state == ASSOCIATION_LEAVING)
            a->list[i].state = ASSOCIATION_LEFT;
    a->is_changed &= !is_good;
    return is_good;
}

bool associations_is_settled(const struct associations *a)
{
    return !a->is_changed && !a->sides[ESP_CONFIG_GN].former && !a->sides[ESP_CONFIG_GB].former;
}

void associations_free(struct association *association)
{
    sa_free(association->sa);
    *association = (struct association){0};
}

void associations_tidy(struct associations *a)
{
    bool are_free = true;
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++) {
        struct rules **former = &a->sides[side].former;
        if (*former && atomic_load_explicit(&(*former)->users, memory_order_acquire) == 0) {
            rules_free(*former);
            *former = NULL;
        }
        are_free &= *former == NULL;
    }
    for (unsigned i = 0; are_free && i < ASSOCIATIONS_MAX; i++) {
        struct association *one = &a->list[i];
        if (one->state == ASSOCIATION_LEFT && one->is_of_ike) {
            one->state = ASSOCIATION_GONE;
            a->has_gone = true;
        } else if (one->state == ASSOCIATION_LEFT)
            associations_free(one);
    }
}
