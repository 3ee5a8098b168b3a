/* SPDX-License-Identifier: BSD-3-Clause */
/* QUIC between two hosts over a bad link. */
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include "sim/app_transfer.h"
#include "sim/app_web.h"

#define FILE_OCTETS 200000

static const struct quic_params params = {
    .cc = QUIC_CUBIC,
    .datagram_octets = QUIC_MIN_DATAGRAM_OCTETS,
    .receive_window_octets = 1000000,
    .certificate_octets = 3000,
    .ack_every_packets = 2,
    .ack_delay_ns = 25 * LAB_MS,
    .initial_rtt_ns = 333 * LAB_MS,
    .idle_ns = 30 * MOMENT_SECOND,
};

/* A program without libngtcp2 has nothing to test here. */
static void need_quic(void)
{
    if (quic_is_built())
        return;
    print_message("gbflow was built without libngtcp2\n");
    skip();
}

static void make_bad(struct lab *lab)
{
    for (int way = 0; way < 2; way++) {
        lab->link[way].rate_bps = 200000;
        lab->link[way].delay_ns = 80 * LAB_MS;
        lab->link[way].loss_ppm = 30000;
        lab->link[way].late_ppm = 50000;
        lab->link[way].late_ns = 300 * LAB_MS;
        lab->link[way].flip_ppm = 10000;
    }
}

static struct app_transfer_config transfer(struct lab *lab, struct quic_session_port *port)
{
    return (struct app_transfer_config){
        .mobile = lab->host[LAB_MOBILE],
        .port = port,
        .octets = FILE_OCTETS,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .seed = 7,
        .quic = params,
    };
}

/* One transfer over a link; the record, and the digest of all packets and their times. */
static uint64_t play(struct app_record_tcp *record, enum quic_cc cc, bool is_up, bool is_bad)
{
    struct lab lab;
    link_lab_init(&lab, 1);
    if (is_bad)
        make_bad(&lab);
    struct quic_session_port *port = quic_session_port_new(lab.host[LAB_MOBILE], lab.host[LAB_SERVER]);
    struct app_transfer_config config = transfer(&lab, port);
    config.quic.cc = cc;
    config.is_up = is_up;
    struct app_transfer *app = app_transfer_new(&config);
    assert_non_null(app);
    link_lab_run(&lab, LAB_RUN);
    assert_true(app_transfer_record(app, record));
    uint64_t digest = lab.digest;
    app_transfer_free(app);
    quic_session_port_free(port);
    link_lab_fini(&lab);
    return digest;
}

TEST(each_octet_arrives_once)
{
    need_quic();
    for (int cc = QUIC_RENO; cc <= QUIC_BBR2; cc++)
        for (int is_bad = 0; is_bad < 2; is_bad++)
            for (int is_up = 0; is_up < 2; is_up++) {
                struct app_record_tcp record;
                play(&record, (enum quic_cc)cc, is_up, is_bad);
                assert_int_equal(record.octets, FILE_OCTETS);
                assert_int_equal(record.octets_corrupt, 0);
                assert_true(record.is_closed && record.end == TCP_END_FIN);
                assert_int_equal(record.sent_octets - record.retransmitted_octets, FILE_OCTETS);
                assert_true(is_bad == (record.retransmitted_octets > 0));
                assert_true(record.rtt_count > 0 && record.rtt_min_ns <= record.rtt_max_ns);
            }
}

TEST(equal_seeds)
{
    need_quic();
    struct app_record_tcp record;
    for (int cc = QUIC_RENO; cc <= QUIC_BBR2; cc++)
        assert_true(play(&record, (enum quic_cc)cc, false, true) ==
                    play(&record, (enum quic_cc)cc, false, true));
    assert_true(play(&record, QUIC_CUBIC, false, true) != play(&record, QUIC_BBR, false, true));
}

/* The server is out of reach: the mobile gives up, and is told so. */
TEST(gives_up)
{
    need_quic();
    struct lab lab;
    struct app_record_tcp record;
    link_lab_init(&lab, 1);
    lab.link[LAB_MOBILE].loss_ppm = 1000000;
    struct quic_session_port *port = quic_session_port_new(lab.host[LAB_MOBILE], lab.host[LAB_SERVER]);
    struct app_transfer_config config = transfer(&lab, port);
    struct app_transfer *app = app_transfer_new(&config);
    link_lab_run(&lab, LAB_RUN);
    assert_true(app_transfer_record(app, &record));
    assert_true(record.is_closed && record.end == TCP_END_TIMEOUT);
    assert_int_equal(record.octets, 0);
    app_transfer_free(app);
    quic_session_port_free(port);
    link_lab_fini(&lab);
}

/* Pages over a link that is down for longer than the idle timeout. */
TEST(pages_outlive_an_outage)
{
    need_quic();
    struct lab lab;
    size_t count;
    link_lab_init(&lab, 1);
    make_bad(&lab);
    for (int way = 0; way < 2; way++) {
        lab.link[way].down_from_ns = 3 * MOMENT_SECOND;
        lab.link[way].down_until_ns = 60 * MOMENT_SECOND;
    }
    struct quic_session_port *port = quic_session_port_new(lab.host[LAB_MOBILE], lab.host[LAB_SERVER]);
    struct app_web_config config = {
        .mobile = lab.host[LAB_MOBILE],
        .server = lab.host[LAB_SERVER],
        .page_octets = 10000,
        .items = 20,
        .item_octets = 5000,
        .port = port,
        .quic = params,
        .parallel = QUIC_MAX_STREAMS,
        .is_persistent = true,
        .pages = 3,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = tcp_params_default(),
        .server_tcp = tcp_params_default(),
    };
    struct app_web *web = app_web_new(&config);
    assert_non_null(web);
    link_lab_run(&lab, LAB_RUN);
    const struct app_web_page *pages = app_web_pages(web, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_true(pages[i].end_ns != MOMENT_NEVER && pages[i].octets >= 110000);
    assert_true(pages[0].end_ns > 60 * MOMENT_SECOND);
    app_web_free(web);
    quic_session_port_free(port);
    link_lab_fini(&lab);
}

/* Datagrams of chance from the mobile, some of them with the head of an Initial packet. */
TEST(garbage)
{
    need_quic();
    struct lab lab;
    struct rng rng;
    uint8_t bytes[QUIC_MAX_DATAGRAM_OCTETS];
    link_lab_init(&lab, 1);
    rng_init(&rng, 3, 0);
    struct quic_session_port *port = quic_session_port_new(lab.host[LAB_MOBILE], lab.host[LAB_SERVER]);
    struct app_transfer_config config = transfer(&lab, port);
    struct app_transfer *app = app_transfer_new(&config);
    link_lab_run(&lab, MOMENT_SECOND);
    for (int i = 0; i < 5000; i++) {
        static const uint8_t head[] = {0xc0, 0, 0, 0, 1, 8};
        for (size_t k = 0; k < sizeof(bytes); k++)
            bytes[k] = (uint8_t)rng_u64(&rng);
        for (size_t k = 0; k < sizeof(head) && i % 2; k++)
            bytes[k] = head[k];
        struct ip_packet packet = {
            .ip = {.dst = host_address(lab.host[LAB_SERVER]), .proto = IPV4_PROTO_UDP},
            .udp = {.src_port = 49152, .dst_port = QUIC_SESSION_PORT},
            .payload = bytes,
            .payload_octets = (uint16_t)rng_below(&rng, sizeof(bytes)),
        };
        host_send(lab.host[LAB_MOBILE], &packet, lab.now);
        link_lab_run(&lab, lab.now + LAB_MS);
    }
    struct app_record_tcp record;
    link_lab_run(&lab, LAB_RUN);
    assert_true(app_transfer_record(app, &record) && record.is_closed);
    app_transfer_free(app);
    quic_session_port_free(port);
    link_lab_fini(&lab);
}

UNIT_MAIN(NULL, NULL)
