/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/ike.h"

#include "control/base/clock.h"
#include "control/core/core.h"
#include "control/esp/associations.h"
#include "control/esp/used_keys.h"
#include "control/live/ike_packets.h"
#include "control/live/live.h"
#include "dataplane/base/moment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOK_NS       (5 * MOMENT_SECOND)  /* between two looks at lives and counts */
#define OLD_NS        (30 * MOMENT_SECOND) /* from the soft to the hard end of one from before the start */
#define MESSAGES_MOST 64                   /* of the process, in a step */
#define GAP_NUMBERS   65536

static void say(const struct live *live, const char *level, const char *form, ...)
{
    char text[XFRM_TEXT_CHARS + 64];
    va_list words;
    va_start(words, form);
    vsnprintf(text, sizeof(text), form, words);
    va_end(words);
    core_log(&live->node.core, "esp", level, text);
}

/* --- keys that were in use --- */

static struct live_ike_past *find_past(struct live_ike *ike, const struct used_key *key)
{
    for (unsigned i = 0; i < LIVE_IKE_PAST; i++)
        if (used_key_is(&ike->past[i].key, key))
            return &ike->past[i];
    return NULL;
}

/* Workers may take some more numbers of an association that leaves. */
static void note_past(struct live_ike *ike, const struct live_ike_sa *one)
{
    const struct sa *sa = one->association->sa;
    struct live_ike_past *past = find_past(ike, &one->key);
    if (!past) {
        past = &ike->past[ike->past_next++ % LIVE_IKE_PAST];
        past->key = one->key;
    }
    uint64_t first = sa->params.first_sequence ? sa->params.first_sequence : 1;
    past->number = first + sa_counts_of(sa).numbers + GAP_NUMBERS;
}

/* --- associations --- */

static bool is_same(const struct sa_params *a, const struct sa_params *b)
{
    return a->spi == b->spi && a->is_ipv6 == b->is_ipv6 &&
           memcmp(&a->destination, &b->destination, sizeof(a->destination)) == 0;
}

static struct live_ike_sa *find_sa(struct live_ike *ike, const struct sa_params *params)
{
    for (unsigned i = 0; i < LIVE_IKE_SAS; i++)
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

static void leave(struct live *live, struct live_ike_sa *one)
{
    if (!one->association)
        return;
    note_past(&live->ike, one);
    associations_remove(&live->esp.all, one->association);
    one->association = NULL;
}

/* An inbound association with these keys that some worker may still have; NULL: there is none. */
static struct association *find_leaving(struct associations *all, const struct live_ike_sa *one)
{
    for (unsigned i = 0; one->sa.params.is_inbound && i < ASSOCIATIONS_MAX; i++) {
        struct association *of = &all->list[i];
        if (of->state != ASSOCIATION_FREE && of->is_of_ike && used_key_is(&of->key, &one->key) &&
            of->sa->params.is_inner_ipv6 == one->sa.params.is_inner_ipv6)
            return of;
    }
    return NULL;
}

static bool refuse(const struct live *live, const struct live_ike_sa *one, const char *reason)
{
    say(live, "error", "SPI 0x%08x, %s: %s", one->sa.params.spi, sa_suite_name(one->sa.params.suite), reason);
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

/* Makes it, and takes its numbers up where the same keys left them: outbound ones behind the last, inbound
 * ones by the association that is about to leave. */
static bool use(struct live *live, struct live_ike_sa *one)
{
    const struct association_template template = template_of(&one->sa);
    struct associations *all = &live->esp.all;
    struct sa_params *p = &one->sa.params;
    const struct live_ike_past *past = find_past(&live->ike, &one->key);
    uint32_t group = associations_group(all, &template);
    const char *reason = why_not(all, p, group);
    if (reason)
        return refuse(live, one, reason);
    p->is_inner_ipv6 = is_inner_ipv6(all, p, group);
    p->first_sequence = past && !p->is_inbound ? past->number : 0;
    one->association = find_leaving(all, one);
    if (one->association) {
        one->association->state = ASSOCIATION_HELD;
        one->association->group = group;
        all->is_changed = true;
        return true;
    }
    if (past && p->is_inbound)
        return refuse(live, one, "its keys were in use before");
    struct sa *sa = associations_make(all, p, &reason);
    one->association = sa ? associations_add(all, sa, group, live->node.core.now) : NULL;
    if (one->association) {
        one->association->is_of_ike = true;
        one->association->key = one->key;
        return true;
    }
    if (sa) {
        reason = "too many associations";
        sa_free(sa);
    }
    return refuse(live, one, reason);
}

/* One of the SPI that was refused may take the place of one that has gone. */
static void use_next(struct live *live, uint32_t spi)
{
    for (unsigned i = 0; i < LIVE_IKE_SAS; i++) {
        struct live_ike_sa *one = &live->ike.sas[i];
        if (one->is_there && !one->is_old && !one->association && one->sa.params.is_inbound &&
            one->sa.params.spi == spi && use(live, one))
            return;
    }
}

static void forget(struct live *live, struct live_ike_sa *one)
{
    const struct sa_params p = {.spi = one->sa.params.spi, .is_inbound = one->sa.params.is_inbound};
    bool was_used = one->association != NULL;
    leave(live, one);
    say(live, "info", "SPI 0x%08x of direction %s: gone", p.spi, p.is_inbound ? "in" : "out");
    explicit_bzero(one, sizeof(*one));
    if (was_used && p.is_inbound)
        use_next(live, p.spi);
}

/* Whether the node has one of the addresses, and which direction that makes. */
static bool find_direction(const struct live *live, struct sa_params *p)
{
    bool is_from = live_ike_is_own(live, &p->source, p->is_ipv6),
         is_to = live_ike_is_own(live, &p->destination, p->is_ipv6);
    p->is_inbound = is_to;
    return is_from != is_to;
}

static void expire(struct live_ike *ike, const struct live_ike_sa *one, bool is_hard)
{
    struct xfrm_message message = {.kind = XFRM_EXPIRE, .sa = one->sa};
    memset(message.sa.params.key, 0, sizeof(message.sa.params.key));
    memset(message.sa.params.auth, 0, sizeof(message.sa.params.auth));
    message.sa.is_hard = is_hard;
    xfrm_put(&ike->xfrm, &message);
}

static void add_sa(struct live *live, const struct xfrm_sa *sa)
{
    struct live_ike *ike = &live->ike;
    struct live_ike_sa *one = ike->sas;
    while (one < ike->sas + LIVE_IKE_SAS && one->is_there)
        one++;
    if (one == ike->sas + LIVE_IKE_SAS) {
        say(live, "error", "SPI 0x%08x: more than %d associations", sa->params.spi, LIVE_IKE_SAS);
        return;
    }
    *one = (struct live_ike_sa){.sa = *sa, .is_seen = true, .since_ns = live->node.core.now};
    struct sa_params *p = &one->sa.params;
    one->key = used_key_of(p);
    if (!find_direction(live, p)) {
        say(live, "warn", "SPI 0x%08x: not one of its addresses is the node's, or both are", p->spi);
        explicit_bzero(one, sizeof(*one));
        return;
    }
    one->is_there = true;
    one->is_old = ike->is_first_list;
    say(live, "info", "SPI 0x%08x of direction %s: %s, %s%s", p->spi, p->is_inbound ? "in" : "out",
        sa_suite_name(p->suite), p->is_tunnel ? "tunnel" : "transport",
        one->is_old ? "; it is from before the start, and renewed" : "");
    if (one->is_old)
        expire(ike, one, false);
    else
        use(live, one);
}

static void take_sa(struct live *live, const struct xfrm_sa *sa)
{
    struct live_ike_sa *one = find_sa(&live->ike, &sa->params);
    struct used_key key = used_key_of(&sa->params);
    if (one && used_key_is(&one->key, &key)) {
        const struct sa_params *p = &one->sa.params;
        bool is_moved = p->encap_source != sa->params.encap_source ||
                        p->encap_destination != sa->params.encap_destination || one->sa.reqid != sa->reqid;
        bool is_inbound = p->is_inbound;
        one->is_seen = true;
        one->sa = *sa;
        one->sa.params.is_inbound = is_inbound;
        if (!is_moved || !one->association)
            return;
        leave(live, one);
        use(live, one);
        return;
    }
    if (one)
        forget(live, one);
    add_sa(live, sa);
}

/* --- policies --- */

static unsigned find_policy(const struct associations *all, const struct association_policy *wanted)
{
    unsigned i = 0;
    while (i < all->policy_count &&
           (all->policies[i].index != wanted->index || all->policies[i].is_out != wanted->is_out))
        i++;
    return i;
}

static void remove_policy(struct live *live, unsigned i)
{
    struct associations *all = &live->esp.all;
    unsigned after = --all->policy_count - i;
    memmove(&all->policies[i], &all->policies[i + 1], after * sizeof(all->policies[0]));
    memmove(&live->ike.policy_seen[i], &live->ike.policy_seen[i + 1],
            after * sizeof(live->ike.policy_seen[0]));
    all->is_changed = true;
}

/* In the order of priorities; of equal ones, the later one is behind. */
static void insert_policy(struct live *live, const struct association_policy *policy)
{
    struct associations *all = &live->esp.all;
    unsigned i = 0;
    while (i < all->policy_count && all->policies[i].priority <= policy->priority)
        i++;
    unsigned after = all->policy_count++ - i;
    memmove(&all->policies[i + 1], &all->policies[i], after * sizeof(all->policies[0]));
    memmove(&live->ike.policy_seen[i + 1], &live->ike.policy_seen[i],
            after * sizeof(live->ike.policy_seen[0]));
    all->policies[i] = *policy;
    live->ike.policy_seen[i] = true;
    all->is_changed = true;
}

/* An association that came before the policies of its template may be for the other version. */
static void mend_versions(struct live *live, uint32_t group)
{
    for (unsigned i = 0; i < LIVE_IKE_SAS; i++) {
        struct live_ike_sa *one = &live->ike.sas[i];
        struct association *of = one->association;
        if (!one->is_there || !of || of->group != group ||
            of->sa->params.is_inner_ipv6 == is_inner_ipv6(&live->esp.all, &one->sa.params, group))
            continue;
        const struct sa_counts counts = sa_counts_of(of->sa);
        if (counts.numbers + counts.packets > 0)
            continue; /* its policies are of both versions */
        associations_remove(&live->esp.all, of);
        use(live, one);
    }
}

static void say_policy(const struct live *live, const struct association_policy *policy, const char *refusal)
{
    static const char *const actions[] = {
        [RULE_PASS] = "pass", [RULE_PROTECT] = "protect", [RULE_DROP] = "drop"};
    say(live, refusal[0] ? "error" : "info", "policy %u of direction %s, priority %u: %s%s%s", policy->index,
        policy->is_out ? "out" : "in", policy->priority, actions[policy->rule.action],
        refusal[0] ? ", for gbflow cannot do it: " : "", refusal);
}

/* One that comes later than one without a place has a place behind it alone. */
static bool has_place(const struct live *live, const struct association_policy *policy)
{
    const struct associations *all = &live->esp.all;
    const struct associations_missing *missing = &all->missing[policy->is_out];
    bool is_behind = !live->ike.is_listing && missing->count > 0 && policy->priority >= missing->priority;
    return all->policy_count < ASSOCIATIONS_POLICIES && !is_behind;
}

static void note_missing(struct live *live, const struct association_policy *policy)
{
    struct associations *all = &live->esp.all;
    struct associations_missing *missing = &all->missing[policy->is_out];
    if (missing->count++ == 0 || policy->priority < missing->priority)
        missing->priority = policy->priority;
    all->is_changed = true;
    say(live, "error",
        "policy %u of direction %s, priority %u: more than %d policies; packets that none of priority %u or "
        "before fits are dropped; make fewer, and load all again",
        policy->index, policy->is_out ? "out" : "in", policy->priority, ASSOCIATIONS_POLICIES,
        missing->priority);
}

static void forget_missing(struct associations *all, bool is_out, unsigned count)
{
    struct associations_missing *missing = &all->missing[is_out];
    missing->count -= missing->count < count ? missing->count : count;
    all->is_changed = true;
}

static void forget_policy(struct live *live, const struct association_policy *policy)
{
    unsigned i = find_policy(&live->esp.all, policy);
    if (i < live->esp.all.policy_count)
        remove_policy(live, i);
    else if (live->esp.all.missing[policy->is_out].count > 0)
        forget_missing(&live->esp.all, policy->is_out, 1);
}

static void flush_policies(struct live *live)
{
    struct associations *all = &live->esp.all;
    while (all->policy_count > 0)
        remove_policy(live, all->policy_count - 1);
    memset(all->missing, 0, sizeof(all->missing));
    all->is_changed = true;
}

/* One without a group drops, as one that was refused: its packets must not find another of lower priority. */
static void take_policy(struct live *live, const struct xfrm_policy *from)
{
    struct associations *all = &live->esp.all;
    struct association_policy policy = from->policy;
    const char *refusal = from->refusal;
    unsigned i = find_policy(all, &policy);
    bool is_new = i == all->policy_count, is_same_action = false;
    policy.rule.group = from->is_protecting ? associations_group(all, &from->template) : 0;
    if (policy.rule.group == UINT32_MAX) {
        policy.rule.group = 0;
        policy.rule.action = RULE_DROP;
        refusal = "too many templates";
    }
    if (is_new && !has_place(live, &policy)) {
        note_missing(live, &policy);
        return;
    }
    if (!is_new) {
        is_same_action = all->policies[i].rule.action == policy.rule.action;
        remove_policy(live, i);
    }
    if (!is_same_action)
        say_policy(live, &policy, refusal);
    insert_policy(live, &policy);
    if (policy.rule.action == RULE_PROTECT)
        mend_versions(live, policy.rule.group);
}

/* --- messages of the process --- */

static void begin_list(struct live *live)
{
    struct live_ike *ike = &live->ike;
    ike->is_listing = true;
    for (unsigned i = 0; i < 2; i++)
        ike->missing_before[i] = live->esp.all.missing[i].count;
    for (unsigned i = 0; i < LIVE_IKE_SAS; i++)
        ike->sas[i].is_seen = false;
    memset(ike->policy_seen, 0, sizeof(ike->policy_seen));
}

static void end_list(struct live *live)
{
    struct live_ike *ike = &live->ike;
    for (unsigned i = 0; i < LIVE_IKE_SAS; i++)
        if (ike->sas[i].is_there && !ike->sas[i].is_seen)
            forget(live, &ike->sas[i]);
    for (unsigned i = live->esp.all.policy_count; i-- > 0;)
        if (!ike->policy_seen[i])
            remove_policy(live, i);
    for (unsigned i = 0; i < 2; i++)
        forget_missing(&live->esp.all, i == 1, ike->missing_before[i]);
    ike->is_first_list = ike->is_listing = false;
}

static void take_message(struct live *live, const struct xfrm_message *message)
{
    struct live_ike *ike = &live->ike;
    struct live_ike_sa *gone;
    switch (message->kind) {
    case XFRM_SA:
        take_sa(live, &message->sa);
        break;
    case XFRM_SA_GONE:
        if ((gone = find_sa(ike, &message->sa.params)))
            forget(live, gone);
        break;
    case XFRM_POLICY:
        take_policy(live, &message->policy);
        break;
    case XFRM_POLICY_GONE:
        forget_policy(live, &message->policy.policy);
        break;
    case XFRM_FLUSH_SAS:
        for (unsigned i = 0; i < LIVE_IKE_SAS; i++)
            if (ike->sas[i].is_there)
                forget(live, &ike->sas[i]);
        break;
    case XFRM_FLUSH_POLICIES:
        flush_policies(live);
        break;
    case XFRM_SYNC:
        ike->sync_had = message->sync;
        break;
    case XFRM_DEVICE:
        live_ike_packets_reopened(live);
        break;
    case XFRM_LIST_BEGIN:
        begin_list(live);
        break;
    case XFRM_LIST_END:
        end_list(live);
        break;
    default:
        say(live, "error", "%.*s", XFRM_TEXT_CHARS - 1, message->text);
    }
}

/* Returns whether there may be more. */
static bool take_messages(struct live *live)
{
    struct xfrm_message message;
    bool is_gone = false;
    unsigned count = 0;
    while (!live->ike.has_ended && count < MESSAGES_MOST && xfrm_take(&live->ike.xfrm, &message, &is_gone)) {
        take_message(live, &message);
        explicit_bzero(&message, sizeof(message));
        count++;
    }
    if (is_gone && !live->ike.has_ended) {
        live->ike.has_ended = true;
        say(live, "error",
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

static void look_at(struct live *live, struct live_ike_sa *one)
{
    struct live_ike *ike = &live->ike;
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

static void look(struct live *live, int64_t now)
{
    struct live_ike *ike = &live->ike;
    for (unsigned i = 0; i < LIVE_IKE_SAS; i++) {
        struct live_ike_sa *one = &ike->sas[i];
        if (one->is_there && one->association)
            look_at(live, one);
        else if (one->is_there && one->is_old && now - one->since_ns > OLD_NS)
            expire(ike, one, true);
    }
}

int64_t live_ike_step(struct live *live, int64_t now)
{
    struct live_ike *ike = &live->ike;
    if (!ike->is_on)
        return MOMENT_NEVER;
    bool has_more = take_messages(live);
    has_more |= live_ike_packets_step(live, now);
    if (now >= ike->look_ns) {
        look(live, now);
        ike->look_ns = now + LOOK_NS;
    }
    return has_more ? now : moment_min(ike->look_ns, live_ike_packets_due(ike, now));
}

/* --- the whole --- */

bool live_ike_start(struct live *live)
{
    const struct esp_config_ike *config = &live->node.config.esp.ike;
    struct live_ike *ike = &live->ike;
    ike->is_first_list = true;
    ike->is_on = config->is_on;
    return !ike->is_on || xfrm_start(&ike->xfrm, config->netns, config->interface, live->options->user);
}

void live_ike_stop(struct live_ike *ike)
{
    if (ike->is_on)
        xfrm_stop(&ike->xfrm);
    ike->is_on = false;
    explicit_bzero(ike->sas, sizeof(ike->sas));
}
