/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_header.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    struct tcp_header header;
    int octets;
} good[] = {
    {{.src_port = 1, .dst_port = 65535, .seq = 0xfffffffe, .ack = 1, .flags = TCP_ACK, .window = 65535}, 20},
    {{.flags = TCP_SYN, .has_mss = true, .mss = 1460}, 24},
    {{.flags = TCP_SYN, .has_mss = true, .mss = 536, .sack_permitted = true}, 28},
    {{.flags = TCP_SYN, .has_window_scale = true, .window_scale = 14}, 24},
    {{.flags = TCP_ACK, .has_timestamps = true, .ts_value = 7, .ts_echo = 0x80000001}, 32},
    {{.flags = TCP_SYN | TCP_ACK,
      .has_mss = true,
      .mss = 1,
      .has_window_scale = true,
      .sack_permitted = true,
      .has_timestamps = true,
      .ts_value = 0xffffffff},
     44},
    {{.flags = TCP_ACK, .sacks = 1, .sack = {{5, 9}}}, 32},
    {{.flags = TCP_ACK, .sacks = 4, .sack = {{5, 9}, {0xfffffff0, 3}, {11, 12}, {20, 30}}}, 56},
    {{.flags = 0xff, .has_timestamps = true, .ts_value = 1, .sacks = 3, .sack = {{5, 9}, {11, 12}, {20, 30}}},
     60},
};

TEST(round_trip)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        uint8_t bytes[TCP_HEADER_MAX_OCTETS];
        struct tcp_header back;
        assert_int_equal(tcp_header_encode(bytes, sizeof(bytes), &good[i].header), good[i].octets);
        assert_int_equal(tcp_header_octets(&good[i].header), good[i].octets);
        assert_int_equal(tcp_header_decode(&back, bytes, (size_t)good[i].octets), good[i].octets);
        assert_memory_equal(&back, &good[i].header, sizeof(back));
    }
}

TEST(no_room)
{
    struct tcp_header full = {.has_timestamps = true, .sacks = 4};
    uint8_t bytes[2 * TCP_HEADER_MAX_OCTETS];
    for (size_t i = 0; i < COUNT(good); i++)
        for (size_t cap = 0; cap < (size_t)good[i].octets; cap++)
            assert_int_equal(tcp_header_encode(bytes, cap, &good[i].header), ERR_NO_SPACE);
    assert_int_equal(tcp_header_encode(bytes, sizeof(bytes), &full), ERR_RANGE);
    full.has_timestamps = false;
    full.sacks = 5;
    assert_int_equal(tcp_header_encode(bytes, sizeof(bytes), &full), ERR_RANGE);
}

static int decode(const uint8_t *bytes, size_t len)
{
    struct tcp_header out;
    return tcp_header_decode(&out, bytes, len);
}

TEST(truncations)
{
    uint8_t bytes[TCP_HEADER_MAX_OCTETS];
    for (size_t i = 0; i < COUNT(good); i++) {
        int octets = tcp_header_encode(bytes, sizeof(bytes), &good[i].header);
        for (size_t len = 0; len < (size_t)octets; len++)
            assert_int_equal(probe_exact(decode, bytes, len), ERR_TRUNCATED);
    }
}

static const struct {
    const char *name;
    uint8_t offset;
    uint8_t options[12];
    int result;
} option_rows[] = {
    {"offset below 5", 4, {0}, ERR_MALFORMED},
    {"nothing but end", 6, {0}, 24},
    {"octets behind the end", 6, {0, 2, 0, 0}, 24},
    {"nops", 6, {1, 1, 1, 1}, 24},
    {"unknown, skipped", 7, {254, 6, 1, 2, 3, 4, 1, 0}, 28},
    {"length 0", 6, {254, 0, 0, 0}, ERR_MALFORMED},
    {"length 1", 6, {254, 1, 0, 0}, ERR_MALFORMED},
    {"beyond the header", 6, {1, 1, 2, 4}, ERR_MALFORMED},
    {"no length", 6, {1, 1, 1, 2}, ERR_MALFORMED},
    {"mss of 3", 6, {2, 3, 5, 0}, ERR_MALFORMED},
    {"timestamps of 8", 7, {8, 8, 0, 0, 0, 0, 0, 0}, ERR_MALFORMED},
    {"sack permitted of 4", 6, {4, 4, 0, 0}, ERR_MALFORMED},
    {"window scale of 4", 6, {3, 4, 0, 0}, ERR_MALFORMED},
    {"sack without a block", 6, {5, 2, 0, 0}, ERR_MALFORMED},
    {"sack of half a block", 7, {5, 6, 0, 0, 0, 1, 0, 0}, ERR_MALFORMED},
};

TEST(options)
{
    for (size_t i = 0; i < COUNT(option_rows); i++) {
        uint8_t bytes[TCP_HEADER_OCTETS + 12] = {0};
        bytes[12] = (uint8_t)(option_rows[i].offset << 4);
        memcpy(bytes + TCP_HEADER_OCTETS, option_rows[i].options, 12);
        int result = probe_exact(decode, bytes, sizeof(bytes));
        if (result != option_rows[i].result)
            fail_msg("%s: %d", option_rows[i].name, result);
    }
}

/* RFC 7323 2.3: a scale above 14 counts as 14. */
TEST(scale_is_capped)
{
    uint8_t bytes[24] = {[12] = 6 << 4, [20] = 3, 3, 15, 0};
    struct tcp_header out;
    assert_int_equal(tcp_header_decode(&out, bytes, sizeof(bytes)), 24);
    assert_int_equal(out.window_scale, 14);
}

TEST(noise)
{
    uint8_t bytes[TCP_HEADER_MAX_OCTETS];
    probe_noise(decode, 1);
    for (size_t i = 0; i < COUNT(good); i++) {
        int octets = tcp_header_encode(bytes, sizeof(bytes), &good[i].header);
        probe_mutations(decode, bytes, (size_t)octets, i + 1);
    }
}

UNIT_MAIN(NULL, NULL)
