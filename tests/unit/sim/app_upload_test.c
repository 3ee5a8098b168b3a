/* SPDX-License-Identifier: BSD-3-Clause */
/* A file from the mobile to the server: what arrives, what the record and its observer say, and how it ends.
 */
#include "sim/app_transfer.h"
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

struct seen {
    uint32_t sent, ends;
    uint64_t acked, goodput_octets;
};

static void on_sent(void *arg, uint32_t connection, int64_t now, uint64_t end_octets, bool is_retransmission)
{
    ((struct seen *)arg)->sent++;
}

static void on_acked(void *arg, uint32_t connection, int64_t now, uint64_t acked_octets)
{
    ((struct seen *)arg)->acked = acked_octets;
}

static void on_goodput(void *arg, uint32_t connection, int64_t now, uint64_t octets)
{
    ((struct seen *)arg)->goodput_octets += octets;
}

static void on_tcp_end(void *arg, const struct app_record_tcp *record, int64_t now)
{
    ((struct seen *)arg)->ends++;
}

static struct app_upload_config config_of(struct lab *lab, struct seen *seen)
{
    return (struct app_upload_config){
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .server_port = 80,
        .octets = 50000,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = tcp_params_default(),
        .server_tcp = tcp_params_default(),
        .observer = {.arg = seen,
                     .on_sent = on_sent,
                     .on_acked = on_acked,
                     .on_goodput = on_goodput,
                     .on_tcp_end = on_tcp_end},
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
        struct app_upload_config config = config_of(&lab, &seen);
        struct app_upload *a = app_upload_new(&config);
        assert_non_null(a);
        assert_null(app_upload_new(&config)); /* the port is taken */
        link_lab_run(&lab, MOMENT_SECOND - 1);
        assert_false(app_upload_record(a, &record));
        link_lab_run(&lab, LAB_RUN);
        assert_true(app_upload_record(a, &record));
        assert_int_equal(record.octets, 50000);
        assert_int_equal(record.octets_corrupt, 0);
        assert_int_equal(seen.goodput_octets, 50000);
        assert_int_equal(seen.acked, 50000);
        assert_int_equal(seen.ends, 1);
        assert_true(record.is_closed && record.end == TCP_END_FIN);
        assert_true(record.end_ns - record.start_ns > 4 * MOMENT_SECOND);
        assert_int_equal(record.retransmitted_octets > 0, losses[i] > 0);
        app_upload_free(a);
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
        struct app_upload_config config = config_of(&lab, &seen);
        config.octets = 0;
        config.stop_ns = 11 * MOMENT_SECOND;
        struct app_upload *a = app_upload_new(&config);
        link_lab_run(&lab, LAB_RUN);
        app_upload_record(a, &record);
        assert_true(record.is_closed);
        assert_int_equal(record.end, rows[i].end);
        assert_in_range(record.octets, rows[i].is_reached ? 125000 : 0, rows[i].is_reached ? 200000 : 0);
        app_upload_free(a);
        link_lab_fini(&lab);
    }
}

UNIT_MAIN(NULL, NULL)
