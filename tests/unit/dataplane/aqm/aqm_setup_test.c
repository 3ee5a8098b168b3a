/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for every scheme that there is, built in. */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 200000 };

static const struct aqm_ops *each(unsigned i)
{
    static struct aqm_registry registry;
    aqm_registry_init(&registry);
    return i < registry.count ? registry.schemes[i] : NULL;
}

/* A value beside the range is refused, and the message names parameter, value and range. */
static void refuse(const struct aqm_ops *ops, uint32_t index, int64_t value)
{
    int64_t values[AQM_MAX_PARAMS];
    char message[256] = "", low[64], high[64], given[64], expected[256];
    const struct aqm_param *param = &ops->params[index];
    aqm_param_defaults(ops, values);
    values[index] = value;
    assert_null(aqm_setup_new(&(struct aqm_choice){ops, values, 1, 0}, message, sizeof(message)));
    aqm_param_show(param, param->min, low, sizeof(low));
    aqm_param_show(param, param->max, high, sizeof(high));
    aqm_param_show(param, value, given, sizeof(given));
    snprintf(expected, sizeof(expected), "%s: %s is out of range: %s .. %s", param->name, given, low, high);
    assert_string_equal(message, expected);
}

TEST(ranges_are_kept)
{
    const struct aqm_ops *ops;
    for (unsigned i = 0; (ops = each(i)); i++) {
        for (uint32_t index = 0; index < ops->param_count; index++) {
            refuse(ops, index, ops->params[index].min - 1);
            refuse(ops, index, ops->params[index].max + 1);
        }
    }
}

TEST(values_are_shown_with_their_units)
{
    static const struct {
        enum aqm_kind kind;
        int64_t value;
        const char *expect;
    } rows[] = {{AQM_OCTETS, 15000, "15000 octets"},
                {AQM_PACKETS, 5, "5 packets"},
                {AQM_DURATION, 1, "1 ns"},
                {AQM_SHARE, 2000, "2000 millionths"},
                {AQM_FLAG, 1, "true"},
                {AQM_FLAG, 0, "false"},
                {AQM_FLAG, 2, "2"},
                {AQM_CHOICE, 1, "beta"},
                {AQM_CHOICE, 2, "gamma"},
                {AQM_CHOICE, 3, "3"},
                {AQM_CHOICE, -1, "-1"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char shown[64];
        struct aqm_param param = {.name = "p", .kind = rows[i].kind, .words = "alpha beta gamma"};
        aqm_param_show(&param, rows[i].value, shown, sizeof(shown));
        assert_string_equal(shown, rows[i].expect);
    }
}

/* A queue that comes and goes, with a random view for each packet; the answers as a hash. */
static uint64_t life_at(const struct aqm_ops *ops, uint64_t seed, bool has_ecn, uint64_t most_bps)
{
    char message[128];
    _Alignas(64) uint8_t state[AQM_MAX_STATE];
    uint64_t hash = 1;
    struct rng r;
    struct aqm_setup *setup =
        aqm_setup_new(&(struct aqm_choice){ops, NULL, seed, 3}, message, sizeof(message));
    assert_non_null(setup);
    setup->is_marking &= has_ecn;
    aqm_setup_start(setup, state, 0);
    rng_init(&r, 99, 0);
    for (int64_t now = 0, i = 0; i < PACKETS; i++, now += (int64_t)rng_below(&r, 20 * MS)) {
        struct aqm_view view = kit_view(rng_below(&r, 100000));
        view.rate_bps = rng_below(&r, 8) == 0 ? 0 : most_bps;
        view.sojourn_ns = view.rate_bps > 0 ? (int64_t)view.backlog_octets * 100000 : 0;
        view.qclass = (uint8_t)rng_below(&r, QCLASS_COUNT);
        view.ecn = (uint8_t)rng_below(&r, 4);
        enum aqm_verdict verdict = aqm_setup_ask(setup, AQM_AT_ENQUEUE, state, &view, now);
        hash = hash * 31 + verdict;
        assert_true(verdict != AQM_MARK || (view.ecn != AQM_ECN_NOT && has_ecn));
        view.age_ns = (int64_t)rng_below(&r, 5000 * MS);
        verdict = verdict == AQM_DROP ? AQM_PASS : aqm_setup_ask(setup, AQM_AT_DEQUEUE, state, &view, now);
        assert_true(verdict != AQM_MARK || (view.ecn != AQM_ECN_NOT && has_ecn));
        hash = hash * 31 + verdict;
    }
    struct aqm_counts total = aqm_setup_total(setup);
    assert_true(total.asked <= 2 * PACKETS && total.marked + total.dropped <= total.asked);
    assert_true(total.unmarkable <= total.dropped && (has_ecn || total.unmarkable == 0));
    aqm_setup_free(setup);
    return hash;
}

static uint64_t life(const struct aqm_ops *ops, uint64_t seed, bool has_ecn)
{
    return life_at(ops, seed, has_ecn, 80000);
}

/* The queue spares them the rate. */
TEST(rateless_schemes_do_not_look_at_it)
{
    const struct aqm_ops *ops;
    unsigned alike = 0, others = 0;
    for (unsigned i = 0; (ops = each(i)); i++) {
        bool is_alike = life_at(ops, 1, true, 80000) == life_at(ops, 1, true, 0);
        if (ops->flags & AQM_RATELESS)
            assert_true(is_alike);
        alike += is_alike;
        others += !is_alike;
    }
    assert_true(alike > 0 && others > 0);
}

TEST(equal_seeds_decide_alike)
{
    const struct aqm_ops *ops;
    for (unsigned i = 0; (ops = each(i)); i++) {
        assert_true(life(ops, 1, true) == life(ops, 1, true));
        assert_true(life(ops, 1, false) == life(ops, 1, false));
        assert_int_equal(life(ops, 1, true) != life(ops, 2, true),
                         (ops->flags & (AQM_DRAWS | AQM_DRAWS_DEQUEUE)) != 0);
    }
}

/* Nothing overflows at the edges of what a view may hold, which sanitizers see; and time does not run away.
 */
TEST(edges_are_harmless)
{
    static const int64_t times_ns[] = {0, 1, MS, INT64_C(1) << 40, (INT64_C(1) << 60) - 1};
    static const uint64_t octets[] = {0, 1, 1501, 100000, (UINT64_C(1) << 38) - 1};
    static const uint64_t rates_bps[] = {0, 1, 80000, UINT64_C(100000000000), UINT64_MAX};
    const struct aqm_ops *ops;
    for (unsigned i = 0; (ops = each(i)); i++) {
        char message[128];
        _Alignas(64) uint8_t memory[AQM_MAX_STATE];
        struct rng r;
        struct aqm_setup *setup =
            aqm_setup_new(&(struct aqm_choice){ops, NULL, 1, 0}, message, sizeof(message));
        aqm_setup_start(setup, memory, 0);
        rng_init(&r, 5, 0);
        for (int64_t k = 0, now = 0; k < 100000; k++, now += times_ns[rng_below(&r, 4)]) {
            struct aqm_view view = kit_view(octets[rng_below(&r, 5)]);
            view.rate_bps = rates_bps[rng_below(&r, 5)];
            view.sojourn_ns = times_ns[rng_below(&r, 5)];
            view.octets = (uint32_t)rng_below(&r, 65536);
            aqm_setup_ask(setup, AQM_AT_ENQUEUE, memory, &view, now);
            view.age_ns = times_ns[rng_below(&r, 5)];
            view.parked_ns = times_ns[rng_below(&r, 5)];
            view.left_ns = times_ns[rng_below(&r, 5)] - MS;
            aqm_setup_ask(setup, AQM_AT_DEQUEUE, memory, &view, now);
        }
        aqm_setup_free(setup);
    }
}

/* As many as the scheme says, all of them written. */
TEST(readings_have_names)
{
    const struct aqm_ops *ops;
    for (unsigned i = 0; (ops = each(i)); i++) {
        struct kit kit;
        struct aqm_reading readings[2 * AQM_MAX_READINGS] = {0};
        kit_init(&kit, ops->name, "", 1);
        unsigned count = ops->read ? ops->read(kit.setup->law, kit.state, readings) : 0;
        assert_in_range(count, 0, AQM_MAX_READINGS);
        for (unsigned k = 0; k < 2 * AQM_MAX_READINGS; k++)
            assert_int_equal(readings[k].name != NULL, k < count);
        kit_fini(&kit);
    }
}

static enum aqm_verdict answer(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return (enum aqm_verdict)view->tag;
}

/* A mark is a mark only with `ecn` and a capable packet; counts tell classes, hooks and reasons apart. */
TEST(marks_only_where_it_can)
{
    static const struct aqm_param ecn[] = {AQM_PARAM_ECN(1)};
    const struct aqm_ops says = {
        .name = "says", .params = ecn, .param_count = 1, .enqueue = answer, .uplink = answer};
    static const struct {
        int64_t ecn;
        enum aqm_verdict said;
        enum aqm_ecn code;
        enum aqm_verdict expect;
    } rows[] = {{1, AQM_PASS, AQM_ECN_ECT0, AQM_PASS}, {1, AQM_MARK, AQM_ECN_ECT0, AQM_MARK},
                {1, AQM_MARK, AQM_ECN_ECT1, AQM_MARK}, {1, AQM_MARK, AQM_ECN_CE, AQM_MARK},
                {1, AQM_MARK, AQM_ECN_NOT, AQM_DROP},  {1, AQM_DROP, AQM_ECN_ECT0, AQM_DROP},
                {0, AQM_MARK, AQM_ECN_ECT0, AQM_DROP}, {0, AQM_PASS, AQM_ECN_NOT, AQM_PASS}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char message[64];
        struct aqm_setup *setup =
            aqm_setup_new(&(struct aqm_choice){&says, &rows[i].ecn, 1, 0}, message, sizeof(message));
        struct aqm_view view = {.tag = rows[i].said, .ecn = rows[i].code, .qclass = QCLASS_THP2};
        assert_int_equal(aqm_setup_ask(setup, AQM_AT_UPLINK, NULL, &view, 0), rows[i].expect);
        assert_int_equal(aqm_setup_ask(setup, AQM_AT_DEQUEUE, NULL, &view, 0), AQM_PASS);
        const struct aqm_counts *counts = &setup->counts[QCLASS_THP2][AQM_AT_UPLINK];
        assert_int_equal(counts->asked, 1);
        assert_int_equal(counts->marked, rows[i].expect == AQM_MARK);
        assert_int_equal(counts->dropped, rows[i].expect == AQM_DROP);
        assert_int_equal(counts->unmarkable,
                         rows[i].ecn && rows[i].said == AQM_MARK && rows[i].code == AQM_ECN_NOT);
        assert_int_equal(setup->counts[QCLASS_THP2][AQM_AT_ENQUEUE].asked, 0);
        aqm_setup_free(setup);
    }
}

/* Schemes that say when they are idle: a queue that does not ask an idle scheme about the bypass gets the
 * same verdicts, counters and random numbers as one that always asks. */

enum { STEPS = 200000, OCTETS = 1000, QUEUE = 64, PHASE = 100, SIDES = 2 };

/* The same queue for both sides; state of each. Side 0 spares an idle scheme. */
struct pair {
    struct aqm_setup *setups[SIDES];
    _Alignas(64) uint8_t states[SIDES][AQM_MAX_STATE];
    struct rng rng;
    int64_t now, arrivals_ns[QUEUE];
    unsigned queued, spared, asked;
    uint64_t rate_bps;
    bool is_idle;
};

static struct aqm_view view_of(const struct pair *p, unsigned backlog_pkts, int64_t age_ns)
{
    struct aqm_view view = kit_aged(age_ns);
    view.backlog_pkts = backlog_pkts;
    view.backlog_octets = backlog_pkts * OCTETS;
    view.octets = OCTETS;
    view.rate_bps = p->rate_bps;
    return view;
}

static enum aqm_verdict ask(struct pair *p, enum aqm_point point, unsigned backlog_pkts, int64_t age_ns)
{
    enum aqm_verdict verdicts[SIDES];
    for (unsigned i = 0; i < SIDES; i++) {
        struct aqm_view view = view_of(p, backlog_pkts, age_ns);
        verdicts[i] = aqm_setup_ask(p->setups[i], point, p->states[i], &view, p->now);
    }
    assert_int_equal(verdicts[0], verdicts[1]);
    p->is_idle = false;
    return verdicts[0];
}

/* An N-PDU that leaves on arrival. */
static void pass_by(struct pair *p)
{
    const struct aqm_ops *ops = p->setups[0]->ops;
    struct aqm_view view = view_of(p, 0, 0);
    if (!p->is_idle) {
        p->asked++;
        if (ask(p, AQM_AT_ENQUEUE, 0, 0) != AQM_DROP && ops->dequeue)
            ask(p, AQM_AT_DEQUEUE, 0, 0);
        p->is_idle = ops->is_idle(p->setups[0]->law, p->states[0]);
        return;
    }
    p->spared++;
    aqm_setup_let(p->setups[0], view.qclass);
    assert_int_equal(aqm_setup_ask(p->setups[1], AQM_AT_ENQUEUE, p->states[1], &view, p->now), AQM_PASS);
    view.random = 0;
    if (ops->dequeue)
        assert_int_equal(aqm_setup_ask(p->setups[1], AQM_AT_DEQUEUE, p->states[1], &view, p->now), AQM_PASS);
}

static void put(struct pair *p)
{
    if (p->queued < QUEUE && ask(p, AQM_AT_ENQUEUE, p->queued, 0) != AQM_DROP)
        p->arrivals_ns[p->queued++] = p->now;
}

static void take(struct pair *p)
{
    if (p->queued == 0)
        return;
    ask(p, AQM_AT_DEQUEUE, p->queued - 1, p->now - p->arrivals_ns[0]);
    memmove(p->arrivals_ns, p->arrivals_ns + 1, --p->queued * sizeof(p->arrivals_ns[0]));
}

/* By turns the queue grows, or runs empty and N-PDUs pass by; at times a long pause, or another rate. */
static void step(struct pair *p, unsigned k)
{
    bool is_busy = k / PHASE % 2 > 0;
    p->now += (int64_t)rng_below(&p->rng, 20 * MS);
    if (!is_busy && rng_below(&p->rng, PHASE) == 0)
        p->now += 4000000 * (int64_t)MS;
    if (rng_below(&p->rng, 50) == 0) {
        p->rate_bps = rng_below(&p->rng, 4) * 20000;
        p->is_idle = false;
    }
    if (is_busy || rng_below(&p->rng, 20) == 0)
        put(p);
    else if (p->queued == 0)
        pass_by(p);
    if (!is_busy || rng_below(&p->rng, 3) == 0)
        take(p);
}

static void assert_same_counts(const struct pair *p)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        for (unsigned point = 0; point < AQM_POINTS; point++) {
            struct aqm_counts counts[SIDES];
            for (unsigned i = 0; i < SIDES; i++)
                counts[i] = aqm_setup_counts(p->setups[i], k, (enum aqm_point)point);
            assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
        }
}

static void play(const struct aqm_ops *ops)
{
    struct pair p = {.rate_bps = 80000};
    char message[128];
    rng_init(&p.rng, 7, 0);
    for (unsigned i = 0; i < SIDES; i++) {
        p.setups[i] = aqm_setup_new(&(struct aqm_choice){ops, NULL, 1, 0}, message, sizeof(message));
        assert_non_null(p.setups[i]);
        aqm_setup_start(p.setups[i], p.states[i], 0);
    }
    for (unsigned k = 0; k < STEPS; k++)
        step(&p, k);
    print_message("%s: %u spared, %u asked\n", ops->name, p.spared, p.asked);
    assert_true(p.spared > STEPS / 100 && p.asked > STEPS / 1000);
    struct aqm_counts total = aqm_setup_total(p.setups[0]);
    assert_true(total.dropped + total.marked > 0);
    assert_same_counts(&p);
    aqm_setup_draw_owed(p.setups[0]);
    assert_memory_equal(&p.setups[0]->rng, &p.setups[1]->rng, sizeof(p.setups[0]->rng));
    for (unsigned i = 0; i < SIDES; i++)
        aqm_setup_free(p.setups[i]);
}

TEST_IN(sparing_idle_schemes_changes_nothing, struct aqm_registry, registry, aqm_registry_init(registry),
        aqm_registry_fini(registry))
{
    unsigned played = 0;
    for (unsigned i = 0; i < registry->count; i++) {
        if (!registry->schemes[i]->is_idle)
            continue;
        play(registry->schemes[i]);
        played++;
    }
    assert_int_equal(played, 3);
}

enum { ROUNDS = 100000, PACKET = 80 };

static uint16_t checksum(const uint8_t *header, size_t octets)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < octets; i += 2)
        sum += i == 10 ? 0 : bytes_get_u16(header + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void randomize(struct rng *r, uint8_t *packet)
{
    for (size_t i = 0; i < PACKET; i++)
        packet[i] = (uint8_t)rng_u64(r);
}

/* Every code point with random headers and options: the checksum is the one a full sum gives. */
TEST(marks_ipv4)
{
    struct rng r;
    uint8_t before[PACKET], after[PACKET];
    rng_init(&r, 1, 0);
    for (int i = 0; i < ROUNDS; i++) {
        size_t header_octets = 20 + 4 * rng_below(&r, 11);
        randomize(&r, before);
        before[0] = (uint8_t)(0x40 | header_octets / 4);
        bytes_put_u16(before + 10, checksum(before, header_octets));
        memcpy(after, before, PACKET);
        bool is_capable = before[1] & 3;
        assert_int_equal(ecn_get(before, PACKET) != AQM_ECN_NOT, is_capable);
        assert_int_equal(ecn_set_ce(after, PACKET), is_capable);
        if (is_capable) {
            before[1] |= 3;
            bytes_put_u16(before + 10, checksum(before, header_octets));
        }
        /* Zero has two spellings in ones' complement; a sum over the header tells them alike. */
        uint16_t sum = bytes_get_u16(after + 10);
        assert_true(sum == bytes_get_u16(before + 10) || (sum == 0xffff && bytes_get_u16(before + 10) == 0));
        memcpy(after + 10, before + 10, 2);
        assert_memory_equal(after, before, PACKET);
    }
}

/* No checksum, and the two bits lie across two octets' border. */
TEST(marks_ipv6)
{
    struct rng r;
    uint8_t before[PACKET], after[PACKET];
    rng_init(&r, 2, 0);
    for (int i = 0; i < ROUNDS; i++) {
        randomize(&r, before);
        before[0] = (uint8_t)(0x60 | (before[0] & 15));
        memcpy(after, before, PACKET);
        unsigned traffic_class = bytes_get_u16(before) >> 4 & 255;
        assert_int_equal(ecn_get(before, PACKET), traffic_class & 3);
        assert_int_equal(ecn_set_ce(after, PACKET), (traffic_class & 3) != 0);
        if (traffic_class & 3)
            bytes_put_u16(before, (uint16_t)(bytes_get_u16(before) | 0x30));
        assert_memory_equal(after, before, PACKET);
    }
}

TEST(is_done_once)
{
    uint8_t packet[20] = {0x45, 0x02, 0, 20, 0, 0, 0, 0, 64, 17}, again[20];
    bytes_put_u16(packet + 10, checksum(packet, 20));
    assert_true(ecn_set_ce(packet, 20));
    memcpy(again, packet, 20);
    assert_true(ecn_set_ce(again, 20));
    assert_memory_equal(again, packet, 20);
    assert_int_equal(ecn_get(packet, 20), AQM_ECN_CE);
}

/* A header that was wrong does not become right. */
TEST(keeps_a_wrong_checksum_wrong)
{
    uint8_t packet[20] = {0x45, 0x01, 0, 20, 0, 0, 0, 0, 64, 6};
    bytes_put_u16(packet + 10, checksum(packet, 20) ^ 0x0100);
    assert_true(ecn_set_ce(packet, 20));
    assert_int_not_equal(bytes_get_u16(packet + 10), checksum(packet, 20));
}

TEST(leaves_other_octets_alone)
{
    static const struct {
        uint8_t first;
        size_t octets;
    } rows[] = {{0x45, 19}, {0x45, 0}, {0x60, 39}, {0x55, 60}, {0x05, 60}, {0x6f, 20}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t packet[PACKET], before[PACKET];
        memset(packet, 0xff, PACKET);
        packet[0] = rows[i].first;
        memcpy(before, packet, PACKET);
        assert_int_equal(ecn_get(packet, rows[i].octets), AQM_ECN_NOT);
        assert_false(ecn_set_ce(packet, rows[i].octets));
        assert_memory_equal(packet, before, PACKET);
    }
}

UNIT_MAIN(NULL, NULL)
