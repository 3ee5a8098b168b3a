/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/ike.h"

#include "control/base/clock.h"
#include "control/core/core.h"
#include "control/esp/associations.h"
#include "control/esp/used_keys.h"
#include "control/esp/ike_packets.h"
#include "control/esp/live.h"
#include "dataplane/base/moment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOK_NS       (5 * MOMENT_SECOND)  /* between two looks at lives and counts */
#define OLD_NS        (30 * MOMENT_SECOND) /* from the soft to the hard end of one from before the start */
#define MESSAGES_MOST 64                   /* of the process, in a step */
#define GAP_NUMBERS   65536

static void say(const struct esp_live *esp, const char *level, const char *form, ...)
{
    char text[XFRM_TEXT_CHARS + 64];
    va_list words;
    va_start(words, form);
    vsnprintf(text, sizeof(text), form, words);
    va_end(words);
    core_log(&esp->host->node->core, "esp", level, text);
}

/* --- keys that were in use --- */

static struct esp_ike_past *find_past(struct esp_ike *ike, const struct used_key *key)
{
    for (unsigned i = 0; i < ESP_IKE_PAST; i++)
        if (used_key_is(&ike->past[i].key, key))
            return &ike->past[i];
    return NULL;
}

/* Outbound numbers continue behind the last, inbound ones behind the highest that came: at the lower end of
 * a window without marks. */
static void note_past(struct esp_ike *ike, const struct association *of)
{
    const struct sa *sa = of->sa;
    struct esp_ike_past *past = find_past(ike, &of->key);
    if (!past) {
        past = &ike->past[ike->past_next++ % ESP_IKE_PAST];
        past->key = of->key;
    }
    uint64_t first = sa->params.first_sequence ? sa->params.first_sequence : 1;
    past->number = sa->params.is_inbound ? sa->window.top + sa->window.size
                                         : first + sa_counts_of(sa).numbers + GAP_NUMBERS;
}

/* --- associations --- */

static bool is_same(const struct sa_params *a, const struct sa_params *b)
{
    return a->spi == b->spi && a->is_ipv6 == b->is_ipv6 &&
           memcmp(&a->destination, &b->destination, sizeof(a->destination)) == 0;
}

static struct esp_ike_sa *find_sa(struct esp_ike *ike, const struct sa_params *params)
{
    for (unsigned i = 0; i < ESP_IKE_SAS; i++)
        if (ike->sas[i].is_there && is_same(&ike->sas[i].sa.params, params))
            return &ike->sas[i];
    return NULL;
}

static struct association_template template_of(const struct xfrm_sa *sa)
{
    const struct sa_params *p = &sa->params;
    struct association_template t = {
        .reqid = sa->reqid, .is_tunnel = p->is_tunnel, .is_ipv6 = p->is_tunnel && p->is_ipv6};
    if (p->is_tunnel) {
        t.local = p->is_inbound ? p->destination : p->source;
        t.remote = p->is_inbound ? p->source : p->destination;
    }
    return t;
}

/* The version of IP inside a tunnel is that of the first policy of its template. */
static bool is_inner_ipv6(const struct associations *all, const struct sa_params *p, uint32_t group)
{
    for (unsigned i = 0; p->is_tunnel && i < all->policy_count; i++) {
        const struct rule *rule = &all->policies[i].rule;
        if (rule->action == RULE_PROTECT && rule->group == group)
            return rule->selector.is_ipv6;
    }
    return p->is_ipv6;
}

static void leave(struct esp_live *esp, struct esp_ike_sa *one)
{
    if (!one->association)
        return;
    associations_remove(&esp->all, one->association);
    one->association = NULL;
}

/* An association with these keys that some worker may have; NULL: there is none. */
static struct association *find_keys(struct associations *all, const struct used_key *key)
{
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++) {
        struct association *of = &all->list[i];
        if (of->state != ASSOCIATION_FREE && of->is_of_ike && used_key_is(&of->key, key))
            return of;
    }
    return NULL;
}

/* Whether an association that leaves can stay in place of one with its keys. */
static bool can_stay(const struct association *of, const struct sa_params *p)
{
    const struct sa_params *had = &of->sa->params;
    return of->state != ASSOCIATION_HELD && had->is_inbound && p->is_inbound && had->spi == p->spi &&
           had->is_inner_ipv6 == p->is_inner_ipv6 && had->encap_destination == p->encap_destination;
}

static bool refuse(const struct esp_live *esp, const struct esp_ike_sa *one, const char *reason)
{
    say(esp, "error", "SPI 0x%08x, %s: %s", one->sa.params.spi, sa_suite_name(one->sa.params.suite), reason);
    return false;
}

/* NULL: it can be used. XFRM tells associations of one SPI by their destination, gbflow does not. */
static const char *why_not(const struct associations *all, const struct sa_params *p, uint32_t group)
{
    if (group == UINT32_MAX)
        return "too many templates";
    if (p->is_inbound && associations_has_inbound(all, p->spi))
        return "another association of direction in has its SPI, with another address; renew one of them";
    return NULL;
}

/* The first number of an association whose keys were in use. */
static uint64_t first_number(struct esp_ike *ike, const struct used_key *key)
{
    const struct esp_ike_past *past = find_past(ike, key);
    return past ? past->number : 0;
}

static bool make(struct esp_live *esp, struct esp_ike_sa *one, uint32_t group)
{
    struct associations *all = &esp->all;
    struct sa_params *p = &one->sa.params;
    const char *reason;
    p->first_sequence = first_number(&esp->ike, &one->key);
    if (!p->has_esn && p->first_sequence > UINT32_MAX)
        return refuse(esp, one, "its keys were in use before, and have no more sequence numbers");
    struct sa *sa = associations_make(all, p, &reason);
    one->association = sa ? associations_add(all, sa, group, esp->host->node->core.now) : NULL;
    if (one->association) {
        one->association->is_of_ike = true;
        one->association->key = one->key;
        return true;
    }
    if (sa) {
        reason = "too many associations";
        sa_free(sa);
    }
    return refuse(esp, one, reason);
}

/* Makes it, and takes its numbers up where the same keys left them, when no worker has these any more: an
 * inbound one that leaves can stay for it. */
static bool use(struct esp_live *esp, struct esp_ike_sa *one)
{
    const struct association_template template = template_of(&one->sa);
    struct associations *all = &esp->all;
    struct sa_params *p = &one->sa.params;
    uint32_t group = associations_group(all, &template);
    const char *reason = why_not(all, p, group);
    struct association *of = find_keys(all, &one->key);
    one->is_late = false;
    if (reason)
        return refuse(esp, one, reason);
    p->is_inner_ipv6 = is_inner_ipv6(all, p, group);
    if (of && can_stay(of, p)) {
        one->association = of;
        of->state = ASSOCIATION_HELD;
        of->group = group;
        all->is_changed = true;
        return true;
    }
    one->is_late = of != NULL;
    return of || make(esp, one, group);
}

/* Of associations that no worker has any more, the keys may come again. */
static void collect(struct esp_live *esp)
{
    struct associations *all = &esp->all;
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++) {
        if (all->list[i].state != ASSOCIATION_GONE)
            continue;
        note_past(&esp->ike, &all->list[i]);
        associations_free(&all->list[i]);
    }
    all->has_gone = false;
    for (unsigned i = 0; i < ESP_IKE_SAS; i++)
        if (esp->ike.sas[i].is_late)
            use(esp, &esp->ike.sas[i]);
}

/* One of the SPI that was refused may take the place of one that has gone. */
static void use_next(struct esp_live *esp, uint32_t spi)
{
    for (unsigned i = 0; i < ESP_IKE_SAS; i++) {
        struct esp_ike_sa *one = &esp->ike.sas[i];
        if (one->is_there && !one->is_old && !one->association && one->sa.params.is_inbound &&
            one->sa.params.spi == spi && use(esp, one))
            return;
    }
}

static void forget(struct esp_live *esp, struct esp_ike_sa *one)
{
    const struct sa_params p = {.spi = one->sa.params.spi, .is_inbound = one->sa.params.is_inbound};
    bool was_used = one->association != NULL;
    leave(esp, one);
    say(esp, "info", "SPI 0x%08x of direction %s: gone", p.spi, p.is_inbound ? "in" : "out");
    explicit_bzero(one, sizeof(*one));
    if (was_used && p.is_inbound)
        use_next(esp, p.spi);
}

/* Whether the node has one of the addresses, and which direction that makes. */
static bool find_direction(const struct esp_live *esp, struct sa_params *p)
{
    bool is_from = esp_ike_is_own(esp, &p->source, p->is_ipv6),
         is_to = esp_ike_is_own(esp, &p->destination, p->is_ipv6);
    p->is_inbound = is_to;
    return is_from != is_to;
}

static void expire(struct esp_ike *ike, const struct esp_ike_sa *one, bool is_hard)
{
    struct xfrm_message message = {.kind = XFRM_EXPIRE, .sa = one->sa};
    memset(message.sa.params.key, 0, sizeof(message.sa.params.key));
    memset(message.sa.params.auth, 0, sizeof(message.sa.params.auth));
    message.sa.is_hard = is_hard;
    xfrm_put(&ike->xfrm, &message);
}

static void add_sa(struct esp_live *esp, const struct xfrm_sa *sa)
{
    struct esp_ike *ike = &esp->ike;
    struct esp_ike_sa *one = ike->sas;
    while (one < ike->sas + ESP_IKE_SAS && one->is_there)
        one++;
    if (one == ike->sas + ESP_IKE_SAS) {
        say(esp, "error", "SPI 0x%08x: more than %d associations", sa->params.spi, ESP_IKE_SAS);
        return;
    }
    *one = (struct esp_ike_sa){.sa = *sa, .is_seen = true, .since_ns = esp->host->node->core.now};
    struct sa_params *p = &one->sa.params;
    one->key = used_key_of(p);
    if (!find_direction(esp, p)) {
        say(esp, "warn", "SPI 0x%08x: not one of its addresses is the node's, or both are", p->spi);
        explicit_bzero(one, sizeof(*one));
        return;
    }
    one->is_there = true;
    one->is_old = ike->is_first_list;
    say(esp, "info", "SPI 0x%08x of direction %s: %s, %s%s", p->spi, p->is_inbound ? "in" : "out",
        sa_suite_name(p->suite), p->is_tunnel ? "tunnel" : "transport",
        one->is_old ? "; it is from before the start, and renewed" : "");
    if (one->is_old)
        expire(ike, one, false);
    else
        use(esp, one);
}

static void take_sa(struct esp_live *esp, const struct xfrm_sa *sa)
{
    struct esp_ike_sa *one = find_sa(&esp->ike, &sa->params);
    struct used_key key = used_key_of(&sa->params);
    if (one && used_key_is(&one->key, &key)) {
        const struct sa_params *p = &one->sa.params;
        bool is_moved = p->encap_source != sa->params.encap_source ||
                        p->encap_destination != sa->params.encap_destination || one->sa.reqid != sa->reqid ||
                        memcmp(&p->source, &sa->params.source, sizeof(p->source)) != 0;
        bool is_inbound = p->is_inbound;
        one->is_seen = true;
        one->sa = *sa;
        one->sa.params.is_inbound = is_inbound;
        if (!is_moved || !one->association)
            return;
        leave(esp, one);
        use(esp, one);
        return;
    }
    if (one)
        forget(esp, one);
    add_sa(esp, sa);
}

/* An association that came before the policies of its template may be for the other version. */
static void mend_versions(struct esp_live *esp, uint32_t group)
{
    for (unsigned i = 0; i < ESP_IKE_SAS; i++) {
        struct esp_ike_sa *one = &esp->ike.sas[i];
        struct association *of = one->association;
        if (!one->is_there || !of || of->group != group ||
            of->sa->params.is_inner_ipv6 == is_inner_ipv6(&esp->all, &one->sa.params, group))
            continue;
        const struct sa_counts counts = sa_counts_of(of->sa);
        if (counts.numbers + counts.packets > 0)
            continue; /* its policies are of both versions */
        leave(esp, one);
        use(esp, one);
    }
}

static void say_policy(const struct esp_live *esp, const struct association_policy *policy,
                       const char *refusal)
{
    static const char *const actions[] = {
        [RULE_PASS] = "pass", [RULE_PROTECT] = "protect", [RULE_DROP] = "drop"};
    say(esp, refusal[0] ? "error" : "info", "policy %u of direction %s, priority %u: %s%s%s", policy->index,
        policy->is_out ? "out" : "in", policy->priority, actions[policy->rule.action],
        refusal[0] ? ", for gbflow cannot do it: " : "", refusal);
}

static void say_missing(const struct esp_live *esp, const struct association_policy *policy)
{
    say(esp, "error",
        "policy %u of direction %s, priority %u: more than %d policies; packets that none of priority %u or "
        "before fits are dropped; make fewer, and load all again",
        policy->index, policy->is_out ? "out" : "in", policy->priority, ASSOCIATIONS_POLICIES,
        esp->all.missing[policy->is_out].priority);
}

/* One without a group drops, as one that was refused: its packets must not find another of lower priority. */
static void take_policy(struct esp_live *esp, const struct xfrm_policy *from)
{
    struct associations *all = &esp->all;
    struct association_policy policy = from->policy;
    const struct association_policy *former = associations_find_policy(all, &policy);
    const char *refusal = from->refusal;
    policy.rule.group = from->is_protecting ? associations_group(all, &from->template) : 0;
    if (policy.rule.group == UINT32_MAX) {
        policy.rule.group = 0;
        policy.rule.action = RULE_DROP;
        refusal = "too many templates";
    }
    bool is_told = former && former->rule.action == policy.rule.action;
    if (!associations_put_policy(all, &policy))
        say_missing(esp, &policy);
    else if (!is_told)
        say_policy(esp, &policy, refusal);
    if (policy.rule.action == RULE_PROTECT)
        mend_versions(esp, policy.rule.group);
}

/* --- messages of the process --- */

static void begin_list(struct esp_live *esp)
{
    for (unsigned i = 0; i < ESP_IKE_SAS; i++)
        esp->ike.sas[i].is_seen = false;
    associations_begin_list(&esp->all);
}

static void end_list(struct esp_live *esp)
{
    struct esp_ike *ike = &esp->ike;
    for (unsigned i = 0; i < ESP_IKE_SAS; i++)
        if (ike->sas[i].is_there && !ike->sas[i].is_seen)
            forget(esp, &ike->sas[i]);
    associations_end_list(&esp->all);
    ike->is_first_list = false;
}

static void take_message(struct esp_live *esp, const struct xfrm_message *message)
{
    struct esp_ike *ike = &esp->ike;
    struct esp_ike_sa *gone;
    switch (message->kind) {
    case XFRM_SA:
        take_sa(esp, &message->sa);
        break;
    case XFRM_SA_GONE:
        if ((gone = find_sa(ike, &message->sa.params)))
            forget(esp, gone);
        break;
    case XFRM_POLICY:
        take_policy(esp, &message->policy);
        break;
    case XFRM_POLICY_GONE:
        associations_remove_policy(&esp->all, &message->policy.policy);
        break;
    case XFRM_FLUSH_SAS:
        for (unsigned i = 0; i < ESP_IKE_SAS; i++)
            if (ike->sas[i].is_there)
                forget(esp, &ike->sas[i]);
        break;
    case XFRM_FLUSH_POLICIES:
        associations_flush_policies(&esp->all);
        break;
    case XFRM_SYNC:
        ike->sync_had = message->sync;
        break;
    case XFRM_DEVICE:
        esp_ike_packets_reopened(esp);
        break;
    case XFRM_LIST_BEGIN:
        begin_list(esp);
        break;
    case XFRM_LIST_END:
        end_list(esp);
        break;
    default:
        say(esp, "error", "%.*s", XFRM_TEXT_CHARS - 1, message->text);
    }
}

/* Returns whether there may be more. */
static bool take_messages(struct esp_live *esp)
{
    struct xfrm_message message;
    bool is_gone = false;
    unsigned count = 0;
    while (!esp->ike.has_ended && count < MESSAGES_MOST && xfrm_take(&esp->ike.xfrm, &message, &is_gone)) {
        take_message(esp, &message);
        explicit_bzero(&message, sizeof(message));
        count++;
    }
    if (is_gone && !esp->ike.has_ended) {
        esp->ike.has_ended = true;
        say(esp, "error",
            "the process of esp.ike has ended: associations stay as they are; restart the node");
    }
    return count == MESSAGES_MOST;
}

/* --- lives and counts --- */

/* Without extended numbers the last of 2^32 must not be reached. */
static bool has_few_numbers(const struct sa *sa, const struct sa_counts *counts)
{
    return !sa->params.is_inbound && !sa->params.has_esn &&
           sa->params.first_sequence + counts->numbers > UINT32_MAX / 8 * 7;
}

static void look_at(struct esp_live *esp, struct esp_ike_sa *one)
{
    struct esp_ike *ike = &esp->ike;
    const struct xfrm_sa *limits = &one->sa;
    const struct sa_counts counts = sa_counts_of(one->association->sa);
    if (counts.packets != one->told_packets) {
        struct xfrm_message used = {.kind = XFRM_USED, .sa = one->sa};
        if (one->sa.use_time == 0)
            one->sa.use_time = (uint64_t)(clock_wall_ns() / MOMENT_SECOND);
        memset(used.sa.params.key, 0, sizeof(used.sa.params.key));
        memset(used.sa.params.auth, 0, sizeof(used.sa.params.auth));
        used.sa.octets = counts.octets;
        used.sa.packets = counts.packets;
        used.sa.use_time = one->sa.use_time;
        xfrm_put(&ike->xfrm, &used);
        one->told_packets = counts.packets;
    }
    bool is_soft = counts.octets > limits->soft_octets || counts.packets > limits->soft_packets ||
                   has_few_numbers(one->association->sa, &counts);
    if (counts.octets > limits->hard_octets || counts.packets > limits->hard_packets)
        expire(ike, one, true);
    else if (is_soft && !one->is_told)
        expire(ike, one, false);
    one->is_told |= is_soft;
}

static void look(struct esp_live *esp, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    for (unsigned i = 0; i < ESP_IKE_SAS; i++) {
        struct esp_ike_sa *one = &ike->sas[i];
        if (one->is_there && one->association)
            look_at(esp, one);
        else if (one->is_there && one->is_old && now - one->since_ns > OLD_NS)
            expire(ike, one, true);
    }
}

int64_t esp_ike_step(struct esp_live *esp, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    if (!ike->is_on)
        return MOMENT_NEVER;
    if (esp->all.has_gone)
        collect(esp);
    bool has_more = take_messages(esp);
    has_more |= esp_ike_packets_step(esp, now);
    if (now >= ike->look_ns) {
        look(esp, now);
        ike->look_ns = now + LOOK_NS;
    }
    return has_more ? now : moment_min(ike->look_ns, esp_ike_packets_due(ike, now));
}

/* --- the whole --- */

bool esp_ike_start(struct esp_live *esp)
{
    const struct esp_config_ike *config = &esp->host->node->config.esp.ike;
    struct esp_ike *ike = &esp->ike;
    ike->is_first_list = true;
    ike->is_on = config->is_on;
    return !ike->is_on || xfrm_start(&ike->xfrm, config->netns, config->interface, esp->host->user);
}

void esp_ike_stop(struct esp_ike *ike)
{
    if (ike->is_on)
        xfrm_stop(&ike->xfrm);
    ike->is_on = false;
    explicit_bzero(ike->sas, sizeof(ike->sas));
}
