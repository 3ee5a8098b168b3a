/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which packets fit the MTU of a port with ESP.
 *
 * A packet that is too long leaves in fragments. It is cut before ESP where each fragment then has ESP of its
 * own, so that the other end need not collect what it cannot prove (RFC 4301 clause 7). It is cut behind ESP
 * where it must be whole before: in transport mode (RFC 4303 clause 3.1.1), and if its fragments would fit
 * another rule, as they have no ports, and over IPv6 no protocol.
 */
#ifndef DATAPLANE_ESP_FIT_H
#define DATAPLANE_ESP_FIT_H

#include "dataplane/esp/rules.h"

#include <stdbool.h>

struct fit {
    unsigned octets;     /* the longest IP packet that leaves in one of at most mtu_octets; 0: none does */
    bool is_whole_first; /* longer ones are cut behind ESP */
};

/* Of packets that leave, such as this one. mtu_octets: of the port, without Ethernet's header; packet: with
 * the ports of UDP, as its fragments would not have. */
struct fit fit_of(const struct rules *rules, const struct rule_packet *packet, unsigned mtu_octets);

/* The association that protects packets that leave, such as this one. NULL: none does. */
const struct sa_params *fit_protector(const struct rules *rules, const struct rule_packet *packet);

#endif
