/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ether.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <string.h>

static const uint8_t request[] = {0,   1, 8, 0, 6, 4, 0, 1, 2, 0, 0,   0, 0, 7,
                                  192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 192, 0, 2, 99};

static int decode(const uint8_t *bytes, size_t len)
{
    struct arp arp;
    return arp_decode(&arp, bytes, len);
}

TEST(a_request_round_trips)
{
    struct arp arp;
    uint8_t back[ARP_OCTETS];
    assert_int_equal(arp_decode(&arp, request, sizeof request), ARP_OCTETS);
    assert_int_equal(arp.operation, ARP_REQUEST);
    assert_int_equal(arp.sender_mac[5], 7);
    assert_int_equal(arp.sender_ip, 0xc0000201);
    assert_int_equal(arp.target_ip, 0xc0000263);
    memset(arp.target_mac, 9, sizeof arp.target_mac);
    arp.operation = ARP_REPLY;
    assert_int_equal(arp_encode(back, sizeof back, &arp), ARP_OCTETS);
    assert_int_equal(arp_encode(back, sizeof back - 1, &arp), ERR_NO_SPACE);
    struct arp again;
    assert_int_equal(arp_decode(&again, back, sizeof back), ARP_OCTETS);
    assert_int_equal(again.operation, ARP_REPLY);
    assert_memory_equal(again.target_mac, "\t\t\t\t\t\t", 6);
    assert_memory_equal(back + 8, request + 8, 10);
    assert_memory_equal(back + 24, request + 24, 4);
}

TEST(other_links_are_not_ours)
{
    static const uint8_t places[] = {0, 1, 2, 3, 4, 5};
    for (size_t i = 0; i < sizeof places; i++) {
        uint8_t bytes[sizeof request];
        memcpy(bytes, request, sizeof bytes);
        bytes[places[i]] ^= 0x10;
        assert_int_equal(decode(bytes, sizeof bytes), ERR_UNSUPPORTED);
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t len = 0; len < sizeof request; len++)
        assert_int_equal(probe_exact(decode, request, len), ERR_TRUNCATED);
}

TEST(noise_does_no_harm)
{
    probe_noise(decode, 1);
    probe_mutations(decode, request, sizeof request, 2);
}

UNIT_MAIN(NULL, NULL)
