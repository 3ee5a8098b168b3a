/* SPDX-License-Identifier: BSD-3-Clause */
/* What is answered on the link of Gn: ARP, echo requests, neighbour discovery; and the flow of a user packet.
 */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/flow_hash.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { OCTETS = 4096 };

static void check_arp(const uint8_t *bytes, size_t len)
{
    struct arp in;
    uint8_t again[ARP_OCTETS];
    int octets = arp_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK(octets == ARP_OCTETS && (size_t)octets <= len);
    FUZZ_CHECK(arp_encode(again, sizeof again - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(arp_encode(again, sizeof again, &in) == ARP_OCTETS && memcmp(again, bytes, ARP_OCTETS) == 0);
}

/* A message with a right sum comes out as it went in, but for the two forms of a sum of 0. */
static void check_echo(const uint8_t *bytes, size_t len)
{
    static uint8_t again[OCTETS];
    struct icmp_echo in;
    int octets = icmp_echo_decode(&in, bytes, len);
    if (octets < 0 || len > sizeof again)
        return;
    FUZZ_CHECK((size_t)octets == len && fuzz_is_inside(in.data, in.data_octets, bytes, len));
    FUZZ_CHECK(icmp_echo_encode(again, len - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(icmp_echo_encode(again, len, &in) == octets);
    FUZZ_CHECK(memcmp(again, bytes, 2) == 0 && memcmp(again + 4, bytes + 4, len - 4) == 0);
}

static void check_neighbour(const uint8_t *bytes, size_t len)
{
    struct nd in, out;
    uint8_t again[ND_MAX_OCTETS];
    int octets = nd_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK((size_t)octets == len && in.target[0] != 0xff);
    int written = nd_encode(again, sizeof again, &in);
    FUZZ_CHECK(written == (in.has_mac ? ND_MAX_OCTETS : ND_OCTETS));
    FUZZ_CHECK(nd_encode(again, (size_t)written - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(nd_encode(again, sizeof again, &in) == written);
    FUZZ_CHECK(nd_decode(&out, again, (size_t)written) == written);
    FUZZ_CHECK(out.type == in.type && out.has_mac == in.has_mac && out.is_solicited == in.is_solicited);
    FUZZ_CHECK(out.is_override == in.is_override && memcmp(out.target, in.target, 16) == 0);
}

/* Octets behind both headers do not matter, whatever they are. */
static void check_flow(const uint8_t *bytes, size_t len)
{
    uint8_t packet[96] = {0};
    size_t octets = len < sizeof packet ? len : sizeof packet;
    memcpy(packet, bytes, octets);
    uint32_t hash = flow_hash_of(7, packet, octets);
    FUZZ_CHECK(flow_hash_of(7, packet, octets) == hash);
    if (octets > 64 && packet[0] == 0x45) {
        packet[octets - 1] ^= 1;
        FUZZ_CHECK(flow_hash_of(7, packet, octets) == hash);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    check_arp(bytes, len);
    check_echo(bytes, len);
    check_neighbour(bytes, len);
    check_flow(bytes, len);
    return 0;
}
