/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_ecn.h"

#include "dataplane/aqm/aqm.h"

enum { SETUP = TCP_ECE | TCP_CWR, ECN_MASK = 3 };

uint8_t tcp_ecn_syn_flags(const struct tcp *t)
{
    if (t->state == TCP_SYN_SENT)
        return t->params.ecn ? SETUP : 0;
    return t->uses_ecn ? TCP_ECE : 0;
}

void tcp_ecn_take_syn(struct tcp *t, const struct tcp_header *syn)
{
    uint8_t wanted = syn->flags & TCP_ACK ? TCP_ECE : SETUP;
    t->uses_ecn = t->params.ecn && (syn->flags & SETUP) == wanted;
}

uint8_t tcp_ecn_flags(struct tcp *t, bool is_new)
{
    uint8_t flags = t->echoes_ce ? TCP_ECE : 0;
    if (is_new && t->owes_cwr) {
        flags |= TCP_CWR;
        t->owes_cwr = false;
    }
    return flags;
}

void tcp_ecn_take_data(struct tcp *t, const struct ip_packet *packet)
{
    if (!t->uses_ecn || packet->payload_octets == 0)
        return;
    if (packet->tcp.flags & TCP_CWR)
        t->echoes_ce = false;
    if ((packet->ip.tos & ECN_MASK) == AQM_ECN_CE) {
        t->echoes_ce = true;
        t->stats.ce_received++;
    }
}

bool tcp_ecn_has_reduced(const struct tcp *t)
{
    return t->uses_ecn && t->una < t->reduced_at;
}

void tcp_ecn_reduced(struct tcp *t)
{
    t->reduced_at = t->nxt;
    t->owes_cwr = t->uses_ecn;
}
