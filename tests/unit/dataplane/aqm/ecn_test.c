/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/bytes.h"

#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100000, PACKET = 80 };

static uint16_t checksum(const uint8_t *header, size_t octets)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < octets; i += 2)
        sum += i == 10 ? 0 : bytes_get_u16(header + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void randomize(struct rng *r, uint8_t *packet)
{
    for (size_t i = 0; i < PACKET; i++)
        packet[i] = (uint8_t)rng_u64(r);
}

/* Every code point with random headers and options: the checksum is the one a full sum gives. */
TEST(marks_ipv4)
{
    struct rng r;
    uint8_t before[PACKET], after[PACKET];
    rng_init(&r, 1, 0);
    for (int i = 0; i < ROUNDS; i++) {
        size_t header_octets = 20 + 4 * rng_below(&r, 11);
        randomize(&r, before);
        before[0] = (uint8_t)(0x40 | header_octets / 4);
        bytes_put_u16(before + 10, checksum(before, header_octets));
        memcpy(after, before, PACKET);
        bool is_capable = before[1] & 3;
        assert_int_equal(ecn_get(before, PACKET) != AQM_ECN_NOT, is_capable);
        assert_int_equal(ecn_set_ce(after, PACKET), is_capable);
        if (is_capable) {
            before[1] |= 3;
            bytes_put_u16(before + 10, checksum(before, header_octets));
        }
        /* Zero has two spellings in ones' complement; a sum over the header tells them alike. */
        uint16_t sum = bytes_get_u16(after + 10);
        assert_true(sum == bytes_get_u16(before + 10) || (sum == 0xffff && bytes_get_u16(before + 10) == 0));
        memcpy(after + 10, before + 10, 2);
        assert_memory_equal(after, before, PACKET);
    }
}

/* No checksum, and the two bits lie across two octets' border. */
TEST(marks_ipv6)
{
    struct rng r;
    uint8_t before[PACKET], after[PACKET];
    rng_init(&r, 2, 0);
    for (int i = 0; i < ROUNDS; i++) {
        randomize(&r, before);
        before[0] = (uint8_t)(0x60 | (before[0] & 15));
        memcpy(after, before, PACKET);
        unsigned traffic_class = bytes_get_u16(before) >> 4 & 255;
        assert_int_equal(ecn_get(before, PACKET), traffic_class & 3);
        assert_int_equal(ecn_set_ce(after, PACKET), (traffic_class & 3) != 0);
        if (traffic_class & 3)
            bytes_put_u16(before, (uint16_t)(bytes_get_u16(before) | 0x30));
        assert_memory_equal(after, before, PACKET);
    }
}

TEST(is_done_once)
{
    uint8_t packet[20] = {0x45, 0x02, 0, 20, 0, 0, 0, 0, 64, 17}, again[20];
    bytes_put_u16(packet + 10, checksum(packet, 20));
    assert_true(ecn_set_ce(packet, 20));
    memcpy(again, packet, 20);
    assert_true(ecn_set_ce(again, 20));
    assert_memory_equal(again, packet, 20);
    assert_int_equal(ecn_get(packet, 20), AQM_ECN_CE);
}

/* A header that was wrong does not become right. */
TEST(keeps_a_wrong_checksum_wrong)
{
    uint8_t packet[20] = {0x45, 0x01, 0, 20, 0, 0, 0, 0, 64, 6};
    bytes_put_u16(packet + 10, checksum(packet, 20) ^ 0x0100);
    assert_true(ecn_set_ce(packet, 20));
    assert_int_not_equal(bytes_get_u16(packet + 10), checksum(packet, 20));
}

TEST(leaves_other_octets_alone)
{
    static const struct {
        uint8_t first;
        size_t octets;
    } rows[] = {{0x45, 19}, {0x45, 0}, {0x60, 39}, {0x55, 60}, {0x05, 60}, {0x6f, 20}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t packet[PACKET], before[PACKET];
        memset(packet, 0xff, PACKET);
        packet[0] = rows[i].first;
        memcpy(before, packet, PACKET);
        assert_int_equal(ecn_get(packet, rows[i].octets), AQM_ECN_NOT);
        assert_false(ecn_set_ce(packet, rows[i].octets));
        assert_memory_equal(packet, before, PACKET);
    }
}

UNIT_MAIN(NULL, NULL)
