/* SPDX-License-Identifier: BSD-3-Clause */
/* Which packets share a hash, and how evenly hashes fall. */
#include "dataplane/wire/flow_hash.h"

#include "dataplane/base/bytes.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OCTETS 128
#define SALT       UINT64_C(0x1234)

enum { ICMP = 1, TCP = 6, UDP = 17, ICMP6 = 58 };

/* One packet; ports lie behind the header and its extensions. */
struct packet {
    uint8_t version, proto;
    uint32_t src, dst; /* the last 32 bits */
    uint16_t ports[2];
    uint16_t id;
    uint16_t fragment;     /* the field of IPv4: flags and offset; 0: none */
    uint8_t options;       /* words of IPv4 options, extension headers of 8 octets in IPv6 */
    uint8_t first_payload; /* octet behind the ports */
};

static size_t write_ipv4(uint8_t *bytes, const struct packet *p)
{
    size_t header_octets = 20 + (size_t)4 * p->options;
    bytes[0] = (uint8_t)(0x45 + p->options);
    bytes_put_u16(bytes + 4, p->id);
    bytes_put_u16(bytes + 6, p->fragment);
    bytes[9] = p->proto;
    bytes_put_u32(bytes + 12, p->src);
    bytes_put_u32(bytes + 16, p->dst);
    return header_octets;
}

static size_t write_ipv6(uint8_t *bytes, const struct packet *p)
{
    uint8_t *next = bytes + 6;
    size_t octets = 40;
    bytes[0] = 0x60;
    bytes_put_u32(bytes + 20, p->src);
    bytes_put_u32(bytes + 36, p->dst);
    for (unsigned i = 0; i < p->options; i++, octets += 8) {
        *next = i == 0 ? 0 : 60; /* hop by hop, destination options */
        next = bytes + octets;
    }
    if (p->fragment) {
        *next = 44;
        next = bytes + octets;
        bytes_put_u16(bytes + octets + 2, (uint16_t)(p->fragment << 3 | p->fragment >> 13));
        bytes_put_u16(bytes + octets + 6, p->id);
        octets += 8;
    }
    *next = p->proto;
    return octets;
}

static uint32_t hash_of(const struct packet *p)
{
    uint8_t bytes[MAX_OCTETS] = {0};
    size_t octets = p->version == 4 ? write_ipv4(bytes, p) : write_ipv6(bytes, p);
    bytes_put_u16(bytes + octets, p->ports[0]);
    bytes_put_u16(bytes + octets + 2, p->ports[1]);
    bytes[octets + 4] = p->first_payload;
    return flow_hash_of(SALT, bytes, octets + 8);
}

#define A4                                                                                                   \
    4, TCP, 0x01020304, 0x0a2d0001,                                                                          \
    {                                                                                                        \
        80, 40000                                                                                            \
    }
#define A6                                                                                                   \
    6, TCP, 0x01020304, 0x0a2d0001,                                                                          \
    {                                                                                                        \
        80, 40000                                                                                            \
    }

static const struct row {
    const char *name;
    struct packet a, b;
    bool is_same;
} rows[] = {
    {"the same connection", {A4, .id = 1, .first_payload = 1}, {A4, .id = 2, .first_payload = 2}, true},
    {"another port of the server", {A4}, {4, TCP, 0x01020304, 0x0a2d0001, {81, 40000}}, false},
    {"another port of the mobile", {A4}, {4, TCP, 0x01020304, 0x0a2d0001, {80, 40001}}, false},
    {"the ports changed over", {A4}, {4, TCP, 0x01020304, 0x0a2d0001, {40000, 80}}, false},
    {"another server", {A4}, {4, TCP, 0x01020305, 0x0a2d0001, {80, 40000}}, false},
    {"another mobile", {A4}, {4, TCP, 0x01020304, 0x0a2d0002, {80, 40000}}, false},
    {"addresses changed over", {A4}, {4, TCP, 0x0a2d0001, 0x01020304, {80, 40000}}, false},
    {"another protocol", {A4}, {4, UDP, 0x01020304, 0x0a2d0001, {80, 40000}}, false},
    {"ports behind options", {A4}, {A4, .options = 3}, true},
    ROW("other ports behind options", {A4, .options = 3},
        {4, TCP, 0x01020304, 0x0a2d0001, {80, 40001}, .options = 3}, false),
    {"pings have no ports", {4, ICMP, 1, 2, {0x0800, 1}}, {4, ICMP, 1, 2, {0x0800, 7}}, true},
    ROW("fragments of one packet", {A4, .id = 7, .fragment = 0x2000},
        {4, TCP, 0x01020304, 0x0a2d0001, {1, 2}, .id = 7, .fragment = 100}, true),
    {"fragments of two packets", {A4, .id = 7, .fragment = 0x2000}, {A4, .id = 8, .fragment = 0x2000}, true},
    ROW("fragments of two protocols", {A4, .fragment = 0x2000},
        {4, UDP, 0x01020304, 0x0a2d0001, {80, 40000}, .fragment = 0x2000}, false),
    {"may not be fragmented", {A4}, {A4, .fragment = 0x4000}, true},
    {"IPv6: the same connection", {A6, .first_payload = 1}, {A6, .first_payload = 2}, true},
    {"IPv6: another port", {A6}, {6, TCP, 0x01020304, 0x0a2d0001, {80, 40001}}, false},
    {"IPv6: another server", {A6}, {6, TCP, 0x01020305, 0x0a2d0001, {80, 40000}}, false},
    {"IPv6: another mobile", {A6}, {6, TCP, 0x01020304, 0x0a2d0002, {80, 40000}}, false},
    {"IPv6: another protocol", {A6}, {6, UDP, 0x01020304, 0x0a2d0001, {80, 40000}}, false},
    {"IPv6: ports behind extensions", {A6}, {A6, .options = 2}, true},
    ROW("IPv6: other ports behind extensions", {A6, .options = 2},
        {6, TCP, 0x01020304, 0x0a2d0001, {81, 40000}, .options = 2}, false),
    {"IPv6: pings have no ports", {6, ICMP6, 1, 2, {0x8000, 1}}, {6, ICMP6, 1, 2, {0x8000, 7}}, true},
    ROW("IPv6: fragments of one packet", {A6, .fragment = 0x2000},
        {6, TCP, 0x01020304, 0x0a2d0001, {1, 2}, .fragment = 100}, true),
    ROW("IPv6: fragments behind extensions", {A6, .fragment = 0x2000, .options = 1},
        {6, TCP, 0x01020304, 0x0a2d0001, {1, 2}, .fragment = 100}, true),
    ROW("IPv6: too many extensions", {A6, .options = 9},
        {6, TCP, 0x01020304, 0x0a2d0001, {1, 2}, .options = 9}, true),
};

TEST(who_shares_a_hash)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if ((hash_of(&rows[i].a) == hash_of(&rows[i].b)) != rows[i].is_same)
            fail_msg("%s: %08x, %08x", rows[i].name, hash_of(&rows[i].a), hash_of(&rows[i].b));
}

/* Every length up to a whole one, in a block of just that many octets. */
TEST(nothing_is_read_behind_the_end)
{
    static const struct packet packets[] = {
        {A4}, {A4, .options = 10}, {A6}, {A6, .options = 3}, {A6, .fragment = 1}};
    uint8_t whole[MAX_OCTETS] = {0};
    for (size_t i = 0; i < COUNT(packets); i++) {
        memset(whole, 0, sizeof(whole));
        size_t octets =
            packets[i].version == 4 ? write_ipv4(whole, &packets[i]) : write_ipv6(whole, &packets[i]);
        for (size_t len = 0; len <= octets + 4; len++) {
            uint8_t *bytes = malloc(len > 0 ? len : 1);
            assert_non_null(bytes);
            memcpy(bytes, whole, len);
            assert_true(flow_hash_of(SALT, bytes, len) == flow_hash_of(SALT, bytes, len));
            free(bytes);
        }
    }
}

/* So many connections of one mobile, in so many bins by the upper bits: none is far from the mean. */
static void evenly(uint8_t version, unsigned by)
{
    enum { CONNECTIONS = 16384, BINS = 64, MEAN = CONNECTIONS / BINS };
    unsigned bins[BINS] = {0};
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        struct packet p = {version, TCP, 0x01020304, 0x0a2d0001, {80, 40000}};
        if (by == 0)
            p.ports[1] = (uint16_t)(p.ports[1] + i);
        else if (by == 1)
            p.src += i;
        else
            p.dst += i;
        bins[hash_of(&p) >> 26]++;
    }
    for (unsigned i = 0; i < BINS; i++)
        assert_in_range(bins[i], MEAN - 80, MEAN + 80); /* five standard deviations */
}

TEST(hashes_fall_evenly)
{
    for (unsigned by = 0; by < 3; by++) {
        evenly(4, by);
        evenly(6, by);
    }
}

/* Whose hashes are equal by chance are not so with another salt. */
TEST(salts_differ)
{
    uint8_t bytes[MAX_OCTETS] = {0};
    unsigned same = 0;
    size_t octets = write_ipv4(bytes, &rows[0].a);
    for (uint64_t salt = 0; salt < 1000; salt++)
        same +=
            flow_hash_of(salt, bytes, octets + 4) >> 28 == flow_hash_of(salt + 1, bytes, octets + 4) >> 28;
    assert_in_range(same, 25, 110); /* 1 in 16 */
}

/* A run gives the same on every machine. */
TEST(as_ever)
{
    static const struct packet four = {A4}, six = {A6};
    assert_int_equal(hash_of(&four), 0xf2d6cb7d);
    assert_int_equal(hash_of(&six), 0x2b30aa37);
}

UNIT_MAIN(NULL, NULL)
