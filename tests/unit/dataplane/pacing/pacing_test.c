/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of uplink TCP segments, row by row; checksums against sums over the whole segment. */
#include "dataplane/base/bytes.h"
#include "dataplane/pacing/constants.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/tcp.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define TARGET (SECOND * 3 / 4)
#define MSS    1000
#define PACKET 128

enum { UP, DOWN };
enum { SYN = TCP_SYN, ACK = TCP_ACK, SYN_ACK = TCP_SYN | TCP_ACK, FIN_ACK = TCP_FIN | TCP_ACK };

/* R of 32 kbit/s and 750 ms: A = 3000 octets, so W = 3 MSS with one flow. */
static const struct pacing_at at_rest = {
    .ms = 1, .bvc = 0, .qclass = QCLASS_THP2, .ms_rate_bps = 32000, .bvc_rate_bps = 1000000};

/* Where and when the next steps play, and an octet of the packet that another replaces; at 0: none. */
static struct pacing_at at;
static int64_t now;
static struct change {
    uint8_t at, value;
} change;

struct step {
    uint8_t way, flags;
    uint16_t port;
    uint32_t seq, ack;
    uint16_t window, expected; /* after it passed */
    int8_t scale; /* of a SYN; -1: none, -2: none, and an option of RFC 5925; -3: none, and timestamps */
    uint16_t data_octets;
};

struct row {
    const char *name;
    uint64_t clamped, implausible;
    struct step steps[10];
};

#define OPEN(up, down)                                                                                       \
    {UP, SYN, 80, 99, 0, 65000, 65000, up},                                                                  \
    {                                                                                                        \
        DOWN, SYN_ACK, 80, 999, 100, 60000, 60000, down                                                      \
    }

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
    {"the mobile is the server", 1, 0,
     LIST({DOWN, SYN, 80, 999, 0, 9, 9, 0}, {UP, SYN_ACK, 80, 99, 1000, 500, 500, 0},
          {UP, ACK, 80, 100, 1000, 65000, 3000})},
};

/* The sum of a segment with its pseudo header, folded: 0xffff if its checksum is right. */
static uint32_t sum_of(const uint8_t *packet, bool is_ipv6)
{
    const uint8_t *from = packet + (is_ipv6 ? 8 : 12), *end = packet + PACKET;
    uint32_t sum = 6 + (is_ipv6 ? PACKET - 40 : PACKET - 20);
    for (; from < end; from += 2)
        sum += bytes_get_u16(from);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static void put_checksum(uint8_t *packet, bool is_ipv6)
{
    uint8_t *field = packet + (is_ipv6 ? 40 : 20) + TCP_CHECKSUM_AT;
    bytes_put_u16(field, 0);
    bytes_put_u16(field, (uint16_t)~sum_of(packet, is_ipv6));
}

static uint8_t *put_ip(uint8_t *packet, bool is_ipv6, unsigned way, unsigned octets)
{
    memset(packet, 0, PACKET);
    packet[0] = is_ipv6 ? 0x60 : 0x45;
    bytes_put_u16(packet + (is_ipv6 ? 4 : 2), (uint16_t)(octets - (is_ipv6 ? 40 : 0)));
    packet[is_ipv6 ? 6 : 9] = 6;
    packet[is_ipv6 ? (way == UP ? 23 : 39) : (way == UP ? 15 : 19)] = 7; /* the mobile's address */
    return packet + (is_ipv6 ? 40 : 20);
}

/* Plays a step; returns the window afterwards. Data is only counted in the length. */
static uint16_t play(struct pacing *p, const struct step *step, bool is_ipv6)
{
    static uint8_t packet[PACKET + 2000];
    unsigned octets = PACKET, header = is_ipv6 ? 40 : 20;
    uint8_t *tcp = put_ip(packet, is_ipv6, step->way, octets);
    bytes_put_u16(tcp, step->way == UP ? 4000 : step->port);
    bytes_put_u16(tcp + 2, step->way == UP ? step->port : 4000);
    bytes_put_u32(tcp + 4, step->seq);
    bytes_put_u32(tcp + 8, step->ack);
    unsigned tcp_octets = !(step->flags & SYN) ? 20 : step->scale == -3 ? 36 : 28;
    tcp[12] = (uint8_t)(tcp_octets << 2);
    tcp[13] = step->flags;
    bytes_put_u16(tcp + TCP_WINDOW_AT, step->window);
    if (step->flags & SYN) {
        static const uint8_t options[] = {2, 4, MSS >> 8, MSS & 255, 1, 3, 3};
        memcpy(tcp + 20, options, sizeof(options));
        tcp[27] = (uint8_t)step->scale;
        static const uint8_t others[][12] = {{0}, {29, 4}, {1, 1, 8, 10}};
        if (step->scale < 0)
            memcpy(tcp + 24, others[-step->scale - 1], tcp_octets - 24);
    }
    put_checksum(packet, is_ipv6);
    unsigned length = header + tcp_octets + step->data_octets;
    bytes_put_u16(packet + (is_ipv6 ? 4 : 2), (uint16_t)(length - (is_ipv6 ? 40 : 0)));
    if (step->way == DOWN) {
        pacing_downlink(p, &at, packet, length, now);
        return step->window;
    }
    if (change.at > 0)
        packet[change.at] = change.value;
    pacing_uplink(p, &at, packet, length, now);
    assert_true(change.at > 0 || sum_of(packet, is_ipv6) == 0xffff);
    return bytes_get_u16(tcp + TCP_WINDOW_AT);
}

static uint32_t waiting_mobiles;
static uint64_t sent_octets;

static uint32_t waiting(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return waiting_mobiles;
}

static uint64_t sent(const void *unused_owner, uint16_t unused_bvc)
{
    return sent_octets;
}

static struct pacing *open_with(uint32_t flows, uint8_t classes)
{
    struct pacing_params params = {.classes = classes,
                                   .flows = flows,
                                   .ms_target_ns = TARGET,
                                   .drops_repeated = true,
                                   .view = {.waiting = waiting, .sent = sent},
                                   .key = {1, 2}};
    waiting_mobiles = 1;
    sent_octets = 0;
    at = at_rest;
    now = SECOND;
    change = (struct change){0};
    return pacing_new(&params, &(struct pacing_limits){4, 2, 1});
}

static void open_flow(struct pacing *p, bool is_ipv6)
{
    const struct step steps[] = {OPEN(0, 0)};
    play(p, &steps[0], is_ipv6);
    play(p, &steps[1], is_ipv6);
}

static const struct step ACK_0 = {UP, ACK, 80, 100, 1000, 65000};

TEST(test_rows)
{
    for (unsigned i = 0; i < 2 * COUNT(rows); i++) {
        const struct row *row = &rows[i / 2];
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        for (const struct step *step = row->steps; step->port; step++) {
            uint16_t window = play(p, step, i % 2);
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

/* No mobile of the class waits for a turn: windows are eight times as large, until one does. */
TEST(test_a_cell_that_is_not_full)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    waiting_mobiles = 0;
    assert_int_equal(play(p, &ACK_0, false), 24000);
    waiting_mobiles = 1;
    assert_int_equal(play(p, &ACK_0, false), 3000);
    pacing_free(p);
}

/* Flows know 16 bits of the number of their window of time: 0 and 1 after 6.5 days. */
TEST(test_numbers_of_windows_wrap)
{
    static const struct step two[] = {
        {UP, ACK, 80, 100, 1000, 65000, 3000},
        {UP, SYN, 81, 99, 0, 65000, 65000, 0},
        {DOWN, SYN_ACK, 81, 999, 100, 9, 9, 0},
        {UP, ACK, 81, 100, 1000, 65000, 2000},
    };
    static const struct step third[] = {
        {UP, SYN, 82, 99, 0, 65000, 65000, 0},   {DOWN, SYN_ACK, 82, 999, 100, 9, 9, 0},
        {DOWN, FIN_ACK, 82, 1000, 100, 9, 9, 0}, {UP, FIN_ACK, 82, 100, 1001, 65000, 2000},
        {UP, ACK, 80, 100, 1000, 65000, 2000},
    };
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    now = INT64_C(65535) << PACING_WINDOW_LOG2_NS;
    open_flow(p, false);
    for (unsigned i = 0; i < COUNT(two); i++)
        assert_int_equal(play(p, &two[i], false), two[i].expected);
    now += INT64_C(1) << PACING_WINDOW_LOG2_NS;
    for (unsigned i = 0; i < COUNT(third); i++)
        assert_int_equal(play(p, &third[i], false), third[i].expected);
    pacing_free(p);
}

/* SYNs of another mobile, too, do not end a flow that is in use. */
TEST(test_flood_of_a_mobile)
{
    struct pacing *p = open_with(4, 1 << QCLASS_THP2);
    open_flow(p, false);
    assert_int_equal(play(p, &ACK_0, false), 3000);
    now += SECOND;
    at.ms = 2;
    for (uint16_t port = 1000; port < 1100; port++)
        play(p, &(struct step){UP, SYN, port, 99, 0, 65000, 65000, 0}, false);
    at.ms = 1;
    assert_int_equal(play(p, &ACK_0, false), 3000);
    pacing_free(p);
}

TEST(test_other_class)
{
    struct pacing *p = open_with(64, 1 << QCLASS_BACKGROUND);
    for (const struct step *step = rows[0].steps; step->port; step++)
        assert_int_equal(play(p, step, false), step->window);
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
        if (play(p, &ACK_0, opaque[i].is_ipv6) != 65000)
            fail_msg("%s: another window", opaque[i].name);
        change = (struct change){0};
        assert_int_equal(play(p, &ACK_0, opaque[i].is_ipv6), opaque[i].ends ? 65000 : 3000);
        pacing_free(p);
    }
}

/* The SYN comes again after the handshake, which had another flow in this place. */
TEST(test_handshake_unseen)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    play(p, &(struct step){DOWN, SYN, 80, 999, 0, 9, 9}, false);
    play(p, &(struct step){DOWN, ACK, 80, 1000, 100, 9, 9, 0, 1000}, false);
    play(p, &(struct step){UP, SYN_ACK, 80, 99, 1000, 500, 500, 0}, false);
    assert_int_equal(play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

/* The server has seen a window before the handshake ended here. */
TEST(test_opaque_in_handshake)
{
    static const struct step steps[] = {OPEN(0, 0)};
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    play(p, &steps[0], false);
    change = (struct change){6, 0x20};
    play(p, &ACK_0, false);
    change = (struct change){0};
    play(p, &steps[1], false);
    assert_int_equal(play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

/* Mobiles with the same address and ports: each has its own flow. */
TEST(test_shared_address)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    at.ms = 2;
    assert_int_equal(play(p, &ACK_0, false), 65000);
    play(p, &(struct step){UP, SYN, 80, 5, 0, 65000}, false); /* ends no other flow */
    at.ms = 1;
    assert_int_equal(play(p, &ACK_0, false), 3000);
    pacing_free(p);
}

/* A context that was elsewhere in between, or another one in its place: its server has seen other windows. */
TEST(test_another_context)
{
    struct pacing *p = open_with(64, 1 << QCLASS_THP2);
    open_flow(p, false);
    at.generation = 1;
    assert_int_equal(play(p, &ACK_0, false), 65000);
    at.generation = 0;
    assert_int_equal(play(p, &ACK_0, false), 3000);
    pacing_ms_left(p, at.ms);
    assert_int_equal(play(p, &ACK_0, false), 65000);
    pacing_free(p);
}

/* A mobile's segment after those before it. */
static void segment_down(struct pacing *p, uint32_t ms, uint32_t before)
{
    at.ms = ms;
    sent_octets += 1000;
    play(p, &(struct step){DOWN, ACK, 80, 1000 + 1000 * before, 100, 9, 9, 0, 1000}, false);
}

/* Mobiles of a loaded cell share what arrived for them in the last window, also those that never acknowledge,
 * of this window, or that wait for a turn. While none waits, windows are wide if the cell was not full. */
TEST(test_share)
{
    static const struct {
        uint64_t bvc_rate_bps;
        uint32_t mobiles, now, waiting;
        uint16_t window;
    } shares[] = {{1000000, 2, 0, 1, 3000},  {16000, 1, 0, 1, 3000}, {16000, 2, 0, 1, 2000},
                  {16000, 1, 1, 1, 3000},    {16000, 1, 2, 1, 2000}, {16000, 1, 0, 2, 2000},
                  {1000000, 2, 0, 0, 24000}, {16000, 1, 0, 0, 3000}};
    for (unsigned i = 0; i < COUNT(shares); i++) {
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        at.bvc_rate_bps = shares[i].bvc_rate_bps;
        open_flow(p, false);
        for (uint32_t k = 0; k < 32; k++)
            segment_down(p, 1 + k % shares[i].mobiles, k / shares[i].mobiles);
        at.ms = 3; /* a SYN is none of the class's data */
        play(p, &(struct step){DOWN, SYN, 81, 1, 0, 9, 9, 0}, false);
        now = 10 * SECOND; /* the next window */
        waiting_mobiles = shares[i].waiting;
        for (uint32_t k = 0; k < shares[i].now; k++)
            segment_down(p, 1 + k, 0);
        at.ms = 1;
        uint32_t acked = 1000 + 32000 / shares[i].mobiles;
        uint16_t window = play(p, &(struct step){UP, ACK, 80, 100, acked, 65000}, false);
        if (window != shares[i].window)
            fail_msg("row %u: %u", i, window);
        pacing_free(p);
    }
}

/* A cell of 16 kbit/s is full by what it sends: servers may be silent for most of a window of time. R of
 * which a quarter or less is left may be no R of the air. Behind a pause of a window a mobile has its R. */
TEST(test_full_cells_and_pauses)
{
    static const struct {
        uint32_t sent_octets, mobiles, segments, windows;
        uint16_t window;
    } all[] = {{0, 1, 4, 1, 13000},    {8500, 1, 4, 1, 7000}, {10500, 1, 4, 1, 2000},
               {16000, 1, 4, 1, 2000}, {0, 3, 33, 1, 2000},   {0, 3, 33, 2, 24000}};
    for (unsigned i = 0; i < COUNT(all); i++) {
        struct pacing *p = open_with(64, 1 << QCLASS_THP2);
        at.bvc_rate_bps = 16000;
        open_flow(p, false);
        now = 10 * SECOND;
        for (uint32_t k = 0; k < all[i].segments; k++)
            segment_down(p, 1 + k % all[i].mobiles, k / all[i].mobiles);
        sent_octets += all[i].sent_octets;
        now += (int64_t)all[i].windows << PACING_WINDOW_LOG2_NS;
        waiting_mobiles = 0;
        at.ms = 1;
        uint32_t acked = 1000 + 1000 * all[i].segments / all[i].mobiles;
        if (play(p, &(struct step){UP, ACK, 80, 100, acked, 65000}, false) != all[i].window)
            fail_msg("row %u", i);
        pacing_free(p);
    }
}

/* The path is timed from the mobile's first SYN to the answer, or from its answer to the next segment. */
TEST(test_parameters)
{
    static const struct {
        int64_t ms_target_ns, core_ns;
        bool is_repeated, is_server;
        uint16_t window;
    } all[] = {{TARGET, 0, false, false, 3000},
               {2 * TARGET, 0, false, false, 6000},
               {SECOND / 1000, 0, false, false, 2000},
               {TARGET, SECOND, false, false, 10000},
               {TARGET, SECOND, true, false, 10000},
               {TARGET, SECOND, false, true, 10000},
               {TARGET, SECOND, true, true, 10000},
               {TARGET, 20 * SECOND, false, false, 31000}}; /* a path is 4 s at most */
    static const struct step mobile[] = {OPEN(0, 0)};
    static const struct step server[] = {{UP, SYN_ACK, 80, 99, 1000, 500, 500, 0},
                                         {DOWN, ACK, 80, 1000, 100, 9, 9, 0}};
    for (unsigned i = 0; i < COUNT(all); i++) {
        pacing_free(open_with(4, 1 << QCLASS_THP2));
        struct pacing_params params = {.classes = 1 << QCLASS_THP2,
                                       .flows = 4,
                                       .ms_target_ns = all[i].ms_target_ns,
                                       .view = {.waiting = waiting, .sent = sent}};
        struct pacing *p = pacing_new(&params, &(struct pacing_limits){4, 2, 1});
        const struct step *steps = all[i].is_server ? server : mobile;
        if (all[i].is_server)
            play(p, &(struct step){DOWN, SYN, 80, 999, 0, 9, 9}, false);
        play(p, &steps[0], false);
        now += all[i].core_ns / 2;
        if (all[i].is_repeated)
            play(p, &steps[0], false);
        now += all[i].core_ns - all[i].core_ns / 2;
        play(p, &steps[1], false);
        if (play(p, &ACK_0, false) != all[i].window)
            fail_msg("row %u", i);
        pacing_free(p);
    }
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
        pacing_free(open_with(4, 1 << QCLASS_THP2));
        struct pacing_params params = {.classes = 1 << QCLASS_THP2,
                                       .flows = 4,
                                       .ewa_octets = 64000,
                                       .view = {.sent = sent, .buffer_octets = buffer_octets}};
        struct pacing *p = pacing_new(&params, &(struct pacing_limits){4, 1, 1});
        open_flow(p, false);
        buffered_octets = all[i].first_octets;
        play(p, &(struct step){UP, ACK, 80, 100, 1000, 500},
             false); /* a window that does not move the edge */
        buffered_octets = all[i].octets;
        now += all[i].after_ns;
        uint16_t window = play(p, &ACK_0, false);
        if (window != all[i].window)
            fail_msg("row %u: %u", i, window);
        pacing_free(p);
    }
}

/* 5 flows in a set of 4: the first loses its place and its clamp. */
TEST(test_full)
{
    struct pacing *p = open_with(4, 1 << QCLASS_THP2);
    for (uint16_t port = 80; port < 85; port++) {
        play(p, &(struct step){UP, SYN, port, 99, 0, 65000}, false);
        play(p, &(struct step){DOWN, SYN_ACK, port, 999, 100, 65000}, false);
    }
    assert_int_equal(pacing_stats_of(p)->evicted, 1);
    assert_int_equal(play(p, &(struct step){UP, ACK, 80, 100, 1000, 65000}, false), 65000);
    assert_int_equal(play(p, &(struct step){UP, ACK, 84, 100, 1000, 65000}, false), 3000);
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
