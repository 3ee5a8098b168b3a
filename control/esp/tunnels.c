/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/tunnels.h"

#include "dataplane/esp/fit.h"
#include "dataplane/esp/sa.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

static struct neighbour_ip ip_of(const struct sa_address *address, bool is_ipv6)
{
    return is_ipv6 ? neighbour_ip_v6(address->octets) : neighbour_ip_v4(bytes_get_u32(address->octets));
}

bool tunnels_far(const struct rules *rules, const struct tunnels_way *way, struct neighbour_ip *end)
{
    bool is_ipv6 = !neighbour_ip_is_v4(&way->remote);
    unsigned offset = is_ipv6 ? 0 : 12; /* of an IPv4 address */
    const struct rule_packet packet = {.is_ipv6 = is_ipv6,
                                       .has_ports = true,
                                       .protocol = IPV4_PROTO_UDP,
                                       .header_octets = is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS,
                                       .source_port = way->local_port,
                                       .destination_port = way->remote_port,
                                       .source = way->local.octets + offset,
                                       .destination = way->remote.octets + offset};
    if (!rules || neighbour_ip_is_v4(&way->local) == is_ipv6)
        return false;
    const struct sa_params *params = fit_protector(rules, &packet);
    if (!params || !params->is_tunnel)
        return false;
    *end = ip_of(&params->destination, params->is_ipv6);
    return true;
}

/* Whether a rule for packets that come names associations of a group. */
static bool is_named(const struct rules *rules, uint32_t group)
{
    for (unsigned i = 0; i < rules->in_count; i++)
        if (rules->in[i].action == RULE_PROTECT && rules->in[i].group == group)
            return true;
    return false;
}

unsigned tunnels_near(const struct rules *rules, struct neighbour_ip *ends, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; rules && i < rules->out_count && count < most; i++) {
        const struct rule *rule = &rules->out[i];
        if (rule->action == RULE_PROTECT && rule->sa && rule->sa->params.is_tunnel)
            ends[count++] = ip_of(&rule->sa->params.source, rule->sa->params.is_ipv6);
    }
    for (unsigned i = 0; rules && i < rules->sa_count && count < most; i++) {
        const struct sa_params *params = &rules->sas[i].sa->params;
        if (params->is_tunnel && is_named(rules, rules->sas[i].group))
            ends[count++] = ip_of(&params->destination, params->is_ipv6);
    }
    return count;
}
