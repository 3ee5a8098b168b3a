/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include "sim/app_cbr.h"
#include "sim/app_ping.h"
#include "sim/app_transfer.h"
#include "sim/app_web.h"

#include <stdlib.h>

struct seen {
    uint32_t rtts, sent, acked, goodputs, ends, replies;
    uint64_t last_acked, goodput_octets;
};

static void on_rtt(void *arg, uint32_t connection, int64_t now, int64_t rtt_ns)
{
    ((struct seen *)arg)->rtts++;
}

static void on_sent(void *arg, uint32_t connection, int64_t now, uint64_t end_octets, bool is_retransmission)
{
    ((struct seen *)arg)->sent++;
}

static void on_acked(void *arg, uint32_t connection, int64_t now, uint64_t acked_octets)
{
    ((struct seen *)arg)->acked++;
    ((struct seen *)arg)->last_acked = acked_octets;
}

static void on_goodput(void *arg, uint32_t connection, int64_t now, uint64_t octets)
{
    ((struct seen *)arg)->goodputs++;
    ((struct seen *)arg)->goodput_octets += octets;
}

static void on_tcp_end(void *arg, const struct app_record_tcp *record, int64_t now)
{
    ((struct seen *)arg)->ends++;
}

static struct app_record_observer watch(struct seen *seen)
{
    return (struct app_record_observer){seen, on_rtt, on_sent, on_acked, on_goodput, on_tcp_end};
}

static struct app_transfer_config download_config(struct lab *lab)
{
    return (struct app_transfer_config){
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .server_port = 80,
        .octets = 50000,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = tcp_params_default(),
        .server_tcp = tcp_params_default(),
    };
}

#define LAB_TEST(name) TEST_IN(name, struct lab, lab, link_lab_init(lab, 1), link_lab_fini(lab))

LAB_TEST(download_is_told_of)
{
    struct seen seen = {0};
    struct app_record_tcp record;
    lab->link[LAB_SERVER].rate_bps = 100000;
    struct app_transfer_config config = download_config(lab);
    config.observer = watch(&seen);
    struct app_transfer *a = app_transfer_new(&config);
    assert_non_null(a);
    assert_null(app_transfer_new(&config)); /* the port is taken */
    link_lab_run(lab, MOMENT_SECOND - 1);
    assert_false(app_transfer_record(a, &record));
    link_lab_run(lab, 3 * MOMENT_SECOND);
    assert_true(app_transfer_record(a, &record));
    assert_in_range(record.octets, 5000, 30000);
    link_lab_run(lab, LAB_RUN);
    assert_true(app_transfer_record(a, &record));
    assert_int_equal(record.octets, 50000);
    assert_int_equal(record.start_ns, MOMENT_SECOND);
    assert_int_equal(seen.goodput_octets, 50000);
    assert_int_equal(seen.last_acked, 50000);
    assert_int_equal(seen.sent, 35);
    assert_int_equal(seen.ends, 1);
    assert_in_range(seen.rtts, record.rtt_count - 1,
                    record.rtt_count); /* the SYN-ACK's is before its watch */
    assert_int_equal(app_record_goodput_bps(&record, MOMENT_SECOND), 0);
    assert_int_equal(app_record_goodput_bps(&record, 5 * MOMENT_SECOND), 100000);
    app_transfer_free(a);
}

/* Stopped in the middle, endless or not, or before it was even connected: it ends in order, soon, which means
 * that the window's worth before the link still arrives. */
TEST(download_stops)
{
    static const struct {
        uint64_t octets;
        int64_t stop_ms;
        uint64_t low, high;
        enum tcp_end end;
    } rows[] = {
        {0, 11000, 170000, 190000, TCP_END_FIN},
        {10000000, 11000, 170000, 190000, TCP_END_FIN},
        {1000, 11000, 1000, 1000, TCP_END_FIN},
        {0, 1010, 0, 0, TCP_END_ABORT},
        {0, 1070, 0, 0, TCP_END_FIN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lab lab;
        struct app_record_tcp record;
        link_lab_init(&lab, 1);
        lab.link[LAB_SERVER].rate_bps = 100000;
        struct app_transfer_config config = download_config(&lab);
        config.octets = rows[i].octets;
        config.stop_ns = rows[i].stop_ms * LAB_MS;
        struct app_transfer *a = app_transfer_new(&config);
        assert_non_null(a);
        link_lab_run(&lab, LAB_RUN);
        app_transfer_record(a, &record);
        assert_in_range(record.octets, rows[i].low, rows[i].high);
        assert_true(record.is_closed);
        assert_int_equal(record.end, rows[i].end);
        assert_true(record.end_ns < 18 * MOMENT_SECOND);
        app_transfer_free(a);
        link_lab_fini(&lab);
    }
}

/* A server that refuses resets at once; of one that is silent the mobile gives up after its last SYN. */
TEST(download_without_a_server)
{
    static const struct {
        enum app_transfer_server does;
        enum tcp_end end;
        uint64_t resets;
        int64_t after_s;
    } rows[] = {{APP_TRANSFER_REFUSES, TCP_END_RESET, 1, 2}, {APP_TRANSFER_SILENT, TCP_END_TIMEOUT, 0, 200}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lab lab;
        struct app_record_tcp record;
        link_lab_init(&lab, 1);
        struct app_transfer_config config = download_config(&lab);
        config.does = rows[i].does;
        struct app_transfer *a = app_transfer_new(&config);
        assert_non_null(a);
        link_lab_run(&lab, rows[i].after_s * MOMENT_SECOND);
        app_transfer_record(a, &record);
        assert_true(record.is_closed && record.octets == 0);
        assert_int_equal(record.end, rows[i].end);
        assert_int_equal(host_stats(lab.host[LAB_SERVER])->resets_sent, rows[i].resets);
        app_transfer_free(a);
        link_lab_fini(&lab);
    }
}

static struct app_web_config web_config(struct lab *lab)
{
    return (struct app_web_config){
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .server_port = 80,
        .page_octets = 4910,
        .items = 30,
        .item_octets = 4910,
        .parallel = 4,
        .is_persistent = true,
        .pages = 3,
        .reading_ns = MOMENT_SECOND,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = tcp_params_default(),
        .server_tcp = tcp_params_default(),
    };
}

/* Weighted by octets, not by samples; what delivered nothing and what has no sample is left out. */
TEST(rtt_of_connections)
{
    static const struct app_record_tcp records[] = {
        {.octets = 300, .rtt_count = 2, .rtt_sum_ns = 20, .rtt_max_ns = 12},
        {.octets = 0, .rtt_count = 1, .rtt_sum_ns = 900, .rtt_max_ns = 900},
        {.octets = 500},
        {.octets = 100, .rtt_count = 50, .rtt_sum_ns = 2500, .rtt_max_ns = 60},
    };
    struct app_record_rtt rtt = {0};
    for (size_t i = 0; i < COUNT(records); i++) {
        assert_int_equal(app_record_rtt_avg_ns(&rtt), i == 0 ? MOMENT_NEVER : 10);
        app_record_rtt_add(&rtt, &records[i]);
    }
    assert_int_equal(app_record_rtt_avg_ns(&rtt), 20);
    assert_int_equal(rtt.max_ns, 60);
}

/* Persistent or not, with and without losses: every page has all its octets; connections are as many as said.
 */
TEST(web_pages_are_whole)
{
    static const struct {
        bool is_persistent;
        uint32_t parallel, loss_ppm, connections;
    } rows[] = {{true, 4, 0, 4},    {true, 1, 0, 1},     {false, 4, 0, 93},
                {false, 16, 0, 93}, {true, 4, 30000, 4}, {false, 4, 30000, 93}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct lab lab;
        struct seen seen = {0};
        struct app_record_tcp record;
        size_t count;
        link_lab_init(&lab, i);
        lab.link[LAB_SERVER].rate_bps = 200000;
        lab.link[LAB_SERVER].loss_ppm = lab.link[LAB_MOBILE].loss_ppm = rows[i].loss_ppm;
        struct app_web_config config = web_config(&lab);
        config.is_persistent = rows[i].is_persistent;
        config.parallel = rows[i].parallel;
        config.observer = watch(&seen);
        struct app_web *a = app_web_new(&config);
        assert_non_null(a);
        link_lab_run(&lab, LAB_RUN);
        const struct app_web_page *pages = app_web_pages(a, &count);
        assert_int_equal(count, 3);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(pages[k].octets, 31 * 4910);
            assert_in_range(pages[k].end_ns - pages[k].start_ns, 6 * MOMENT_SECOND, 300 * MOMENT_SECOND);
            int64_t first_ns = pages[k].first_ns - pages[k].start_ns;
            assert_in_range(first_ns, 4910 * 40000, 100 * MOMENT_SECOND);
            assert_true(rows[i].loss_ppm > 0 || first_ns < 2 * MOMENT_SECOND);
            if (k > 0)
                assert_int_equal(pages[k].start_ns, pages[k - 1].end_ns + MOMENT_SECOND);
        }
        assert_true(app_web_record(a, &record));
        assert_int_equal(record.octets, 3 * 31 * 4910);
        assert_int_equal(seen.goodput_octets, record.octets);
        assert_int_equal(record.octets_corrupt, 0);
        assert_int_equal(record.connection, rows[i].connections);
        assert_int_equal(seen.ends, rows[i].connections);
        assert_int_equal(record.sent_octets - record.retransmitted_octets, record.octets);
        assert_true(record.retransmitted_octets > 0 || rows[i].loss_ppm == 0);
        app_web_free(a);
        link_lab_fini(&lab);
    }
}

TEST(web_stops_and_reads_by_chance)
{
    int64_t starts_ns[2][2];
    for (int run = 0; run < 2; run++) {
        struct lab lab;
        size_t count;
        link_lab_init(&lab, 1);
        struct app_web_config config = web_config(&lab);
        config.pages = 0;
        config.is_reading_exponential = true;
        config.stream = (uint64_t)run;
        config.stop_ns = 60 * MOMENT_SECOND;
        struct app_web *a = app_web_new(&config);
        assert_non_null(a);
        link_lab_run(&lab, LAB_RUN);
        const struct app_web_page *pages = app_web_pages(a, &count);
        assert_in_range(count, 10, 60);
        assert_true(pages[count - 1].start_ns < 60 * MOMENT_SECOND);
        for (int k = 0; k < 2; k++)
            starts_ns[run][k] = pages[k + 1].start_ns;
        app_web_free(a);
        link_lab_fini(&lab);
    }
    assert_true(starts_ns[0][0] != starts_ns[1][0] && starts_ns[0][1] != starts_ns[1][1]);
}

/* The server is away: the browser keeps trying, and has its page once it is back. */
LAB_TEST(web_outlives_an_outage)
{
    size_t count;
    lab->link[LAB_SERVER].down_from_ns = 0;
    lab->link[LAB_SERVER].down_until_ns = 300 * MOMENT_SECOND;
    struct app_web_config config = web_config(lab);
    config.pages = 1;
    struct app_web *a = app_web_new(&config);
    assert_non_null(a);
    link_lab_run(lab, LAB_RUN);
    const struct app_web_page *pages = app_web_pages(a, &count);
    assert_int_equal(count, 1);
    assert_int_equal(pages[0].octets, 31 * 4910);
    assert_in_range(pages[0].end_ns, 300 * MOMENT_SECOND, 500 * MOMENT_SECOND);
    app_web_free(a);
}

static void on_reply(void *arg, int64_t now, int64_t rtt_ns)
{
    ((struct seen *)arg)->replies++;
}

LAB_TEST(pings_and_losses)
{
    struct seen seen = {0};
    uint32_t sent;
    lab->link[LAB_MOBILE].drop[0] = 3;
    lab->link[LAB_SERVER].late[0] = 1;
    lab->link[LAB_SERVER].late_ns = 2500 * LAB_MS;
    struct app_ping_config config = {
        .mobile = lab->host[LAB_MOBILE],
        .server = host_address(lab->host[LAB_SERVER]),
        .id = 5,
        .packet_octets = 64,
        .count = 5,
        .interval_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .arg = &seen,
        .on_reply = on_reply,
    };
    static const int64_t expected_ms[] = {2600, 100, -1, 100, 100};
    struct app_ping *a = app_ping_new(&config);
    assert_non_null(a);
    assert_null(app_ping_new(&config)); /* the identifier is taken */
    link_lab_run(lab, LAB_RUN);
    const int64_t *rtts_ns = app_ping_rtts_ns(a, &sent);
    assert_int_equal(sent, 5);
    for (uint32_t i = 0; i < sent; i++)
        assert_true(rtts_ns[i] == (expected_ms[i] < 0 ? -1 : expected_ms[i] * LAB_MS));
    assert_int_equal(seen.replies, 4);
    assert_int_equal(host_stats(lab->host[LAB_MOBILE])->octets_sent, 5 * 64);
    app_ping_free(a);
}

/* The payload of packets of one source, in the order in which they were sent. */
struct contents {
    uint64_t key;
    enum payload_content content;
    uint32_t skipped, seen; /* octets that are not of the content; packets */
    uint64_t place[2];      /* by the host that sends */
};

static void watch_content(void *arg, int from, const struct ip_packet *packet, int64_t now)
{
    static const uint8_t zeros[IP_PACKET_MAX_OCTETS];
    struct contents *c = arg;
    const uint8_t *octets = packet->payload + c->skipped;
    uint32_t count = packet->payload_octets - c->skipped;
    if (c->content == PAYLOAD_ZEROS)
        assert_memory_equal(octets, zeros, count);
    else
        assert_int_equal(payload_mismatches(octets, count, c->key, c->place[from]), 0);
    c->place[from] += count;
    c->seen++;
}

LAB_TEST(pings_have_their_content)
{
    for (enum payload_content content = PAYLOAD_ZEROS; content <= PAYLOAD_TEXT; content++) {
        struct contents seen = {.key = payload_key(5 + content, 0, content == PAYLOAD_TEXT),
                                .content = content};
        struct app_ping_config config = {
            .mobile = lab->host[LAB_MOBILE],
            .server = host_address(lab->host[LAB_SERVER]),
            .id = (uint16_t)(5 + content),
            .packet_octets = 64,
            .count = 3,
            .interval_ns = MOMENT_SECOND,
            .start_ns = lab->now,
            .stop_ns = MOMENT_NEVER,
            .content = content,
        };
        lab->watch = watch_content;
        lab->arg = &seen;
        struct app_ping *a = app_ping_new(&config);
        assert_non_null(a);
        link_lab_run(lab, LAB_RUN);
        assert_int_equal(seen.seen, 6); /* the replies have the same */
        app_ping_free(a);
    }
}

LAB_TEST(packets_have_their_content)
{
    for (enum payload_content content = PAYLOAD_ZEROS; content <= PAYLOAD_TEXT; content++) {
        struct contents seen = {.key = payload_key(9, 5004 + content, content == PAYLOAD_TEXT),
                                .content = content,
                                .skipped = 16};
        struct app_cbr_config config = {.receiver = lab->host[LAB_MOBILE],
                                        .sender = lab->host[LAB_SERVER],
                                        .receiver_port = (uint16_t)(5004 + content),
                                        .sender_port = 9,
                                        .rate_bps = 8000,
                                        .packet_octets = 500,
                                        .content = content,
                                        .start_ns = lab->now,
                                        .stop_ns = lab->now + 2 * MOMENT_SECOND};
        lab->watch = watch_content;
        lab->arg = &seen;
        struct app_cbr *a = app_cbr_new(&config);
        assert_non_null(a);
        link_lab_run(lab, LAB_RUN);
        assert_int_equal(app_cbr_record(a)->received, 4);
        assert_int_equal(seen.seen, 4);
        app_cbr_free(a);
    }
}

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

LAB_TEST(refuses_lists)
{
    static const struct app_cbr_packet lists[][2] = {{{0, 43}, {1, 100}},
                                                     {{0, 100}, {1, 1501}},
                                                     {{1, 100}, {0, 100}},
                                                     {{-1, 100}, {1, 100}},
                                                     {{0, 100}, {9, 100}}};
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct app_cbr_config config = {.receiver = lab->host[LAB_MOBILE],
                                        .sender = lab->host[LAB_SERVER],
                                        .receiver_port = 5004,
                                        .packet_octets = 1500,
                                        .packets = lists[i],
                                        .packet_count = 2,
                                        .repeat_ns = 9};
        assert_null(app_cbr_new(&config));
    }
}

/* A file from the mobile to the server: what arrives, what the record and its observer say, how it ends. */

static struct app_transfer_config config_of(struct lab *lab, struct seen *seen)
{
    return (struct app_transfer_config){
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .is_up = true,
        .server_port = 80,
        .octets = 50000,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = tcp_params_default(),
        .server_tcp = tcp_params_default(),
        .observer = watch(seen),
    };
}

/* 50 kB at 100 kbit/s take 4 s; every tenth packet lost, they arrive none the less. */
TEST(arrives)
{
    static const uint32_t losses[] = {0, 10};
    for (size_t i = 0; i < COUNT(losses); i++) {
        struct seen seen = {0};
        struct lab lab;
        struct app_record_tcp record;
        link_lab_init(&lab, 1);
        lab.link[LAB_MOBILE].rate_bps = 100000;
        lab.link[LAB_MOBILE].lose_one_in = losses[i];
        struct app_transfer_config config = config_of(&lab, &seen);
        struct app_transfer *a = app_transfer_new(&config);
        assert_non_null(a);
        assert_null(app_transfer_new(&config)); /* the port is taken */
        link_lab_run(&lab, MOMENT_SECOND - 1);
        assert_false(app_transfer_record(a, &record));
        link_lab_run(&lab, LAB_RUN);
        assert_true(app_transfer_record(a, &record));
        assert_int_equal(record.octets, 50000);
        assert_int_equal(record.octets_corrupt, 0);
        assert_int_equal(seen.goodput_octets, 50000);
        assert_int_equal(seen.last_acked, 50000);
        assert_int_equal(seen.ends, 1);
        assert_true(record.is_closed && record.end == TCP_END_FIN);
        assert_true(record.end_ns - record.start_ns > 4 * MOMENT_SECOND);
        assert_int_equal(record.retransmitted_octets > 0, losses[i] > 0);
        app_transfer_free(a);
        link_lab_fini(&lab);
    }
}

/* An endless one ends at its stop; one whose server is never reached is given up there. */
TEST(stops)
{
    static const struct {
        bool is_reached;
        enum tcp_end end;
    } rows[] = {{true, TCP_END_FIN}, {false, TCP_END_ABORT}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct seen seen = {0};
        struct lab lab;
        struct app_record_tcp record;
        link_lab_init(&lab, 1);
        lab.link[LAB_MOBILE].rate_bps = 100000;
        if (!rows[i].is_reached)
            lab.link[LAB_MOBILE].loss_ppm = 1000000;
        struct app_transfer_config config = config_of(&lab, &seen);
        config.octets = 0;
        config.stop_ns = 11 * MOMENT_SECOND;
        struct app_transfer *a = app_transfer_new(&config);
        link_lab_run(&lab, LAB_RUN);
        app_transfer_record(a, &record);
        assert_true(record.is_closed);
        assert_int_equal(record.end, rows[i].end);
        assert_in_range(record.octets, rows[i].is_reached ? 125000 : 0, rows[i].is_reached ? 200000 : 0);
        app_transfer_free(a);
        link_lab_fini(&lab);
    }
}

UNIT_MAIN(NULL, NULL)
