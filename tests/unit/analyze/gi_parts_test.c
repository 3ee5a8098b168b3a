/* SPDX-License-Identifier: BSD-3-Clause */
/* The small parts: spreads, medians, prefixes, thresholds, periods. */
#include "analyze/gi_limits.h"
#include "analyze/gi_analysis.h"
#include "analyze/gi_exchange.h"
#include "analyze/gi_result.h"
#include "analyze/gi_users.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

TEST(test_a_spread_is_right_to_a_fifth_of_a_percent)
{
    static struct gi_spread s;
    for (int64_t value = 0; value < INT64_C(1) << 60; value = value < 1000 ? value + 1 : value + value / 7) {
        memset(&s, 0, sizeof(s));
        gi_spread_add(&s, value);
        gi_spread_add(&s, 2 * value);
        double most = fmin((double)value, 9007199254740992.0);
        assert_true(fabs((double)gi_spread_quantile(&s, 0.5) - most) <= 0.002 * most);
    }
    memset(&s, 0, sizeof(s));
    assert_int_equal(gi_spread_quantile(&s, 0.5), 0);
    for (int i = 1; i <= 100; i++)
        gi_spread_add(&s, i);
    assert_int_equal(gi_spread_quantile(&s, 0.05), 5);
    assert_int_equal(gi_spread_quantile(&s, 0.95), 95);
    assert_int_equal(gi_spread_quantile(&s, 1), 100);
    assert_true(fabs(gi_spread_mean(&s) - 50.5) < 1e-9);
    gi_spread_add(&s, -3);
    assert_int_equal(s.least, 0);
}

TEST(test_a_median)
{
    struct gi_users_sketch s = {0};
    assert_true(gi_users_sketch_median(&s) == 0);
    gi_users_sketch_add(&s, 3);
    gi_users_sketch_add(&s, 1);
    assert_true(gi_users_sketch_median(&s) == 2);
    gi_users_sketch_add(&s, 1);
    assert_true(gi_users_sketch_median(&s) == 1);
    memset(&s, 0, sizeof(s));
    for (int i = 0; i < 10000; i++)
        gi_users_sketch_add(&s, i * 7919 % 10000);
    assert_int_equal(s.count, 10000);
    assert_true(s.kept <= GI_USERS_SKETCH_VALUES && fabs(gi_users_sketch_median(&s) - 5000) < 1500);
}

static const struct {
    const char *text;
    bool is_good;
} prefixes[] = {
    {"10.0.0.0/8", true},
    {"10.1.2.3", true},
    {"0.0.0.0/0", true},
    {"2001:db8::/32", true},
    {"2001:db8::1", true},
    {"::/0", true},
    {"10.0.0.0/33", false},
    {"10.0.0.0/-1", false},
    {"10.0.0.0/", false},
    {"10.0.0/8", false},
    {"", false},
    {"/8", false},
    {"2001:db8::/129", false},
    {"10.0.0.0/8x", false},
    {"host", false},
};

TEST(test_prefixes)
{
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        struct gi_prefixes told = {.count = 0};
        assert_int_equal(gi_analysis_prefix_add(&told, prefixes[i].text), prefixes[i].is_good);
        assert_int_equal(told.count, prefixes[i].is_good);
    }
    struct gi_prefixes told = {.count = 0};
    for (unsigned i = 0; i < GI_SIDE_PREFIXES; i++)
        assert_true(gi_analysis_prefix_add(&told, "10.0.0.0/8"));
    assert_false(gi_analysis_prefix_add(&told, "10.0.0.0/8"));
}

TEST(test_thresholds)
{
    struct gi_limits limits = gi_limits_standard();
    unsigned count;
    const struct gi_limits_row *rows = gi_limits_rows(&count);
    assert_int_equal(limits.silence_ns, INT64_C(5000000000));
    assert_int_equal(limits.flight_octets, 4500);
    assert_null(gi_limits_set(&limits, "silence_s=0.25"));
    assert_int_equal(limits.silence_ns, 250000000);
    assert_non_null(gi_limits_set(&limits, "silence=1"));
    assert_non_null(gi_limits_set(&limits, "silence_s=nan"));
    for (unsigned i = 0; i < count; i++) {
        assert_true(rows[i].standard >= rows[i].least && rows[i].standard <= rows[i].most);
        if (strcmp(rows[i].name, "silence_s") != 0)
            assert_true(gi_limits_get(&limits, &rows[i]) == rows[i].standard);
    }
}

static struct gi_conn_period_ack ack(int64_t at_s, uint32_t octets, uint32_t flight_octets, bool is_exact)
{
    return (struct gi_conn_period_ack){.at_ns = at_s * 1000000000,
                                       .ack = octets,
                                       .place = 0xfffffff0 + octets,
                                       .flight_octets = flight_octets,
                                       .is_exact = is_exact};
}

/* Starts with the first exact ACK above 4500 octets, ends with the last exact one; places wrap. */
TEST(test_a_period)
{
    struct gi_limits limits = gi_limits_standard();
    struct gi_conn_period p = {.is_open = false};
    const struct gi_conn_period_ack acks[] = {ack(1, 0, 4500, true),     ack(2, 1000, 9000, false),
                                              ack(3, 2000, 9000, true),  ack(4, 9000, 4501, true),
                                              ack(5, 18000, 9000, true), ack(6, 19000, 9000, false)};
    for (size_t i = 0; i < COUNT(acks); i++)
        assert_true(gi_conn_period_acked(&p, &acks[i], &limits) == 0);
    struct gi_conn_period_ack last = ack(7, 20000, 4500, false);
    assert_true(fabs(gi_conn_period_acked(&p, &last, &limits) - 8 * 16000.0 / 2) < 1e-6);
    assert_true(gi_conn_period_finish(&p, &limits) == 0);
}

TEST(test_a_period_that_is_broken)
{
    struct gi_limits limits = gi_limits_standard();
    struct gi_conn_period p = {.is_open = false};
    const struct gi_conn_period_ack acks[] = {ack(1, 0, 9000, true), ack(2, 15999, 9000, true)};
    gi_conn_period_acked(&p, &acks[0], &limits);
    gi_conn_period_acked(&p, &acks[1], &limits);
    assert_true(gi_conn_period_break(&p, 30000, &limits) == 0);
    const struct gi_conn_period_ack later[] = {ack(3, 29000, 9000, true), ack(4, 30000, 9000, true),
                                               ack(5, 31000, 9000, true), ack(9, 47000, 9000, true)};
    for (size_t i = 0; i < 4; i++)
        assert_true(gi_conn_period_acked(&p, &later[i], &limits) == 0);
    struct gi_conn_period lossy = p;
    assert_true(fabs(gi_conn_period_finish(&p, &limits) - 8 * 16000.0 / 4) < 1e-6);
    lossy.end_lost = lossy.start_lost + 1;
    assert_true(gi_conn_period_finish(&lossy, &limits) == 0);
}

static struct gi_packet segment(int64_t at_ns, uint32_t seq, uint16_t octets, uint32_t ack)
{
    return (struct gi_packet){
        .at_ns = at_ns, .seq = seq, .payload_octets = octets, .ack = ack, .flags = GI_PACKET_ACK};
}

TEST(test_exchanges_follow_the_octets)
{
    struct gi_exchanges x = {0};
    struct gi_exchange ended;
    struct gi_packet p = segment(10, 100, 50, 7000);
    assert_false(gi_exchange_packet(&x, &p, false, &ended));
    p = segment(20, 7000, 500, 150);
    assert_false(gi_exchange_packet(&x, &p, true, &ended));
    p = segment(25, 7000, 500, 150); /* again: no octet more */
    assert_false(gi_exchange_packet(&x, &p, true, &ended));
    p = segment(26, 7000 + (1 << 30), 10, 150); /* none of the connection */
    assert_false(gi_exchange_packet(&x, &p, true, &ended));
    p = segment(30, 150, 0, 7499); /* not all of it */
    assert_false(gi_exchange_packet(&x, &p, false, &ended));
    p = segment(40, 150, 0, 7500);
    assert_false(gi_exchange_packet(&x, &p, false, &ended));
    p = segment(90, 150, 60, 7500);
    assert_true(gi_exchange_packet(&x, &p, false, &ended));
    assert_true(ended.number == 1 && ended.begin_ns == 10 && ended.request_ns == 10 && ended.first_ns == 20 &&
                ended.last_ns == 20 && ended.done_ns == 40);
    assert_true(ended.request_octets == 50 && ended.response_octets == 500);
    p = segment(100, 7500, 800, 210);
    assert_false(gi_exchange_packet(&x, &p, true, &ended));
    p = segment(110, 210, 0, 8300);
    assert_false(gi_exchange_packet(&x, &p, false, &ended));
    p = segment(110 + GI_EXCHANGE_PAUSE_NS - 1, 8300, 1, 210); /* the same response */
    assert_false(gi_exchange_packet(&x, &p, true, &ended));
    p = segment(2 * GI_EXCHANGE_PAUSE_NS, 210, 0, 8301);
    assert_false(gi_exchange_packet(&x, &p, false, &ended));
    p = segment(3 * GI_EXCHANGE_PAUSE_NS, 8301, 5, 210); /* the server speaks unasked */
    assert_true(gi_exchange_packet(&x, &p, true, &ended));
    assert_true(ended.number == 2 && ended.request_octets == 60 && ended.response_octets == 801);
    assert_true(gi_exchange_finish(&x, &ended));
    assert_true(ended.number == 3 && ended.request_octets == 0 && ended.response_octets == 5 &&
                ended.done_ns == 0);
    assert_false(gi_exchange_finish(&x, &ended));
}

UNIT_MAIN(NULL, NULL)
