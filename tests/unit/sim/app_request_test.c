/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include "sim/app_request.h"

#include <string.h>

enum { SEEN = 64, PORT = 8000 };

/* What the hosts sent, before harm, and the answers that counted. */
struct seen {
    struct app_request *app;
    unsigned sent[2], answers;
    int64_t at_ns[2][SEEN];
    uint8_t head[2][SEEN][12];
    uint16_t octets[2][SEEN];
    int64_t took_ns[SEEN];
};

static void watch(void *arg, int from, const struct ip_packet *packet, int64_t now)
{
    struct seen *seen = arg;
    unsigned i = seen->sent[from]++;
    assert_true(i < SEEN);
    seen->at_ns[from][i] = now;
    seen->octets[from][i] = packet->payload_octets;
    memcpy(seen->head[from][i], packet->payload,
           packet->payload_octets < sizeof(seen->head[from][i]) ? packet->payload_octets
                                                                : sizeof(seen->head[from][i]));
}

static void on_answer(void *arg, int64_t now, uint32_t payload_octets, int64_t took_ns)
{
    struct seen *seen = arg;
    assert_int_equal(payload_octets, 50 - 28);
    seen->took_ns[seen->answers++] = took_ns;
}

static struct app_request_config config_of(struct lab *lab, struct seen *seen)
{
    lab->watch = watch;
    lab->arg = seen;
    return (struct app_request_config){
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .port = PORT,
        .request_octets = 100,
        .answer_octets = 50,
        .count = 3,
        .interval_ns = 10 * MOMENT_SECOND,
        .is_confirmable = true,
        .repeats = 4,
        .timeout_ns = 2 * MOMENT_SECOND,
        .seed = 1,
        .stop_ns = MOMENT_NEVER,
        .arg = seen,
        .on_answer = on_answer,
    };
}

/* Plays to the end. The application is freed. */
static struct app_request_record play(struct lab *lab, const struct app_request_config *config,
                                      int64_t *took_ns)
{
    struct app_request *a = app_request_new(config);
    assert_non_null(a);
    assert_null(app_request_new(config)); /* the ports are taken */
    link_lab_run(lab, LAB_RUN);
    struct app_request_record record = app_request_record(a);
    assert_true(record.answered + record.given_up <= record.sent);
    for (uint32_t i = 0; i < record.sent; i++)
        took_ns[i] = record.took_ns[i];
    app_request_free(a);
    return record;
}

#define LAB_TEST(name) TEST_IN(name, struct lab, lab, link_lab_init(lab, 1), link_lab_fini(lab))

/* Both ends' messages as RFC 7252 figure 7 has them, at their instants, of the lengths given. */
LAB_TEST(asks_and_is_answered)
{
    static const uint8_t request[] = {0x44, 0x02, 0, 2, 0, 0, 0, 2, 0xff},
                         answer[] = {0x64, 0x44, 0, 2, 0, 0, 0, 2, 0xff};
    struct seen seen = {0};
    int64_t took_ns[3];
    struct app_request_config config = config_of(lab, &seen);
    config.start_ns = MOMENT_SECOND;
    struct app_request_record record = play(lab, &config, took_ns);
    assert_int_equal(record.sent, 3);
    assert_int_equal(record.answered, 3);
    assert_int_equal(record.repeated + record.given_up, 0);
    assert_int_equal(seen.answers, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(seen.at_ns[LAB_MOBILE][i], (1 + 10 * i) * MOMENT_SECOND);
        assert_int_equal(seen.octets[LAB_MOBILE][i], 100 - 28);
        assert_int_equal(seen.octets[LAB_SERVER][i], 50 - 28);
        assert_int_equal(took_ns[i], 100 * LAB_MS);
    }
    assert_memory_equal(seen.head[LAB_MOBILE][2], request, sizeof(request));
    assert_memory_equal(seen.head[LAB_SERVER][2], answer, sizeof(answer));
}

/* One that is sent once: what is lost stays lost, what is late counts, also behind the answer of a later one.
 */
LAB_TEST(sends_once)
{
    struct seen seen = {0};
    int64_t took_ns[5];
    static const int64_t expected_ms[] = {25100, 100, -1, -1, 100};
    struct app_request_config config = config_of(lab, &seen);
    config.is_confirmable = false;
    config.count = 5;
    lab->link[LAB_SERVER].late[0] = 1;
    lab->link[LAB_SERVER].late_ns = 25 * MOMENT_SECOND;
    lab->link[LAB_MOBILE].drop[0] = 3;
    lab->link[LAB_SERVER].drop[0] = 3;
    struct app_request_record record = play(lab, &config, took_ns);
    assert_int_equal(record.sent, 5);
    assert_int_equal(record.answered, 3);
    assert_int_equal(record.repeated + record.given_up, 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(took_ns[i], expected_ms[i] < 0 ? -1 : expected_ms[i] * LAB_MS);
    assert_int_equal(seen.head[LAB_MOBILE][0][0], 0x54);
    assert_int_equal(seen.head[LAB_SERVER][0][0], 0x54);
}

/* Lost requests and lost answers are repeated after T, 2 T, 4 T: T is in 2 .. 3 s; each copy is answered, one
 * counts. */
LAB_TEST(repeats)
{
    struct seen seen = {0};
    int64_t took_ns[1];
    struct app_request_config config = config_of(lab, &seen);
    config.count = 1;
    lab->link[LAB_MOBILE].drop[0] = 1;
    lab->link[LAB_SERVER].drop[0] = 1;
    lab->link[LAB_SERVER].late[0] = 2;
    lab->link[LAB_SERVER].late_ns = 60 * MOMENT_SECOND;
    struct app_request_record record = play(lab, &config, took_ns);
    const int64_t *at_ns = seen.at_ns[LAB_MOBILE], first_ns = at_ns[1] - at_ns[0];
    assert_int_equal(record.repeated, 3);
    assert_int_equal(seen.sent[LAB_MOBILE], 4);
    assert_int_equal(seen.sent[LAB_SERVER], 3);
    assert_in_range(first_ns, 2 * MOMENT_SECOND, 3 * MOMENT_SECOND);
    assert_int_equal(at_ns[2] - at_ns[1], 2 * first_ns);
    assert_int_equal(at_ns[3] - at_ns[2], 4 * first_ns);
    assert_int_equal(record.answered, 1);
    assert_int_equal(seen.answers, 1);
    assert_int_equal(took_ns[0], 7 * first_ns + 100 * LAB_MS);
    for (unsigned i = 0; i < 4; i++)
        assert_memory_equal(seen.head[LAB_MOBILE][i], seen.head[LAB_MOBILE][0], 12);
}

/* Given up 31 T after its begin, when the next one, which was due long before, begins; what comes later does
 * not count. */
LAB_TEST(gives_up)
{
    struct seen seen = {0};
    int64_t took_ns[2];
    struct app_request_config config = config_of(lab, &seen);
    config.count = 2;
    for (unsigned i = 0; i < 4; i++)
        lab->link[LAB_SERVER].drop[i] = 1 + i;
    lab->link[LAB_SERVER].late[0] = 5;
    lab->link[LAB_SERVER].late_ns = 500 * MOMENT_SECOND;
    struct app_request_record record = play(lab, &config, took_ns);
    const int64_t *at_ns = seen.at_ns[LAB_MOBILE];
    assert_int_equal(seen.sent[LAB_MOBILE], 6);
    assert_int_equal(at_ns[5] - at_ns[0], 31 * (at_ns[1] - at_ns[0]));
    assert_int_equal(record.sent, 2);
    assert_int_equal(record.repeated, 4);
    assert_int_equal(record.given_up, 1);
    assert_int_equal(record.answered, 1);
    assert_int_equal(took_ns[0], -1);
    assert_int_equal(took_ns[1], 100 * LAB_MS);
}

/* Without repetitions a confirmable request is given up after T; the one behind it keeps its own instant. */
LAB_TEST(gives_up_at_once)
{
    struct seen seen = {0};
    int64_t took_ns[2];
    struct app_request_config config = config_of(lab, &seen);
    config.count = 2;
    config.repeats = 0;
    lab->link[LAB_MOBILE].drop[0] = 1;
    struct app_request_record record = play(lab, &config, took_ns);
    assert_int_equal(seen.at_ns[LAB_MOBILE][1], 10 * MOMENT_SECOND);
    assert_int_equal(record.repeated, 0);
    assert_int_equal(record.given_up, 1);
    assert_int_equal(record.answered, 1);
}

/* No request begins from stop_ns on, but the last one is repeated after it. */
LAB_TEST(stops)
{
    struct seen seen = {0};
    int64_t took_ns[3];
    struct app_request_config config = config_of(lab, &seen);
    config.count = 0;
    config.stop_ns = 20 * MOMENT_SECOND + 1;
    lab->link[LAB_MOBILE].drop[0] = 3;
    struct app_request_record record = play(lab, &config, took_ns);
    assert_int_equal(record.sent, 3);
    assert_int_equal(record.answered, 3);
    assert_int_equal(record.repeated, 1);
    assert_in_range(took_ns[2], 2100 * LAB_MS, 3100 * LAB_MS);
}

/* Intervals by chance have their mean, timeouts their range; equal seeds give equal packets, others do not.
 */
TEST(draws)
{
    enum { REQUESTS = 2000 };
    static const uint64_t seeds[] = {1, 1, 2};
    uint64_t digests[COUNT(seeds)];
    for (size_t i = 0; i < COUNT(seeds); i++) {
        static struct lab lab;
        struct seen seen = {0};
        link_lab_init(&lab, 1);
        struct app_request_config config = config_of(&lab, &seen);
        lab.watch = NULL;
        config.on_answer = NULL;
        config.is_random = true;
        config.count = REQUESTS;
        config.seed = seeds[i];
        struct app_request *a = app_request_new(&config);
        assert_non_null(a);
        link_lab_run(&lab, LAB_RUN);
        struct app_request_record record = app_request_record(a);
        assert_int_equal(record.answered, REQUESTS);
        int64_t mean_ns = (record.began_ns[REQUESTS - 1] - record.began_ns[0]) / (REQUESTS - 1);
        assert_in_range(mean_ns, 9 * MOMENT_SECOND, 11 * MOMENT_SECOND);
        digests[i] = lab.digest;
        app_request_free(a);
        link_lab_fini(&lab);
    }
    assert_true(digests[0] == digests[1]);
    assert_true(digests[0] != digests[2]);
}

/* The least packets have no payload behind the token; none is longer than the MTU. */
LAB_TEST(refuses)
{
    static const struct {
        uint32_t request, answer, repeats;
        int64_t interval_ns, timeout_ns;
        bool is_right;
    } rows[] = {
        {36, 36, 0, 1, 1, true},  {1500, 1500, 10, 1, 1, true}, {35, 50, 4, 1, 1, false},
        {50, 35, 4, 1, 1, false}, {50, 1501, 4, 1, 1, false},   {50, 50, 11, 1, 1, false},
        {50, 50, 4, 0, 1, false}, {50, 50, 4, 1, 0, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct seen seen = {0};
        struct app_request_config config = config_of(lab, &seen);
        config.port = (uint16_t)(PORT + i);
        config.start_ns = lab->now;
        config.on_answer = NULL;
        config.count = 1;
        config.request_octets = rows[i].request;
        config.answer_octets = rows[i].answer;
        config.repeats = rows[i].repeats;
        config.interval_ns = rows[i].interval_ns;
        config.timeout_ns = rows[i].timeout_ns;
        struct app_request *a = app_request_new(&config);
        assert_int_equal(a != NULL, rows[i].is_right);
        link_lab_run(lab, lab->now + LAB_RUN);
        assert_int_equal(seen.octets[LAB_MOBILE][0], rows[i].is_right ? rows[i].request - 28 : 0);
        assert_int_equal(seen.octets[LAB_SERVER][0], rows[i].is_right ? rows[i].answer - 28 : 0);
        app_request_free(a);
    }
}

UNIT_MAIN(NULL, NULL)
