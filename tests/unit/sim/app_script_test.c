/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include "sim/app_script.h"

#include <string.h>

/* The lab's links take 50 ms each way and no time for octets: a request on a new connection is at the server
 * after 150 ms, its response at the mobile after 200 ms; on an open one after 50 and 100 ms. */
enum { PORT = 8000, MOST = 8 };

#define NONE APP_SCRIPT_NONE

static struct app_script_config config_of(struct lab *lab, const struct app_script *script)
{
    return (struct app_script_config){
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .server_port = PORT,
        .script = script,
        .start_ns = MOMENT_SECOND,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = tcp_params_default(),
        .server_tcp = tcp_params_default(),
    };
}

struct expected {
    int64_t began_ms, took_ms; /* took_ms -1: not done */
};

static void check(const struct app_script_player *a, const struct expected *expected, uint32_t count)
{
    const struct exchanges *x = app_script_record(a).exchanges;
    assert_int_equal(x->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(x->began_ns[i], expected[i].began_ms * LAB_MS);
        assert_int_equal(x->took_ns[i], expected[i].took_ms < 0 ? -1 : expected[i].took_ms * LAB_MS);
    }
}

#define LAB_TEST(name) TEST_IN(name, struct lab, lab, link_lab_init(lab, 1), link_lab_fini(lab))

/* Waits, thinks, a shared connection, one that is taken, a page. */
LAB_TEST(plays_in_order)
{
    struct app_script_exchange exchanges[] = {
        {NONE, 0, 0, 100, 500, 0, 300 * LAB_MS},     /* new: 1000 to 1500 */
        {0, 0, 0, 100, 500, 400 * LAB_MS, 0},        /* open: 1900 to 2000 */
        {0, 1, NONE, 100, 500, 450 * LAB_MS, 0},     /* new: 1950 to 2150 */
        {0, 0, NONE, 100, 500, 420 * LAB_MS, 0},     /* is due at 1920, begins as 2 is done: 2000 to 2100 */
        {NONE, 2, NONE, 100, 500, 5000 * LAB_MS, 0}, /* 6000 to 6200 */
    };
    const struct app_script script = {exchanges, 5, 3, 1};
    static const struct expected expected[] = {
        {1000, 500}, {1900, 100}, {1950, 200}, {2000, 100}, {6000, 200}};
    struct app_script_config config = config_of(lab, &script);
    struct app_script_player *a = app_script_new(&config);
    struct app_record_tcp sum;
    assert_non_null(a);
    assert_null(app_script_new(&config)); /* the port is taken */
    link_lab_run(lab, LAB_RUN);
    check(a, expected, 5);
    struct app_script_record record = app_script_record(a);
    assert_int_equal(record.rounds, 1);
    assert_int_equal(record.repeated, 0);
    assert_int_equal(record.page_count, 1);
    assert_int_equal(record.pages[0].start_ns, 1000 * LAB_MS);
    assert_int_equal(record.pages[0].first_ns, 1500 * LAB_MS);
    assert_int_equal(record.pages[0].end_ns, 2000 * LAB_MS);
    assert_int_equal(record.pages[0].octets, 1000);
    assert_true(app_script_connections(a, &sum));
    assert_int_equal(sum.connection, 3);
    assert_int_equal(sum.octets, 2500);
    app_script_free(a);
}

/* Without a request the server speaks once the connection is open there, or at once; without a response the
 * ACK ends the exchange, which waits for a second segment or 200 ms. */
LAB_TEST(speaks_on_one_side)
{
    struct app_script_exchange exchanges[] = {
        {NONE, 0, NONE, 0, 500, 0, 30 * LAB_MS},         /* SYN, SYN-ACK, ACK, response */
        {0, 0, NONE, 0, 500, 500 * LAB_MS, 20 * LAB_MS}, /* Nagle's rule would hold it until the ACK */
        {1, 0, NONE, 100, 0, 0, 0},
    };
    const struct app_script script = {exchanges, 3, 1, 0};
    static const struct expected expected[] = {{0, 230}, {730, 70}, {800, 300}};
    struct app_script_config config = config_of(lab, &script);
    config.start_ns = 0;
    struct app_script_player *a = app_script_new(&config);
    assert_non_null(a);
    link_lab_run(lab, LAB_RUN);
    check(a, expected, 3);
    app_script_free(a);
}

/* Again from its beginning, on new connections, until stop. */
LAB_TEST(begins_again)
{
    struct app_script_exchange exchanges[] = {{NONE, 0, 0, 100, 500, 100 * LAB_MS, 0},
                                              {0, 0, 0, 100, 500, 0, 0}};
    const struct app_script script = {exchanges, 2, 1, 1};
    static const struct expected expected[] = {{1100, 200}, {1300, 100}, {1500, 200}, {1700, 100}};
    struct app_script_config config = config_of(lab, &script);
    config.is_again = true;
    config.stop_ns = 1800 * LAB_MS;
    struct app_script_player *a = app_script_new(&config);
    assert_non_null(a);
    link_lab_run(lab, LAB_RUN);
    check(a, expected, 4);
    assert_int_equal(app_script_record(a).rounds, 2);
    assert_int_equal(app_script_record(a).page_count, 2);
    app_script_free(a);
}

/* The connection ends before the response: one second later a new one. */
LAB_TEST(repeats_on_a_new_connection)
{
    struct app_script_exchange exchanges[] = {{NONE, 0, NONE, 100, 500, 0, 0}};
    const struct app_script script = {exchanges, 1, 1, 0};
    struct app_script_config config = config_of(lab, &script);
    struct app_record_tcp sum;
    config.mobile_tcp.max_syn_retries = 0;
    config.mobile_tcp.initial_rto_ns = MOMENT_SECOND;
    lab->link[LAB_MOBILE].down_from_ns = 0;
    lab->link[LAB_MOBILE].down_until_ns = 1500 * LAB_MS;
    struct app_script_player *a = app_script_new(&config);
    assert_non_null(a);
    link_lab_run(lab, LAB_RUN);
    static const struct expected expected[] = {{1000, 2200}};
    check(a, expected, 1);
    assert_int_equal(app_script_record(a).repeated, 1);
    assert_true(app_script_connections(a, &sum));
    assert_int_equal(sum.connection, 2);
    app_script_free(a);
}

LAB_TEST(refuses)
{
    static const struct app_script_exchange good = {NONE, 0, NONE, 100, 500, 0, 0};
    struct app_script_exchange exchange = good;
    struct app_script script = {&exchange, 1, 1, 0};
    struct app_script_config config = config_of(lab, &script);
    exchange.after = 0;
    assert_null(app_script_new(&config));
    exchange = good;
    exchange.connection = 1;
    assert_null(app_script_new(&config));
    exchange = good;
    exchange.page = 0;
    assert_null(app_script_new(&config));
    exchange = good;
    exchange.request_octets = exchange.response_octets = 0;
    assert_null(app_script_new(&config));
    exchange = good;
    script.count = 0;
    assert_null(app_script_new(&config));
}

UNIT_MAIN(NULL, NULL)
