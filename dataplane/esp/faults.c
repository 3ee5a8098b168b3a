/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/faults.h"

#include "dataplane/base/bytes.h"
#include "dataplane/esp/rules.h"
#include "dataplane/wire/ipv4.h"

#include <string.h>

enum { SPI = 4, PORT_ENCAP = 4500 };

static void put(struct faults *faults, enum drop reason, const struct fault *fault)
{
    unsigned i = (unsigned)reason - FAULTS_FIRST;
    faults->list[i] = *fault;
    faults->seen |= UINT32_C(1) << i;
}

/* FAULTS_NO_SPI: the packet has no ESP. */
static uint32_t spi_of(const struct rule_packet *packet, const uint8_t *ip)
{
    unsigned offset = packet->header_octets;
    if (packet->is_fragment)
        return FAULTS_NO_SPI;
    if (packet->protocol == IPV4_PROTO_UDP && packet->has_ports && packet->destination_port == PORT_ENCAP)
        offset += UDP_OCTETS;
    else if (packet->protocol != ESP_PROTO)
        return FAULTS_NO_SPI;
    return packet->octets < offset + SPI ? FAULTS_NO_SPI : bytes_get_u32(ip + offset);
}

void faults_note_packet(struct faults *faults, enum drop reason, const uint8_t *ip, size_t octets,
                        bool is_out)
{
    struct rule_packet packet;
    struct fault fault = {.is_out = is_out};
    if (rule_packet_read(&packet, ip, octets)) {
        fault.is_ipv6 = packet.is_ipv6;
        fault.spi = is_out ? FAULTS_NO_SPI : spi_of(&packet, ip);
        memcpy(fault.address.octets, is_out ? packet.destination : packet.source, packet.is_ipv6 ? 16 : 4);
    }
    put(faults, reason, &fault);
}

void faults_note_sa(struct faults *faults, enum drop reason, const struct sa_params *params)
{
    const struct fault fault = {.address = params->is_inbound ? params->source : params->destination,
                                .spi = params->spi,
                                .is_ipv6 = params->is_ipv6,
                                .is_out = !params->is_inbound};
    put(faults, reason, &fault);
}
