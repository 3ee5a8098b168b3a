/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of an endpoint that need no connection: timer, round-trip times, ranges, board, parameters. */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "sim/tcp.h"
#include "sim/tcp_header.h"
#include "sim/tcp_rto.h"
#include "sim/tcp_scoreboard.h"
#include "sim/tcp_send.h"

#include <stdlib.h>
#include <string.h>

#define MS (MOMENT_SECOND / 1000)

/* RFC 6298 section 2 by hand; rtt 0: the timer goes off. */
static const struct {
    int64_t rtt_ms;
    bool has_new;
    int64_t rto_us;
} rto_rows[] = {
    {2000, true, 6000000},  /* R + 4 R/2 */
    {2000, true, 5000000},  /* rttvar 750 */
    {4000, true, 6500000},  /* rttvar 1062.5, srtt 2250 */
    {0, false, 13000000},   /* twice */
    {0, false, 26000000},   /* and twice */
    {100, false, 26000000}, /* for an old segment: stays */
    {0, false, 52000000},   /* */
    {0, false, 60000000},   /* the limit */
    {100, true, 7630468},   /* new data: srtt 1746.09375 + 4 x 1471.09375 */
};

TEST(rto_follows_the_rfc)
{
    struct tcp_params params = tcp_params_default();
    struct tcp_rto r;
    tcp_rto_init(&r, &params);
    assert_int_equal(r.rto_ns, MOMENT_SECOND);
    for (size_t i = 0; i < COUNT(rto_rows); i++) {
        if (rto_rows[i].rtt_ms)
            tcp_rto_sample(&r, rto_rows[i].rtt_ms * MS, 1, rto_rows[i].has_new);
        else
            tcp_rto_back_off(&r);
        if (r.rto_ns / 1000 != rto_rows[i].rto_us)
            fail_msg("row %zu: %lld us", i, (long long)r.rto_ns / 1000);
    }
}

/* Many samples per round trip forget as slowly as one. */
TEST(rto_shares)
{
    struct tcp_params params = tcp_params_default();
    struct tcp_rto one, many;
    tcp_rto_init(&one, &params);
    tcp_rto_init(&many, &params);
    tcp_rto_sample(&one, 1000 * MS, 1, true);
    tcp_rto_sample(&many, 1000 * MS, 20, true);
    tcp_rto_sample(&one, 3000 * MS, 1, true);
    for (int i = 0; i < 20; i++)
        tcp_rto_sample(&many, 3000 * MS, 20, true);
    assert_int_equal(one.srtt_ns / MS, 1250);
    assert_in_range(many.srtt_ns / MS, 1220, 1250);
}

/* end > 0: sent from start; else an ACK, and the sample in ms that it must give, -1 none. */
static const struct {
    int64_t at_ms;
    uint64_t start, end, ack;
    int64_t rtt_ms;
} rtt_rows[] = {
    {0, 1, 101, 0, 0},     {10, 101, 201, 0, 0},  {20, 201, 301, 0, 0},
    {100, 0, 0, 201, 90},                        /* two at once: the last one counts */
    {110, 0, 0, 250, -1},                        /* in the middle of a segment */
    {120, 0, 0, 301, 100}, {121, 0, 0, 301, -1}, /* again */
    {200, 301, 401, 0, 0}, {210, 401, 501, 0, 0}, {300, 301, 401, 0, 0}, /* the hole */
    {390, 0, 0, 501, -1},                                                /* jumps over what waited */
    {400, 501, 601, 0, 0}, {410, 601, 701, 0, 0}, {420, 501, 601, 0, 0}, /* needless */
    {500, 0, 0, 601, -1},                                                /* sent twice */
    {510, 0, 0, 701, -1},                                                /* older than the repetition */
    {520, 701, 801, 0, 0}, {600, 0, 0, 801, 80},
};

TEST(rtt_as_tcptrace_counts)
{
    static struct rtt_tcptrace r;
    rtt_tcptrace_init(&r);
    assert_int_equal(r.sum_ns, 0);
    for (size_t i = 0; i < COUNT(rtt_rows); i++) {
        int64_t now = rtt_rows[i].at_ms * MS, expected = rtt_rows[i].rtt_ms;
        if (rtt_rows[i].end) {
            rtt_tcptrace_sent(&r, rtt_rows[i].start, rtt_rows[i].end, now);
            continue;
        }
        int64_t sample = rtt_tcptrace_acked(&r, rtt_rows[i].ack, now);
        if (sample != (expected < 0 ? -1 : expected * MS))
            fail_msg("row %zu: %lld ns", i, (long long)sample);
    }
    assert_int_equal(r.count, 3);
    assert_int_equal(r.sum_ns, 3 * 90 * MS);
    assert_int_equal(r.min_ns, 80 * MS);
    assert_int_equal(r.max_ns, 100 * MS);
    assert_int_equal(r.sent_octets, 1000);
    assert_int_equal(r.repeated_octets, 200);
    rtt_tcptrace_fini(&r);
}

TEST(rtt_ring_is_bounded)
{
    static struct rtt_tcptrace r;
    rtt_tcptrace_init(&r);
    for (uint64_t i = 0; i < RTT_TCPTRACE_SEGMENTS + 3; i++)
        rtt_tcptrace_sent(&r, 1 + i, 2 + i, 0);
    assert_int_equal(r.overflows, 3);
    assert_int_equal(rtt_tcptrace_acked(&r, RTT_TCPTRACE_SEGMENTS + 4, MS), -1);
    rtt_tcptrace_sent(&r, RTT_TCPTRACE_SEGMENTS + 4, RTT_TCPTRACE_SEGMENTS + 5, 2 * MS);
    assert_int_equal(rtt_tcptrace_acked(&r, RTT_TCPTRACE_SEGMENTS + 5, 3 * MS), MS);
    rtt_tcptrace_fini(&r);
}

enum { PLACES = 400 };

static void assert_ranges(const struct tcp_ranges *r, const bool *held)
{
    uint64_t octets = 0, counted = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        assert_true(r->range[i].start < r->range[i].end);
        assert_false(held[r->range[i].start - 1] || held[r->range[i].end]);
        for (uint64_t at = r->range[i].start; at < r->range[i].end; at++, counted++)
            assert_true(held[at]);
    }
    for (size_t at = 0; at < PLACES; at++)
        octets += held[at];
    assert_int_equal(counted, octets);
    assert_int_equal(tcp_ranges_octets(r), octets);
}

/* Against one flag per octet. */
TEST(ranges_hold_what_was_put)
{
    struct rng rng;
    rng_init(&rng, 11, 0);
    for (int round = 0; round < 300; round++) {
        struct tcp_ranges r = {.count = 0};
        bool held[PLACES + 1] = {false};
        uint64_t next = 1;
        for (int i = 0; i < 60; i++) {
            uint64_t start = rng_between(&rng, next + 1, PLACES - 12), end = start + rng_between(&rng, 1, 10);
            if (next > PLACES - 20)
                break;
            assert_true(tcp_ranges_put(&r, start, end));
            assert_true(r.range[0].start <= start && r.range[0].end >= end);
            memset(held + start, true, end - start);
            assert_ranges(&r, held);
            if (rng_below(&rng, 4) > 0)
                continue;
            uint64_t to = next + rng_below(&rng, 20), expected = to;
            memset(held, false, to);
            while (held[expected])
                held[expected++] = false;
            next = tcp_ranges_take(&r, to);
            assert_int_equal(next, expected);
            for (uint32_t k = 0; k < r.count; k++)
                assert_true(r.range[k].start > next);
        }
        tcp_ranges_fini(&r);
    }
}

TEST(ranges_have_a_limit)
{
    struct tcp_ranges r = {.count = 0};
    for (uint64_t i = 1; i <= TCP_RANGES_MAX; i++)
        assert_true(tcp_ranges_put(&r, 10 * i, 10 * i + 5));
    assert_false(tcp_ranges_put(&r, 5000, 5005));
    assert_true(tcp_ranges_put(&r, 15, 20));
    assert_int_equal(r.count, TCP_RANGES_MAX - 1);
    assert_true(tcp_ranges_put(&r, 5000, 5005));
    tcp_ranges_fini(&r);
}

static struct tcp_scoreboard *new_board(uint32_t segments)
{
    struct tcp_scoreboard *board = calloc(1, sizeof(*board));
    assert_non_null(board);
    for (uint32_t i = 0; i < segments; i++)
        tcp_scoreboard_put(board,
                           &(struct tcp_segment){.start = 1 + 100 * i, .end = 101 + 100 * i, .times = 1});
    return board;
}

static void free_board(struct tcp_scoreboard *board)
{
    tcp_scoreboard_fini(board);
    free(board);
}

/* The ring grows from any place of its first segment, up to the limit, and keeps the segments' order. */
TEST(board_grows)
{
    for (uint32_t gone = 0; gone < 20; gone++) {
        struct tcp_scoreboard *board = new_board(gone);
        uint64_t next = 1 + 100 * gone;
        tcp_scoreboard_ack(board, next);
        for (uint32_t i = 0; i < TCP_SEGMENTS_MAX; i++) {
            assert_false(tcp_scoreboard_is_full(board));
            tcp_scoreboard_put(board, &(struct tcp_segment){.start = next + i, .end = next + i + 1});
        }
        assert_true(tcp_scoreboard_is_full(board));
        assert_int_equal(board->in_flight_octets, TCP_SEGMENTS_MAX);
        for (uint32_t i = 0; i < TCP_SEGMENTS_MAX; i++)
            if (tcp_scoreboard_get(board, i)->start != next + i)
                fail_msg("segment %u after %u", i, gone);
        free_board(board);
    }
}

/* RFC 6675 IsLost(): three ranges above, or more than two segments' octets. */
TEST(board_tells_what_is_lost)
{
    static const struct {
        uint32_t mss_octets;
        uint64_t sacked[4][2];
        bool is_lost;
    } rows[] = {
        {100, {{0}}, false},
        {100, {{101, 201}}, false},
        {100, {{101, 301}}, false},
        {100, {{101, 401}}, true},
        {100, {{101, 201}, {301, 401}}, false},
        {100, {{101, 201}, {301, 401}, {501, 601}}, true},
        {200, {{101, 201}, {301, 401}, {501, 601}}, true},
        {200, {{101, 201}, {301, 501}}, false},
        {100, {{150, 250}, {301, 401}, {501, 601}}, false},
    };
    for (size_t row = 0; row < COUNT(rows); row++) {
        struct tcp_scoreboard *board = new_board(10);
        for (int i = 0; i < 4 && rows[row].sacked[i][1]; i++)
            tcp_scoreboard_sack(board, rows[row].sacked[i][0], rows[row].sacked[i][1]);
        if (tcp_scoreboard_is_first_lost(board, rows[row].mss_octets) != rows[row].is_lost)
            fail_msg("row %zu", row);
        free_board(board);
    }
}

TEST(board_counts_what_flies)
{
    struct tcp_scoreboard *board = new_board(10);
    assert_int_equal(board->in_flight_octets, 1000);
    assert_int_equal(tcp_scoreboard_sack(board, 301, 601), 300);
    assert_int_equal(tcp_scoreboard_sack(board, 301, 601), 0);
    assert_int_equal(board->in_flight_octets, 700);
    tcp_scoreboard_lose_holes(board, 100);
    assert_int_equal(board->in_flight_octets, 400);
    struct tcp_segment *lost = tcp_scoreboard_next_lost(board);
    assert_int_equal(lost->start, 1);
    tcp_scoreboard_repeat(board, lost, 5);
    assert_int_equal(board->in_flight_octets, 500);
    assert_int_equal(tcp_scoreboard_next_lost(board)->start, 101);
    assert_null(tcp_scoreboard_next_hole(board));
    assert_int_equal(tcp_scoreboard_last_untouched(board)->start, 901);
    tcp_scoreboard_ack(board, 151);
    assert_int_equal(board->in_flight_octets, 400);
    assert_int_equal(tcp_scoreboard_get(board, 0)->start, 151);
    tcp_scoreboard_lose_all(board);
    assert_int_equal(board->in_flight_octets, 0);
    tcp_scoreboard_forget_sacks(board);
    assert_int_equal(board->in_flight_octets, 300);
    tcp_scoreboard_ack(board, 1001);
    assert_int_equal(board->count, 0);
    assert_int_equal(board->in_flight_octets, 0);
    free_board(board);
}

TEST(parameters_are_checked)
{
    struct tcp_params good = tcp_params_default(), bad[12];
    assert_null(tcp_params_fault(&good));
    for (size_t i = 0; i < COUNT(bad); i++)
        bad[i] = good;
    bad[0].mss_octets = TCP_MSS_MIN_OCTETS - 1;
    bad[1].mss_octets = TCP_MSS_MAX_OCTETS + 1;
    bad[2].receive_window_octets = good.mss_octets - 1;
    bad[3].delayed_ack_segments = 0;
    bad[4].delayed_ack_timeout_ns = -1;
    bad[5].initial_cwnd_segments = 0;
    bad[6].min_rto_ns = 0;
    bad[7].max_rto_ns = good.min_rto_ns - 1;
    bad[8].initial_rto_ns = 0;
    bad[9].time_wait_ns = -1;
    bad[10].max_cwnd_segments = 65536;
    bad[11].stack = TCP_STACK_LINUX_2_4_0;
    bad[11].sack = false;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_non_null(tcp_params_fault(&bad[i]));
    good.receive_window_octets = 65536;
    assert_int_equal(tcp_params_window_scale(&good), 1);
}

/* Ten thousand connections of NewReno do not pay for what others have. */
TEST(variables_by_algorithm)
{
    static const struct {
        struct tcp_params set;
        bool has_more;
    } rows[] = {
        {{.sack = false}, false},
        {{.sack = true}, false},
        {{.cc = TCP_CC_CUBIC}, true},
        {{.has_hystart = true}, true},
        {{.sack = true, .has_prr = true}, true},
        {{.sack = true, .has_rack = true}, true},
        {{.sack = true, .stack = TCP_STACK_LINUX_2_4_0}, true},
    };
    assert_true(sizeof(struct tcp) <= 880);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tcp_params params = tcp_params_default(), set = rows[i].set;
        params.sack = set.sack;
        params.cc = set.cc;
        params.stack = set.stack;
        params.has_hystart = set.has_hystart;
        params.has_prr = set.has_prr;
        params.has_rack = set.has_rack;
        struct tcp t;
        tcp_init(&t, &(struct tcp_config){.params = &params});
        assert_int_equal(t.more != NULL, rows[i].has_more);
        tcp_fini(&t);
        assert_null(t.more);
    }
}

static const struct {
    struct tcp_header header;
    int octets;
} header_good[] = {
    {{.src_port = 1, .dst_port = 65535, .seq = 0xfffffffe, .ack = 1, .flags = TCP_ACK, .window = 65535}, 20},
    {{.flags = TCP_SYN, .has_mss = true, .mss = 1460}, 24},
    {{.flags = TCP_SYN, .has_mss = true, .mss = 536, .sack_permitted = true}, 28},
    {{.flags = TCP_SYN, .has_window_scale = true, .window_scale = 14}, 24},
    {{.flags = TCP_ACK, .has_timestamps = true, .ts_value = 7, .ts_echo = 0x80000001}, 32},
    {ROW(.flags = TCP_SYN | TCP_ACK, .has_mss = true, .mss = 1, .has_window_scale = true,
         .sack_permitted = true, .has_timestamps = true, .ts_value = 0xffffffff),
     44},
    {{.flags = TCP_ACK, .sacks = 1, .sack = {{5, 9}}}, 32},
    {{.flags = TCP_ACK, .sacks = 4, .sack = {{5, 9}, {0xfffffff0, 3}, {11, 12}, {20, 30}}}, 56},
    {{.flags = 0xff, .has_timestamps = true, .ts_value = 1, .sacks = 3, .sack = {{5, 9}, {11, 12}, {20, 30}}},
     60},
};

TEST(round_trip)
{
    for (size_t i = 0; i < COUNT(header_good); i++) {
        uint8_t bytes[TCP_HEADER_MAX_OCTETS];
        struct tcp_header back;
        assert_int_equal(tcp_header_encode(bytes, sizeof(bytes), &header_good[i].header),
                         header_good[i].octets);
        assert_int_equal(tcp_header_octets(&header_good[i].header), header_good[i].octets);
        assert_int_equal(tcp_header_decode(&back, bytes, (size_t)header_good[i].octets),
                         header_good[i].octets);
        assert_memory_equal(&back, &header_good[i].header, sizeof(back));
    }
}

TEST(no_room)
{
    struct tcp_header full = {.has_timestamps = true, .sacks = 4};
    uint8_t bytes[2 * TCP_HEADER_MAX_OCTETS];
    for (size_t i = 0; i < COUNT(header_good); i++)
        for (size_t cap = 0; cap < (size_t)header_good[i].octets; cap++)
            assert_int_equal(tcp_header_encode(bytes, cap, &header_good[i].header), ERR_NO_SPACE);
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
    for (size_t i = 0; i < COUNT(header_good); i++) {
        int octets = tcp_header_encode(bytes, sizeof(bytes), &header_good[i].header);
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
    for (size_t i = 0; i < COUNT(header_good); i++) {
        int octets = tcp_header_encode(bytes, sizeof(bytes), &header_good[i].header);
        probe_mutations(decode, bytes, (size_t)octets, i + 1);
    }
}

UNIT_MAIN(NULL, NULL)
