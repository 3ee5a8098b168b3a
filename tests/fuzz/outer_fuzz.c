/* SPDX-License-Identifier: BSD-3-Clause */
/* The outer headers: Ethernet, IPv4, IPv6 with a fragment header, UDP, from a frame inwards. */
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_udp(const uint8_t *bytes, size_t len)
{
    struct udp in;
    uint8_t again[UDP_OCTETS];
    int octets = udp_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK(octets == UDP_OCTETS && UDP_OCTETS + (size_t)in.payload_octets <= len);
    FUZZ_CHECK(udp_encode(again, sizeof again - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(udp_encode(again, sizeof again, &in) == UDP_OCTETS);
    FUZZ_CHECK(memcmp(again, bytes, sizeof again) == 0);
}

/* A header without options, reserved flag and wrong sum comes out as it went in. */
static void check_ipv4_round_trip(const struct ipv4 *in, const uint8_t *bytes)
{
    uint8_t again[IPV4_OCTETS];
    bool is_good = ipv4_is_checksum_good(bytes, in->header_octets);
    FUZZ_CHECK(ipv4_encode(again, sizeof again - 1, in) < 0);
    if (in->header_octets != IPV4_OCTETS || bytes[6] & 0x80)
        return;
    FUZZ_CHECK(ipv4_encode(again, sizeof again, in) == IPV4_OCTETS);
    FUZZ_CHECK(ipv4_is_checksum_good(again, sizeof again));
    FUZZ_CHECK(memcmp(again, bytes, 10) == 0 && memcmp(again + 12, bytes + 12, 8) == 0);
    /* Both forms of zero are good sums; the encoder knows one. */
    FUZZ_CHECK(!is_good || memcmp(again + 10, bytes + 10, 2) == 0 || bytes_get_u16(bytes + 10) == 0xffff);
}

static void check_ipv4(const uint8_t *bytes, size_t len)
{
    struct ipv4 in;
    int octets = ipv4_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK(octets == in.header_octets && octets >= IPV4_OCTETS && octets <= 60);
    FUZZ_CHECK((size_t)octets + in.payload_octets <= len);
    FUZZ_CHECK(ipv4_is_fragment(&in) == ((bytes_get_u16(bytes + 6) & 0x3fff) != 0));
    check_ipv4_round_trip(&in, bytes);
    if (!ipv4_is_fragment(&in) && in.proto == IPV4_PROTO_UDP)
        check_udp(bytes + octets, in.payload_octets);
}

static void check_fragment(const uint8_t *bytes, size_t len)
{
    struct ipv6_fragment in;
    uint8_t again[IPV6_FRAGMENT_OCTETS];
    int octets = ipv6_fragment_decode(&in, bytes, len);
    FUZZ_CHECK((octets < 0) == (len < IPV6_FRAGMENT_OCTETS));
    if (octets < 0)
        return;
    FUZZ_CHECK(ipv6_fragment_encode(again, sizeof again - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(ipv6_fragment_encode(again, sizeof again, &in) == IPV6_FRAGMENT_OCTETS);
    FUZZ_CHECK(again[0] == bytes[0] && again[2] == bytes[2] && (again[3] ^ (bytes[3] & 0xf9)) == 0);
    FUZZ_CHECK(memcmp(again + 4, bytes + 4, 4) == 0);
}

/* A segment with its own sum in the place of two octets sums up to nothing. */
static void check_ipv6_sum(const struct ipv6 *ip, const uint8_t *bytes, size_t len)
{
    uint8_t segment[64];
    if (len < UDP_OCTETS || len > sizeof segment)
        return;
    memcpy(segment, bytes, len);
    segment[6] = segment[7] = 0;
    bytes_put_u16(segment + 6, ipv6_checksum(ip, IPV4_PROTO_UDP, segment, len));
    FUZZ_CHECK(ipv6_checksum(ip, IPV4_PROTO_UDP, segment, len) == 0);
}

static void check_ipv6(const uint8_t *bytes, size_t len)
{
    struct ipv6 in;
    uint8_t again[IPV6_OCTETS];
    int octets = ipv6_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK(octets == IPV6_OCTETS && IPV6_OCTETS + (size_t)in.payload_octets <= len);
    FUZZ_CHECK(ipv6_encode(again, sizeof again - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(ipv6_encode(again, sizeof again, &in) == IPV6_OCTETS);
    FUZZ_CHECK(memcmp(again, bytes, sizeof again) == 0);
    if (in.next_header == IPV6_FRAGMENT)
        check_fragment(bytes + octets, in.payload_octets);
    if (in.next_header == IPV4_PROTO_UDP)
        check_udp(bytes + octets, in.payload_octets);
    check_ipv6_sum(&in, bytes + octets, in.payload_octets);
}

/* The sum does not depend on where it is cut, as long as the cut is even. */
static void check_checksum(const uint8_t *bytes, size_t len)
{
    uint8_t sums[4];
    if (len < 2)
        return;
    size_t cut = bytes[0] % len & ~(size_t)1;
    bytes_put_u16(sums, (uint16_t)~ipv4_checksum(bytes, cut));
    bytes_put_u16(sums + 2, (uint16_t)~ipv4_checksum(bytes + cut, len - cut));
    FUZZ_CHECK(ipv4_checksum(sums, sizeof sums) == ipv4_checksum(bytes, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ether in;
    uint8_t again[ETHER_TAGGED_OCTETS];
    int octets = ether_decode(&in, bytes, len);
    check_checksum(bytes, len);
    check_ipv4(bytes, len);
    check_ipv6(bytes, len);
    check_udp(bytes, len);
    if (octets < 0)
        return 0;
    FUZZ_CHECK(octets == (in.has_vlan ? ETHER_TAGGED_OCTETS : ETHER_OCTETS) && (size_t)octets <= len);
    FUZZ_CHECK(ether_encode(again, (size_t)octets - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(ether_encode(again, sizeof again, &in) == octets);
    FUZZ_CHECK(memcmp(again, bytes, (size_t)octets) == 0);
    if (in.type == ETHER_TYPE_IPV4)
        check_ipv4(bytes + octets, len - (size_t)octets);
    if (in.type == ETHER_TYPE_IPV6)
        check_ipv6(bytes + octets, len - (size_t)octets);
    return 0;
}
