/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of uplink TCP segments, row by row; checksums against sums over the whole segment. */
#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"
#include "tests/unit/dataplane/pacing/steps.h"
#include "tests/unit/unit.h"

#include <string.h>

struct row {
    const char *name;
    uint64_t clamped, implausible;
    struct step steps[12];
};

static const struct row rows[] = {
    {"an ACK", 1, 0, {OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}}},
    {"scale", 1, 0, {OPEN(3, 0), {UP, ACK, 80, 100, 1000, 8000, 375}}},
    {"scale, rounded up", 1, 0, {OPEN(7, 0), {UP, ACK, 80, 100, 1000, 500, 24}}},
    {"no scale from the server", 1, 0, {OPEN(7, -1), {UP, ACK, 80, 100, 1000, 65000, 3000}}},
    {"no scale from the mobile", 1, 0, {OPEN(-1, 7), {UP, ACK, 80, 100, 1000, 65000, 3000}}},
    {"a smaller window stays", 0, 0, {OPEN(0, 0), {UP, ACK, 80, 100, 1000, 2999, 2999}}},
    {"window 0 stays", 0, 0, {OPEN(0, 0), {UP, ACK, 80, 100, 1000, 0, 0}}},
    {"a request", 1, 0, {OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000, 0, 50}}},
    {"FIN", 1, 0, {OPEN(0, 0), {UP, FIN_ACK, 80, 100, 1000, 65000, 3000}}},
    {"RST stays", 0, 0, {OPEN(0, 0), {UP, TCP_RST | ACK, 80, 100, 1000, 65000, 65000}}},
    {"no ACK stays", 0, 0, {OPEN(0, 0), {UP, TCP_PSH, 80, 100, 1000, 65000, 65000}}},
    {"no handshake", 0, 0, {{DOWN, ACK, 80, 1000, 100, 9, 9, 0, 50}, {UP, ACK, 80, 100, 1000, 65000, 65000}}},
    {"SYN-ACK of another SYN", 0, 0,
     LIST({UP, SYN, 80, 99, 0, 65000, 65000}, {DOWN, SYN_ACK, 80, 999, 101, 9, 9},
          {UP, ACK, 80, 100, 1000, 65000, 65000})},
    {"the edge follows ACKs", 2, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {DOWN, ACK, 80, 1000, 100, 9, 9, 0, 1000},
          {UP, ACK, 80, 100, 2000, 65000, 3000})},
    {"the edge gives back what the server has not used", 3, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {UP, SYN, 81, 99, 0, 65000, 65000},
          {DOWN, SYN_ACK, 81, 999, 100, 9, 9}, {UP, ACK, 81, 100, 1000, 65000, 2000},
          {UP, ACK, 80, 100, 1000, 65000, 2000})},
    {"it is never behind what the server sent", 3, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {DOWN, ACK, 80, 1000, 100, 9, 9, 0, 1500},
          {DOWN, ACK, 80, 2500, 100, 9, 9, 0, 1300}, {UP, SYN, 81, 99, 0, 65000, 65000},
          {DOWN, SYN_ACK, 81, 999, 100, 9, 9}, {UP, ACK, 81, 100, 1000, 65000, 2000},
          {UP, ACK, 80, 100, 1000, 65000, 2800})},
    ROW("octets that were not sent", 1, 1,
        {OPEN(0, 0), {UP, ACK, 80, 100, 900000, 65000, 65000}, {UP, ACK, 80, 100, 1000, 65000, 3000}}),
    {"an ACK of long ago", 0, 1, {OPEN(0, 0), {UP, ACK, 80, 100, 1000 - 0x50000000, 65000, 65000}}},
    ROW("data far ahead", 0, 1,
        {OPEN(0, 0),
         {DOWN, ACK, 80, 1000 + (1 << 24), 100, 9, 9, 0, 1000},
         {UP, ACK, 80, 100, 1000 + (1 << 24), 65000, 65000}}),
    {"numbers that wrap", 1, 0,
     LIST({UP, SYN, 80, 99, 0, 65000, 65000}, {DOWN, SYN_ACK, 80, 0xffffff00, 100, 9, 9},
          {DOWN, ACK, 80, 0xffffff01, 100, 9, 9, 0, 1000},
          {UP, ACK, 80, 100, 0xffffff01 + 1000, 65000, 3000})},
    {"data in the server's SYN", 1, 0,
     LIST({UP, SYN, 80, 99, 0, 65000, 65000}, {DOWN, SYN_ACK, 80, 999, 100, 9, 9, 0, 50},
          {UP, ACK, 80, 100, 1050, 65000, 3000})},
    {"two flows share A", 2, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {UP, SYN, 81, 99, 0, 65000, 65000},
          {DOWN, SYN_ACK, 81, 999, 100, 9, 9}, {UP, ACK, 81, 100, 1000, 65000, 2000})},
    {"two flows, one of them heard from its server alone", 1, 0,
     LIST(OPEN(0, 0), {UP, SYN, 81, 99, 0, 65000, 65000}, {DOWN, SYN_ACK, 81, 999, 100, 9, 9},
          {DOWN, ACK, 81, 1000, 100, 9, 9, 0, 1000}, {UP, ACK, 80, 100, 1000, 65000, 2000})},
    {"three flows, one of them closed, and its FIN comes again", 4, 0,
     LIST(OPEN(0, 0), {UP, SYN, 81, 99, 0, 65000, 65000}, {DOWN, SYN_ACK, 81, 999, 100, 9, 9},
          {UP, ACK, 81, 100, 1000, 65000, 3000}, {DOWN, FIN_ACK, 80, 1000, 100, 9, 9, 0},
          {UP, FIN_ACK, 80, 100, 1001, 65000, 2000}, {UP, FIN_ACK, 80, 100, 1001, 65000, 3000},
          {UP, SYN, 82, 99, 0, 65000, 65000}, {DOWN, SYN_ACK, 82, 999, 100, 9, 9},
          {UP, ACK, 82, 100, 1000, 65000, 2000})},
    {"two flows, one of them closed", 3, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {DOWN, FIN_ACK, 80, 1000, 100, 9, 9, 0},
          {UP, FIN_ACK, 80, 100, 1001, 65000, 3000}, {UP, SYN, 81, 99, 0, 65000, 65000},
          {DOWN, SYN_ACK, 81, 999, 100, 9, 9}, {UP, ACK, 81, 100, 1000, 65000, 3000})},
    {"two flows, a FIN that is none of the server's", 3, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {DOWN, FIN_ACK, 80, 90000, 100, 9, 9, 0},
          {UP, FIN_ACK, 80, 100, 1000, 65000, 3000}, {UP, SYN, 81, 99, 0, 65000, 65000},
          {DOWN, SYN_ACK, 81, 999, 100, 9, 9}, {UP, ACK, 81, 100, 1000, 65000, 2000})},
    {"a forged SYN ends no flow", 2, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {DOWN, SYN, 80, 5, 0, 9, 9},
          {UP, ACK, 80, 100, 1000, 65000, 3000})},
    {"a signed connection", 0, 0, {OPEN(-2, -2), {UP, ACK, 80, 100, 1000, 65000, 65000}}},
    {"the server signs", 0, 0, {OPEN(0, -2), {UP, ACK, 80, 100, 1000, 65000, 65000}}},
    {"a signed one follows", 1, 0,
     LIST(OPEN(0, 0), {UP, ACK, 80, 100, 1000, 65000, 3000}, {UP, SYN, 80, 99, 0, 65000, 65000, -2},
          {UP, ACK, 80, 100, 1000, 65000, 65000})},
    {"timestamps", 1, 0, {OPEN(-3, -3), {UP, ACK, 80, 100, 1000, 65000, 4 * (MSS - 12)}}},
    {"no timestamps from the server", 1, 0, {OPEN(-3, -1), {UP, ACK, 80, 100, 1000, 65000, 3000}}},
    {"no timestamps from the mobile", 1, 0, {OPEN(-1, -3), {UP, ACK, 80, 100, 1000, 65000, 3000}}},
    {"timestamps of a mobile that is the server", 1, 0,
     LIST({DOWN, SYN, 80, 999, 0, 9, 9, -3}, {UP, SYN_ACK, 80, 99, 1000, 500, 500, -3},
          {UP, ACK, 80, 100, 1000, 65000, 4 * (MSS - 12)})},
    {"the mobile's SYN twice", 1, 0,
     LIST(OPEN(0, 0), {UP, SYN, 80, 99, 0, 65000, 65000}, {UP, ACK, 80, 100, 1000, 65000, 3000})},
    {"another SYN, whose answer was not seen", 0, 0,
     LIST(OPEN(0, 0), {UP, SYN, 80, 5099, 0, 65000, 65000}, {UP, ACK, 80, 5100, 1000, 65000, 65000},
          {DOWN, SYN_ACK, 80, 999, 5100, 9, 9}, {UP, ACK, 80, 5100, 1000, 65000, 65000})},
    {"the mobile answers another SYN", 0, 0,
     LIST({DOWN, SYN, 80, 999, 0, 9, 9, 0}, {UP, SYN_ACK, 80, 99, 1001, 500, 500, 0},
          {UP, ACK, 80, 100, 1000, 65000, 65000})},
    {"the mobile that is the server has a scale alone", 1, 0,
     LIST({DOWN, SYN, 80, 999, 0, 9, 9, -1}, {UP, SYN_ACK, 80, 99, 1000, 500, 500, 7},
          {UP, ACK, 80, 100, 1000, 65000, 3000})},
    {"what was sent in the window of the mobile's SYN", 1, 0,
     LIST({DOWN, SYN, 80, 999, 0, 9, 9, 0}, {UP, SYN_ACK, 80, 99, 1000, 4500, 4500, 0},
          {DOWN, ACK, 80, 1000, 100, 9, 9, 0, 1500}, {DOWN, ACK, 80, 2500, 100, 9, 9, 0, 1500},
          {DOWN, ACK, 80, 4000, 100, 9, 9, 0, 1500}, {UP, ACK, 80, 100, 1000, 65000, 4500})},
    {"the mobile is the server", 1, 0,
     LIST({DOWN, SYN, 80, 999, 0, 9, 9, 0}, {UP, SYN_ACK, 80, 99, 1000, 500, 500, 0},
          {UP, ACK, 80, 100, 1000, 65000, 3000})},
};

TEST(test_rows)
{
    for (unsigned i = 0; i < 2 * COUNT(rows); i++) {
        const struct row *row = &rows[i / 2];
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        for (const struct step *step = row->steps; step->port; step++) {
            uint16_t window = steps_play(p, step, i % 2);
            if (window != step->expected)
                fail_msg("%s, step %d: %u", row->name, (int)(step - row->steps), window);
        }
        const struct pacing_stats *stats = pacing_stats_of(p);
        if (stats->clamped != row->clamped || stats->implausible != row->implausible)
            fail_msg("%s: clamped %lu, implausible %lu", row->name, (unsigned long)stats->clamped,
                     (unsigned long)stats->implausible);
        pacing_free(p);
    }
}

/* SYNs of another mobile, too, and of servers, do not end a flow that is in use. */
TEST(test_flood)
{
    static const uint8_t ways[] = {UP, DOWN};
    for (unsigned i = 0; i < COUNT(ways); i++) {
        struct pacing *p = open_with(4, 1 << QCLASS_THP2);
        open_flow(p, false);
        assert_int_equal(steps_play(p, &ACK_0, false), 3000);
        now += SECOND;
        at.ms = 2;
        for (uint16_t port = 1000; port < 1100; port++)
            steps_play(p, &(struct step){ways[i], SYN, port, 99, 0, 65000, 65000, 0}, false);
        at.ms = 1;
        assert_int_equal(steps_play(p, &ACK_0, false), 3000);
        pacing_free(p);
    }
}

/* The server's SYN is another connection once the first one was silent for a minute. */
TEST(test_ports_used_again)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    now += 61 * SECOND;
    steps_play(p, &(struct step){DOWN, SYN, 80, 7999, 0, 9, 9, 0}, false);
    steps_play(p, &(struct step){UP, SYN_ACK, 80, 499, 8000, 500, 500, 0}, false);
    assert_int_equal(steps_play(p, &(struct step){UP, ACK, 80, 500, 8000, 65000}, false), 3000);
    pacing_free(p);
}

TEST(test_other_class)
{
    struct pacing *p = open_with(64, 1 << QCLASS_BACKGROUND);
    for (const struct step *step = rows[0].steps; step->port; step++)
        assert_int_equal(steps_play(p, step, false), step->window);
    pacing_free(p);
}

/* What is no TCP in clear passes as it is: UDP (QUIC), ESP, fragments, extension headers. */
TEST(test_opaque)
{
    static const struct {
        const char *name;
        bool is_ipv6;
        struct change change;
        bool ends; /* the flow: the server has seen another window */
    } opaque[] = {{"UDP", false, {9, 17}},
                  {"ESP", false, {9, 50}},
                  {"first fragment", false, {6, 0x20}, true},
                  {"later fragment", false, {7, 9}},
                  {"hop-by-hop", true, {6, 0}},
                  {"IPv6 fragment", true, {6, 44}},
                  {"IPv6 UDP", true, {6, 17}}};
    for (unsigned i = 0; i < COUNT(opaque); i++) {
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        open_flow(p, opaque[i].is_ipv6);
        change = opaque[i].change;
        if (steps_play(p, &ACK_0, opaque[i].is_ipv6) != 65000)
            fail_msg("%s: another window", opaque[i].name);
        change = (struct change){0};
        assert_int_equal(steps_play(p, &ACK_0, opaque[i].is_ipv6), opaque[i].ends ? 65000 : 3000);
        pacing_free(p);
    }
}

/* The server has seen windows of a fragment's mobile: the flow ends with what the mobile sends next. */
TEST(test_opaque_to_the_mobile)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    change = (struct change){6, 0x20};
    steps_play(p, &(struct step){DOWN, ACK, 80, 1000, 100, 9, 9, 0, 1000}, false);
    change = (struct change){0};
    assert_int_equal(steps_play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

/* The SYN comes again after the handshake, which had another flow in this place. */
TEST(test_handshake_unseen)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    steps_play(p, &(struct step){DOWN, SYN, 80, 999, 0, 9, 9}, false);
    steps_play(p, &(struct step){DOWN, ACK, 80, 1000, 100, 9, 9, 0, 1000}, false);
    steps_play(p, &(struct step){UP, SYN_ACK, 80, 99, 1000, 500, 500, 0}, false);
    assert_int_equal(steps_play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

/* The server has seen a window before the handshake ended here. */
TEST(test_opaque_in_handshake)
{
    static const struct step steps[] = {OPEN(0, 0)};
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    steps_play(p, &steps[0], false);
    change = (struct change){6, 0x20};
    steps_play(p, &ACK_0, false);
    change = (struct change){0};
    steps_play(p, &steps[1], false);
    assert_int_equal(steps_play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

/* Mobiles with the same address and ports: each has its own flow. */
TEST(test_shared_address)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    at.ms = 2;
    assert_int_equal(steps_play(p, &ACK_0, false), 65000);
    steps_play(p, &(struct step){UP, SYN, 80, 5, 0, 65000}, false); /* ends no other flow */
    at.ms = 1;
    assert_int_equal(steps_play(p, &ACK_0, false), 3000);
    pacing_free(p);
}

/* A context that was elsewhere in between, or another one in its place: its server has seen other windows. */
TEST(test_another_context)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    at.generation = 1;
    assert_int_equal(steps_play(p, &ACK_0, false), 65000);
    at.generation = 0;
    assert_int_equal(steps_play(p, &ACK_0, false), 3000);
    pacing_ms_left(p, at.ms);
    assert_int_equal(steps_play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

static uint64_t buffered_octets;

static uint64_t buffer_octets(const void *unused_owner, uint16_t link, uint8_t qclass)
{
    assert_true(link == 0 && qclass == QCLASS_THP2);
    return buffered_octets;
}

/* B of 64 kB is 64 segments. alpha is 1 at first, and after each 10 ms more by 1/8 or less by 1/32. */
TEST(test_window_adaptation)
{
    static const struct {
        uint64_t first_octets, octets; /* queued at the first ACK, and at the last one */
        int64_t after_ns;
        uint16_t window;
    } all[] = {
        {0, 0, 0, 6000},
        {0, 48000, 0, 4000},
        {0, 63000, 0, 1000},
        {0, 90000, 0, 1000},
        {0, 16000, 0, 5000}, /* log2(48) is 5.58 */
        {0, 0, SECOND / 100 - 1, 6000},
        {0, 0, SECOND * 8 / 100, 12000},
        {0, 0, 60 * SECOND, 65000}, /* of 64 x 6 segments the mobile's */
        {56000, 56000, SECOND / 100, 2000},
        {20000, 20000, SECOND, 5000},  /* between the marks alpha stays */
        {0, 56000, SECOND / 10, 6000}, /* the average has not followed yet: alpha is 2.25 */
        {56000, 0, SECOND / 10, 4000}, /* the average is still above 60 %: alpha is 0.73 */
    };
    for (unsigned i = 0; i < COUNT(all); i++) {
        steps_begin();
        struct pacing_params params = {.classes = 1 << QCLASS_THP2,
                                       .flows = 4,
                                       .ewa_octets = 64000,
                                       .view = {.sent = steps_sent, .buffer_octets = buffer_octets}};
        struct pacing *p = pacing_new(&params, &(struct pacing_limits){4, 1, 1});
        open_flow(p, false);
        buffered_octets = all[i].first_octets;
        steps_play(p, &(struct step){UP, ACK, 80, 100, 1000, 500},
                   false); /* a window that does not move the edge */
        buffered_octets = all[i].octets;
        now += all[i].after_ns;
        uint16_t window = steps_play(p, &ACK_0, false);
        if (window != all[i].window)
            fail_msg("row %u: %u", i, window);
        pacing_free(p);
    }
}

static void open_ports(struct pacing *p, uint16_t first, uint16_t last)
{
    for (uint16_t port = first; port <= last; port++) {
        steps_play(p, &(struct step){UP, SYN, port, 99, 0, 65000}, false);
        steps_play(p, &(struct step){DOWN, SYN_ACK, port, 999, 100, 65000}, false);
    }
}

/* A flow that both ends have closed loses its place before those that were silent for longer, and so does, as
 * no flow in use, one that was silent for a minute. */
TEST(test_places_of_the_dead)
{
    struct pacing *p = open_with(4, 1 << QCLASS_THP2);
    open_ports(p, 80, 83);
    now += SECOND;
    steps_play(p, &(struct step){DOWN, FIN_ACK, 83, 1000, 100, 9}, false);
    steps_play(p, &(struct step){UP, FIN_ACK, 83, 100, 1001, 65000}, false);
    open_ports(p, 84, 84);
    assert_int_equal(pacing_stats_of(p)->evicted, 0);
    assert_int_equal(steps_play(p, &ACK_0, false), 3000);
    now += 61 * SECOND;
    open_ports(p, 85, 85);
    assert_int_equal(pacing_stats_of(p)->evicted, 0);
    pacing_free(p);
}

/* 5 flows in a set of 4: the first loses its place and its clamp. */
TEST(test_full)
{
    struct pacing *p = open_with(4, 1 << QCLASS_THP2);
    open_ports(p, 80, 84);
    assert_int_equal(pacing_stats_of(p)->evicted, 1);
    assert_int_equal(steps_play(p, &(struct step){UP, ACK, 80, 100, 1000, 65000}, false), 65000);
    assert_int_equal(steps_play(p, &(struct step){UP, ACK, 84, 100, 1000, 65000}, false), 3000);
    pacing_free(p);
}

/* Octets that are no handshake change nothing but the window, and keep each checksum. */
TEST(test_checksums)
{
    struct rng rng;
    rng_init(&rng, 24, 0);
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t packet[PACKET], before[PACKET];
        bool is_ipv6 = i % 2;
        uint8_t *bytes = put_ip(packet, is_ipv6, UP, PACKET);
        for (unsigned k = 0; k < PACKET - 40; k++)
            bytes[k] = k + (size_t)(bytes - packet) < PACKET ? (uint8_t)rng_u64(&rng) : 0;
        bytes[12] = 0x50;
        put_checksum(packet, is_ipv6);
        memcpy(before, packet, PACKET);
        struct tcp tcp;
        assert_true(tcp_decode(&tcp, packet, PACKET));
        uint16_t window = (uint16_t)rng_u64(&rng);
        tcp_put_window(packet, &tcp, window);
        assert_int_equal(sum_of(packet, is_ipv6), 0xffff);
        bytes_put_u16(before + tcp.offset + TCP_WINDOW_AT, window);
        memcpy(before + tcp.offset + TCP_CHECKSUM_AT, packet + tcp.offset + TCP_CHECKSUM_AT, 2);
        assert_memory_equal(before, packet, PACKET);
    }
}

/* No length of a packet, and no octets of options, read behind the end. */
TEST(test_truncated)
{
    struct rng rng;
    rng_init(&rng, 25, 0);
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t packet[PACKET];
        for (unsigned k = 0; k < PACKET; k++)
            packet[k] = (uint8_t)rng_u64(&rng);
        put_ip(packet, i % 2, i & 2 ? UP : DOWN, i % PACKET + 1);
        for (unsigned k = 40; k < PACKET; k++)
            packet[k] = (uint8_t)rng_u64(&rng);
        if (i & 2)
            pacing_uplink(p, &at, packet, i % PACKET + 1, SECOND);
        else
            pacing_downlink(p, &at, packet, i % PACKET + 1, SECOND);
    }
    pacing_free(p);
}

UNIT_MAIN(NULL, NULL)
