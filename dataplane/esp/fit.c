/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/fit.h"

#include "dataplane/esp/sa.h"

struct fit fit_of(const struct rules *rules, const struct rule_packet *packet, unsigned mtu_octets)
{
    const struct rule *rule = rules_out(rules, packet);
    struct fit fit = {.octets = mtu_octets};
    if (!rule)
        return fit;
    const struct rule_selector *s = &rule->selector;
    fit.is_whole_first = s->local_port || s->remote_port || (s->is_ipv6 && s->protocol);
    if (rule->action != RULE_PROTECT || !rule->sa)
        return fit;
    fit.octets = sa_room_octets(&rule->sa->params, mtu_octets, packet->header_octets);
    fit.is_whole_first |= !rule->sa->params.is_tunnel;
    return fit;
}
