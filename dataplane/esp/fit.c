/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/fit.h"

#include "dataplane/esp/sa.h"

static bool is_protected(const struct rule *rule)
{
    return rule && rule->action == RULE_PROTECT && rule->sa;
}

const struct sa_params *fit_protector(const struct rules *rules, const struct rule_packet *packet)
{
    const struct rule *rule = rules_out(rules, packet);
    return is_protected(rule) ? &rule->sa->params : NULL;
}

/* Ports of a selector, and over IPv6 its protocol, are not in a fragment but the first. */
struct fit fit_of(const struct rules *rules, const struct rule_packet *packet, unsigned mtu_octets)
{
    const struct rule *rule = rules_out(rules, packet);
    struct fit fit = {.octets = mtu_octets};
    if (!rule)
        return fit;
    const struct rule_selector *s = &rule->selector;
    fit.is_whole_first = s->local_port || s->remote_port || (s->is_ipv6 && s->protocol);
    if (!is_protected(rule))
        return fit; /* passed, or dropped when it is sent */
    fit.octets = sa_room_octets(&rule->sa->params, mtu_octets, packet->header_octets);
    fit.is_whole_first |= !rule->sa->params.is_tunnel;
    return fit;
}
