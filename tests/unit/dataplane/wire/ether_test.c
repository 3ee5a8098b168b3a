/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include "dataplane/wire/ether.h"

#include <string.h>

static const uint8_t plain[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00};
static const uint8_t tagged[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0x60, 0x07, 0x08, 0x06};
static const uint8_t twice[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0, 1, 0x81, 0x00};

static const struct {
    const uint8_t *bytes;
    size_t octets;
    uint16_t type, vlan_tci;
} rows[] = {
    {plain, sizeof plain, ETHER_TYPE_IPV4, 0},
    {tagged, sizeof tagged, ETHER_TYPE_ARP, 0x6007},
    {twice, sizeof twice, ETHER_TYPE_VLAN, 1},
};

PROBED(decode, struct ether, ether_decode)

TEST(headers_round_trip)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ether ether;
        uint8_t back[18];
        assert_int_equal(ether_decode(&ether, rows[i].bytes, rows[i].octets), rows[i].octets);
        assert_int_equal(ether.type, rows[i].type);
        assert_int_equal(ether.vlan_tci, rows[i].vlan_tci);
        assert_int_equal(ether.dst[5], 1);
        assert_int_equal(ether.src[5], 2);
        assert_int_equal(ether_encode(back, rows[i].octets, &ether), rows[i].octets);
        assert_memory_equal(back, rows[i].bytes, rows[i].octets);
        assert_int_equal(ether_encode(back, rows[i].octets - 1, &ether), ERR_NO_SPACE);
    }
}

TEST(every_truncation_is_refused)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t len = 0; len < rows[i].octets; len++)
            assert_int_equal(probe_exact(decode, rows[i].bytes, len), ERR_TRUNCATED);
}

TEST_CALL(noise_does_no_harm, probe_noise(decode, 1))

static const uint8_t request[] = {0,   1, 8, 0, 6, 4, 0, 1, 2, 0, 0,   0, 0, 7,
                                  192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 192, 0, 2, 99};

PROBED(decode_arp, struct arp, arp_decode)

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
        assert_int_equal(decode_arp(bytes, sizeof bytes), ERR_UNSUPPORTED);
    }
}

TEST(arp_every_truncation_is_refused)
{
    for (size_t len = 0; len < sizeof request; len++)
        assert_int_equal(probe_exact(decode_arp, request, len), ERR_TRUNCATED);
}

TEST(arp_noise_does_no_harm)
{
    probe_noise(decode_arp, 1);
    probe_mutations(decode_arp, request, sizeof request, 2);
}

UNIT_MAIN(NULL, NULL)
