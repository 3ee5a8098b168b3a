/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of the tunnels of ESP's rules in force. */
#include "control/esp/live.h"

#include "dataplane/esp/fit.h"
#include "dataplane/esp/sa.h"

/* The rules of a port now; NULL: it has no ESP. */
static const struct rules *rules_of(const struct esp_live *esp, enum msg_port port)
{
    return esp->all.sides[port == MSG_PORT_GN ? ESP_CONFIG_GN : ESP_CONFIG_GB].now;
}

static bool far_end(const void *arg, enum msg_port port, const struct links_way *way,
                    struct neighbour_ip *end)
{
    const struct rules *rules = rules_of(arg, port);
    bool is_ipv6 = !neighbour_ip_is_v4(&way->remote);
    unsigned offset = is_ipv6 ? 0 : 12; /* of an IPv4 address */
    const struct rule_ends ends = {.source = way->local.octets + offset,
                                   .destination = way->remote.octets + offset,
                                   .source_port = way->local_port,
                                   .destination_port = way->remote_port};
    const struct rule_packet packet = rule_packet_of_udp(&ends, is_ipv6);
    const struct sa_params *params = rules ? fit_protector(rules, &packet) : NULL;
    if (!params || !params->is_tunnel)
        return false;
    *end = neighbour_ip_of(params->destination.octets, params->is_ipv6);
    return true;
}

/* --- near ends --- */

/* Whether a rule for packets that come names associations of a group. */
static bool is_named(const struct rules *rules, uint32_t group)
{
    for (unsigned i = 0; i < rules->in_count; i++)
        if (rules->in[i].action == RULE_PROTECT && rules->in[i].group == group)
            return true;
    return false;
}

/* Policies of IKE are rules of both ports: their tunnels end where the configuration has the address. */
static bool is_of_port(const struct esp_live *esp, enum msg_port port, const struct neighbour_ip *end)
{
    enum msg_port other = port == MSG_PORT_GN ? MSG_PORT_GB : MSG_PORT_GN;
    return !esp->host->node->config.esp.ike.is_on ||
           !neighbour_is_own(&esp->host->links->sides[other].neighbours, end);
}

static unsigned near_ends(const void *arg, enum msg_port port, struct neighbour_ip *ends, unsigned most)
{
    const struct rules *rules = rules_of(arg, port);
    unsigned count = 0;
    for (unsigned i = 0; rules && i < rules->out_count && count < most; i++) {
        const struct rule *rule = &rules->out[i];
        if (rule->action != RULE_PROTECT || !rule->sa || !rule->sa->params.is_tunnel)
            continue;
        ends[count] = neighbour_ip_of(rule->sa->params.source.octets, rule->sa->params.is_ipv6);
        count += is_of_port(arg, port, &ends[count]);
    }
    for (unsigned i = 0; rules && i < rules->sa_count && count < most; i++) {
        const struct sa_params *params = &rules->sas[i].sa->params;
        if (!params->is_tunnel || !is_named(rules, rules->sas[i].group))
            continue;
        ends[count] = neighbour_ip_of(params->destination.octets, params->is_ipv6);
        count += is_of_port(arg, port, &ends[count]);
    }
    return count;
}

struct links_tunnels esp_tunnels_of(struct esp_live *esp)
{
    return (struct links_tunnels){.arg = esp, .far_end = far_end, .near_ends = near_ends};
}
