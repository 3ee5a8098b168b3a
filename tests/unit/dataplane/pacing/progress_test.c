/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments that a server sends again: which the mobile has or will have. */
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/wire/tcp.h"

#include <stdbool.h>
#include <string.h>

#define MSS 1000

enum { SACK = 1 << 8, FULL = 1 << 9, EMPTY = 1 << 10 }; /* beside flags: with data, without */

static struct pacing_at at;
static int64_t now;
static uint32_t server = 1000; /* number of the server's first octet */

enum event { END, DATA, GAP, AGAIN, ACKED, TWICE, SACKED, LOST, JUDGED, CELL, LATER, FINISHED, TALKS };

/* Segments of 1000 octets: DATA is the next one, GAP one that does not come here, AGAIN the first that is not
 * acknowledged, ACKED acknowledges one more, TALKS is data of the mobile, JUDGED is a drop by AQM of what is
 * not paced, LATER are 1.1 s. `dropped` of the AGAINs and FINISHEDs are no more than repetitions. */
static const struct {
    const char *name;
    enum event events[14];
    unsigned dropped;
} repetitions[] = {
    {"on its way", {ACKED, DATA, AGAIN}, 1},
    {"twice on its way", {ACKED, DATA, AGAIN, AGAIN}, 2},
    {"the second of two", {ACKED, DATA, DATA, ACKED, AGAIN}, 1},
    {"nothing acknowledged yet", {DATA, AGAIN}, 0},
    {"acknowledged", {ACKED, DATA, ACKED, AGAIN}, 1},
    {"acknowledged, after a loss", {ACKED, DATA, LOST, ACKED, AGAIN}, 1},
    {"acknowledged for a second", {ACKED, DATA, ACKED, LATER, AGAIN}, 0},
    {"a duplicate ACK", {ACKED, DATA, DATA, TWICE, AGAIN}, 0},
    {"a duplicate ACK, then progress", {ACKED, DATA, DATA, TWICE, ACKED, ACKED, DATA, AGAIN}, 1},
    {"a duplicate ACK, then a part", {ACKED, DATA, DATA, TWICE, ACKED, AGAIN}, 0},
    {"data with the last ACK", {ACKED, DATA, DATA, TALKS, AGAIN}, 1},
    {"a SACK block", {ACKED, DATA, DATA, SACKED, AGAIN}, 0},
    {"dropped here or in the BSS", {ACKED, DATA, LOST, AGAIN}, 0},
    {"something else was dropped by AQM", {ACKED, DATA, JUDGED, AGAIN}, 1},
    {"later ones are not", {ACKED, DATA, LOST, ACKED, DATA, AGAIN}, 1},
    {"another cell", {ACKED, DATA, CELL, AGAIN}, 0},
    {"no progress for a second", {ACKED, DATA, LATER, AGAIN}, 0},
    {"an ACK is progress", {ACKED, DATA, DATA, LATER, AGAIN, ACKED, AGAIN}, 1},
    {"progress since", {ACKED, DATA, LATER, DATA, AGAIN}, 1},
    {"for four means", {ACKED, DATA, LATER, ACKED, DATA, LATER, LATER, LATER, AGAIN}, 1},
    {"for four means and more", {ACKED, DATA, LATER, ACKED, DATA, LATER, LATER, LATER, LATER, AGAIN}, 0},
    {"what was sent twice is not timed", {ACKED, DATA, LATER, AGAIN, ACKED, DATA, LATER, AGAIN}, 0},
    {"each is timed once",
     {ACKED, DATA, LATER, ACKED, LATER, DATA, ACKED, DATA, LATER, LATER, LATER, LATER, AGAIN},
     0},
    {"beyond the window", {ACKED, DATA, DATA, DATA, DATA, DATA, DATA, DATA, DATA, DATA, DATA, AGAIN}, 0},
    {"a FIN that was not seen", {ACKED, DATA, FINISHED}, 0},
    {"with FIN", {ACKED, DATA, FINISHED, FINISHED}, 1},
    {"with FIN, after a loss", {ACKED, DATA, FINISHED, LOST, FINISHED}, 0},
    {"a segment that was not seen", {ACKED, GAP, DATA, AGAIN}, 0},
    {"the gap is behind it", {ACKED, GAP, DATA, ACKED, AGAIN}, 1},
};

static uint32_t waiting(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return 0;
}

static uint64_t buffer_octets(const void *unused_owner, uint16_t unused_link, uint8_t unused_qclass)
{
    return 0;
}

/* A segment between the mobile's port 4000 and port 80; octets of its packet. */
static size_t build(uint8_t *out, bool is_up, unsigned flags, uint32_t seq, uint32_t ack)
{
    size_t octets =
        40 + (flags & SACK ? 12 : 0) + ((is_up && !(flags & FULL)) || flags & (TCP_SYN | EMPTY) ? 0 : MSS);
    memset(out, 0, octets);
    out[0] = 0x45;
    bytes_put_u16(out + 2, (uint16_t)octets);
    out[9] = 6;
    out[is_up ? 15 : 19] = 7;
    bytes_put_u16(out + (is_up ? 20 : 22), 4000);
    bytes_put_u16(out + (is_up ? 22 : 20), 80);
    bytes_put_u32(out + 24, seq);
    bytes_put_u32(out + 28, ack);
    out[32] = flags & SACK ? 0x80 : 0x50;
    out[33] = (uint8_t)flags;
    bytes_put_u16(out + 34, 9000);
    if (flags & SACK)
        memcpy(out + 40, (uint8_t[]){1, 1, 5, 10}, 4);
    return octets;
}

static enum pacing_downlink_fate down(struct pacing *p, unsigned flags, uint32_t seq)
{
    static uint8_t packet[40 + MSS];
    size_t octets = build(packet, false, flags, seq, 100);
    return pacing_downlink(p, &at, packet, octets, now);
}

static bool is_dropped(struct pacing *p, unsigned flags, uint32_t seq)
{
    return down(p, flags, seq) == PACING_DOWNLINK_REPEATED;
}

static void up(struct pacing *p, unsigned flags, uint32_t seq, uint32_t ack)
{
    static uint8_t packet[40 + MSS];
    size_t octets = build(packet, true, flags, seq, ack);
    pacing_uplink(p, &at, packet, octets, now);
}

static uint64_t sent(const void *unused_owner, uint16_t unused_bvc)
{
    return 0;
}

static struct pacing *opened(struct pacing_params params)
{
    params.classes = 1 << QCLASS_THP2;
    params.flows = 64;
    params.ms_target_ns = MOMENT_SECOND;
    params.view = (struct pacing_view){.waiting = waiting, .sent = sent, .buffer_octets = buffer_octets};
    struct pacing *p = pacing_new(&params, &(struct pacing_limits){4, 2, 1});
    at = (struct pacing_at){.ms = 1, .qclass = QCLASS_THP2, .ms_rate_bps = 32000, .bvc_rate_bps = 1000000};
    now = MOMENT_SECOND;
    up(p, TCP_SYN, 99, 0);
    assert_false(is_dropped(p, TCP_SYN | TCP_ACK, server - 1));
    return p;
}

/* What one mobile has had from its server. */
struct flow {
    struct pacing *p;
    uint32_t high, acked;
    unsigned dropped;
};

static void happen(struct flow *flow, enum event event)
{
    struct pacing *p = flow->p;
    uint32_t again = flow->acked == flow->high ? flow->high - MSS : flow->acked;
    if (event == ACKED)
        flow->acked = flow->acked == 0 ? server : flow->acked + MSS;
    if (event == DATA)
        assert_false(is_dropped(p, TCP_ACK, flow->high));
    else if (event == AGAIN || event == FINISHED)
        flow->dropped += is_dropped(p, event == AGAIN ? TCP_ACK : TCP_FIN | TCP_ACK, again);
    else if (event == ACKED || event == TWICE || event == SACKED || event == TALKS)
        up(p, event == SACKED ? TCP_ACK | SACK : event == TALKS ? TCP_ACK | FULL : TCP_ACK, 100, flow->acked);
    else if (event == LOST || event == JUDGED)
        pacing_ms_lost(p, at.ms, event == JUDGED);
    at.bvc = event == CELL ? 1 : at.bvc;
    now += event == LATER ? MOMENT_SECOND * 11 / 10 : 0;
    flow->high += event == DATA || event == GAP ? MSS : 0;
}

static void play_repetitions(void)
{
    for (unsigned i = 0; i < COUNT(repetitions); i++) {
        struct flow flow = {.p = opened((struct pacing_params){.drops_repeated = true}), .high = server};
        for (const enum event *event = repetitions[i].events; *event != END; event++)
            happen(&flow, *event);
        if (flow.dropped != repetitions[i].dropped || pacing_stats_of(flow.p)->repeated != flow.dropped)
            fail_msg("%s, from %u on: %u dropped", repetitions[i].name, server, flow.dropped);
        pacing_free(flow.p);
    }
}

/* Numbers of both halves, and some that wrap. */
TEST(test_repetitions)
{
    static const uint32_t firsts[] = {0xc0000000, 0xfffffb00, 1000};
    for (unsigned i = 0; i < COUNT(firsts); i++) {
        server = firsts[i];
        play_repetitions();
    }
}

/* An ACK without data has the number of the last octet and more, and is needed; so are RST and urgent data.
 */
TEST(test_never_a_repetition)
{
    static const unsigned flags[] = {TCP_ACK | EMPTY, TCP_ACK | TCP_RST, TCP_ACK | TCP_URG};
    for (unsigned i = 0; i < COUNT(flags); i++) {
        struct flow flow = {.p = opened((struct pacing_params){.drops_repeated = true}), .high = server};
        happen(&flow, ACKED);
        happen(&flow, DATA);
        happen(&flow, ACKED);
        if (is_dropped(flow.p, flags[i], flags[i] & EMPTY ? flow.high : server))
            fail_msg("flags %x: dropped", flags[i]);
        assert_true(is_dropped(flow.p, TCP_ACK, server));
        pacing_free(flow.p);
    }
}

TEST(test_without_the_filter)
{
    struct flow flow = {.p = opened((struct pacing_params){0}), .high = server};
    happen(&flow, ACKED);
    happen(&flow, DATA);
    happen(&flow, AGAIN);
    assert_int_equal(flow.dropped + pacing_stats_of(flow.p)->repeated, 0);
    pacing_free(flow.p);
}

/* Without windows of shares AQM judges new data, so what it drops may be of any flow. */
TEST(test_who_is_paced)
{
    static const struct {
        struct pacing_params params;
        bool is_paced;
    } rows[] = {{{.drops_repeated = true}, true}, {{.drops_repeated = true, .ewa_octets = 64000}, false}};
    for (unsigned i = 0; i < COUNT(rows); i++) {
        struct pacing *p = opened(rows[i].params);
        bool is_paced = rows[i].is_paced;
        up(p, TCP_ACK, 100, server);
        if ((down(p, TCP_ACK, server) == PACING_DOWNLINK_PACED) != is_paced)
            fail_msg("row %u", i);
        pacing_ms_lost(p, at.ms, true);
        assert_int_equal(is_dropped(p, TCP_ACK, server), is_paced);
        pacing_ms_lost(p, at.ms, false);
        assert_int_equal(down(p, TCP_ACK, server), PACING_DOWNLINK_OTHER); /* again */
        assert_int_equal(down(p, TCP_ACK, server + MSS) == PACING_DOWNLINK_PACED, is_paced);
        assert_int_equal(down(p, TCP_ACK, server + 8 * MSS) == PACING_DOWNLINK_PACED,
                         is_paced);                                                  /* to its end */
        assert_int_equal(down(p, TCP_ACK, server + 9 * MSS), PACING_DOWNLINK_OTHER); /* beyond it */
        pacing_free(p);
    }
}

UNIT_MAIN(NULL, NULL)
