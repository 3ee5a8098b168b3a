/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_datagrams.h"
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

/* A hundred seconds of packets of 100 octets to the mobile, of which the one with the number `lost` is lost.
 */
static struct app_cbr_record play(struct app_cbr_config config, uint32_t lost)
{
    struct lab lab;
    link_lab_init(&lab, 1);
    lab.link[LAB_SERVER].drop[0] = lost;
    config.receiver = lab.host[LAB_MOBILE];
    config.sender = lab.host[LAB_SERVER];
    config.receiver_port = 5004;
    config.sender_port = 9;
    config.packet_octets = 100;
    config.stop_ns = 100 * MOMENT_SECOND;
    struct app_cbr *a = app_cbr_new(&config);
    assert_non_null(a);
    link_lab_run(&lab, LAB_RUN);
    struct app_cbr_record record = *app_cbr_record(a);
    app_cbr_free(a);
    link_lab_fini(&lab);
    return record;
}

/* 64 kbit/s of 100 octets is a packet in 12.5 ms; over 7 kbit/s nothing adds up by rounding. */
TEST(keeps_its_rate)
{
    static const struct {
        uint64_t rate_bps, packets;
    } rows[] = {{64000, 8000}, {7000, 875}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct app_cbr_record record = play((struct app_cbr_config){.rate_bps = rows[i].rate_bps}, 7);
        assert_int_equal(record.sent, rows[i].packets);
        assert_int_equal(record.received, rows[i].packets - 1);
        assert_int_equal(record.received_octets, 72 * (rows[i].packets - 1));
        assert_int_equal(record.delay_max_ns, 50 * LAB_MS);
        assert_int_equal(record.out_of_order, 0);
    }
}

/* 80 kbit/s of 100 octets is a packet in 10 ms: bursts of 1 s and pauses of 2 s have 100 of 300; by chance
   about as many, and the same with the same seed. */
TEST(bursts)
{
    static const struct {
        bool is_random;
        uint64_t seed, least, most;
    } rows[] = {{false, 1, 3400, 3400}, {true, 1, 2000, 5000}, {true, 1, 2000, 5000}, {true, 2, 2000, 5000}};
    uint64_t sent[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++) {
        sent[i] = play((struct app_cbr_config){.rate_bps = 80000,
                                               .burst_ns = MOMENT_SECOND,
                                               .pause_ns = 2 * MOMENT_SECOND,
                                               .is_random = rows[i].is_random,
                                               .seed = rows[i].seed},
                       UINT32_MAX)
                      .sent;
        assert_in_range(sent[i], rows[i].least, rows[i].most);
    }
    assert_int_equal(sent[1], sent[2]);
    assert_int_not_equal(sent[1], sent[3]);
}

/* The same 10 ms as the mean of a Poisson process: about 10000 packets in 100 s. */
TEST(poisson)
{
    uint64_t sent[2];
    for (uint64_t seed = 0; seed < COUNT(sent); seed++) {
        struct app_cbr_config config = {.rate_bps = 80000, .is_poisson = true, .seed = seed};
        sent[seed] = play(config, UINT32_MAX).sent;
        assert_in_range(sent[seed], 9500, 10500);
    }
    assert_int_not_equal(sent[0], sent[1]);
    assert_int_not_equal(sent[0], 10000);
}

/* A list of packets leaves at its times, again after 10 s, or once; what cannot be sent is refused. */
TEST(plays_a_list)
{
    static const struct app_cbr_packet list[] = {
        {0, 44}, {0, 1500}, {MOMENT_SECOND, 100}, {9 * MOMENT_SECOND, 60}};
    static const struct {
        size_t count;
        int64_t repeat_ns, start_ns;
        uint64_t sent, octets; /* octets: payload received */
    } rows[] = {
        {4, 0, 0, 4, 44 + 1500 + 100 + 60 - 4 * 28},
        {4, 10 * MOMENT_SECOND, 0, 40, 10 * (44 + 1500 + 100 + 60 - 4 * 28)},
        {4, 10 * MOMENT_SECOND, 95 * MOMENT_SECOND, 3, 44 + 1500 + 100 - 3 * 28},
        {1, 0, MOMENT_SECOND, 1, 16},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct app_cbr_config config = {.packets = list,
                                        .packet_count = rows[i].count,
                                        .repeat_ns = rows[i].repeat_ns,
                                        .start_ns = rows[i].start_ns};
        struct app_cbr_record record = play(config, UINT32_MAX);
        assert_int_equal(record.sent, rows[i].sent);
        assert_int_equal(record.received_octets, rows[i].octets);
    }
}

TEST(refuses_lists)
{
    static const struct app_cbr_packet lists[][2] = {{{0, 43}, {1, 100}},
                                                     {{0, 100}, {1, 1501}},
                                                     {{1, 100}, {0, 100}},
                                                     {{-1, 100}, {1, 100}},
                                                     {{0, 100}, {9, 100}}};
    struct lab lab;
    link_lab_init(&lab, 1);
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct app_cbr_config config = {.receiver = lab.host[LAB_MOBILE],
                                        .sender = lab.host[LAB_SERVER],
                                        .receiver_port = 5004,
                                        .packet_octets = 1500,
                                        .packets = lists[i],
                                        .packet_count = 2,
                                        .repeat_ns = 9};
        assert_null(app_cbr_new(&config));
    }
    link_lab_fini(&lab);
}

UNIT_MAIN(NULL, NULL)
