/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets at their places, one by one, and what is kept of them. */
#include "sim/truth.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#define S MOMENT_SECOND

enum { MOBILE = 0x0a2d0001, SERVER = 0x0a2e0001, DATA = 1000, HEADERS = 40, STEPS = 24 };

/* At the places of its way: u sent by the mobile, U passes up; d sent by the server, x lost by the Internet,
 * D passes down, A arrives. */
struct step {
    int64_t at_ns;
    char place;
    uint8_t flags;
    uint32_t seq;
    uint16_t id, octets;
};

static const struct step setup[] = {
    {0, 'u', TCP_SYN, 10, 1},
    {S, 'U', TCP_SYN, 10, 1},
    {2 * S, 'd', TCP_SYN | TCP_ACK, 50, 1},
    {3 * S, 'D', TCP_SYN | TCP_ACK, 50, 1},
    {4 * S, 'A', TCP_SYN | TCP_ACK, 50, 1},
    {4 * S, 'u', TCP_ACK, 11, 2},
    {6 * S, 'U', TCP_ACK, 11, 2},
    {0},
};

static struct truth truth;

static void see(const struct step *step)
{
    static const char places[] = "dxDAuU";
    uint8_t bytes[IP_PACKET_MAX_OCTETS], payload[DATA] = {0};
    bool is_up = step->place == 'u' || step->place == 'U';
    struct ip_packet p = {
        .ip = ROW(.src = is_up ? MOBILE : SERVER, .dst = is_up ? SERVER : MOBILE, .proto = IPV4_PROTO_TCP,
                  .id = step->id),
        .tcp = ROW(.src_port = is_up ? 5000 : 80, .dst_port = is_up ? 80 : 5000, .seq = step->seq,
                   .flags = step->flags, .sack_permitted = (step->flags & TCP_SYN) != 0),
        .payload = payload,
        .payload_octets = step->octets,
    };
    int octets = ip_packet_encode(bytes, sizeof(bytes), &p);
    assert_true(octets > 0);
    enum truth_place place = TRUTH_SERVER_SENDS;
    while (places[place] != step->place)
        place++;
    struct truth_sighting seen = {place, 0, bytes, (size_t)octets};
    truth_see(&truth, &seen, step->at_ns);
}

static void play(const struct step *steps)
{
    for (; steps->place; steps++)
        see(steps);
}

static int begin(void **state)
{
    return truth_new(&truth, &(struct truth_config){.mobiles = 1, .every_ns = S, .least_ns = S / 2}) ? 0 : -1;
}

static int end(void **state)
{
    truth_free(&truth);
    return 0;
}

TEST_WITH(tells_the_setup, begin, end)
{
    play(setup);
    assert_int_equal(truth.conn_count, 1);
    const struct truth_conn *c = truth.conns;
    assert_int_equal(truth_branch_of(c), TRUTH_OPTIMAL);
    assert_int_equal(c->setup.syn_ack_ns - c->setup.syn_ns, 2 * S);
    assert_int_equal(c->setup.ack_ns - c->setup.syn_ack_ns, 3 * S);
    assert_int_equal(c->setup.quiet_ns, -1);
    assert_int_equal(c->sacks, 3);
    assert_int_equal(c->timestamps, 0);
    const struct truth_mobile *m = truth.mobiles;
    assert_true(m->access_down.packets == 1 && m->access_down.sum_ns == S);
    assert_true(m->access_up.packets == 2 && m->access_up.sum_ns == 3 * S);
}

TEST_WITH(tells_branches, begin, end)
{
    static const struct {
        struct step steps[6];
        enum truth_branch branch;
    } rows[] = {
        {{{S, 'U', TCP_SYN, 10, 1}}, TRUTH_NO_RESPONSE},
        {{{S, 'U', TCP_SYN, 10, 1}, {2 * S, 'D', TCP_RST | TCP_ACK, 0, 1}}, TRUTH_REFUSED},
        {{{S, 'U', TCP_SYN, 10, 1}, {2 * S, 'D', TCP_SYN | TCP_ACK, 50, 1}}, TRUTH_SILENT},
        {{{S, 'U', TCP_SYN, 10, 1}, {2 * S, 'D', TCP_SYN | TCP_ACK, 50, 1}, {3 * S, 'U', TCP_RST, 11, 2}},
         TRUTH_RESET},
        {LIST({S, 'U', TCP_SYN, 10, 1}, {2 * S, 'U', TCP_SYN, 10, 2}, {3 * S, 'D', TCP_SYN | TCP_ACK, 50, 1},
              {4 * S, 'A', TCP_SYN | TCP_ACK, 50, 1}, {5 * S, 'U', TCP_ACK, 11, 3}),
         TRUTH_SLIGHT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        play(rows[i].steps);
        assert_int_equal(truth.conn_count, 1);
        assert_int_equal(truth_branch_of(truth.conns), rows[i].branch);
        end(state);
        begin(state);
    }
}

/* Of six transmissions the Internet loses one and the access two; one of those is never followed by another.
 */
TEST_WITH(tells_losses_by_side, begin, end)
{
    static const struct step steps[] = {
        {10 * S, 'd', TCP_ACK, 51, 2, DATA},   {10 * S, 'd', TCP_ACK, 1051, 3, DATA},
        {10 * S, 'x', TCP_ACK, 1051, 3, DATA}, {10 * S, 'd', TCP_ACK, 2051, 4, DATA},
        {10 * S, 'd', TCP_ACK, 3051, 5, DATA}, {11 * S, 'D', TCP_ACK, 51, 2, DATA},
        {11 * S, 'D', TCP_ACK, 2051, 4, DATA}, {11 * S, 'D', TCP_ACK, 3051, 5, DATA},
        {12 * S, 'A', TCP_ACK, 51, 2, DATA},   {14 * S, 'A', TCP_ACK, 3051, 5, DATA},
        {15 * S, 'd', TCP_ACK, 1051, 6, DATA}, {16 * S, 'D', TCP_ACK, 1051, 6, DATA},
        {17 * S, 'A', TCP_ACK, 1051, 6, DATA}, {18 * S, 'd', TCP_ACK, 2051, 7, DATA},
        {19 * S, 'D', TCP_ACK, 2051, 7, DATA}, {0},
    };
    play(setup);
    play(steps);
    const struct truth_data *d = &truth.conns[0].data;
    assert_int_equal(d->sent, 6);
    assert_int_equal(d->retransmitted, 2);
    assert_int_equal(d->internet_lost, 1);
    assert_int_equal(d->passed, 5);
    assert_int_equal(d->passed_octets, 5 * (DATA + HEADERS));
    assert_int_equal(d->arrived, 3);
    assert_int_equal(truth_access_lost(d), 1);
    assert_int_equal(truth_unsettled(d), 1);
    assert_int_equal(d->last_ns - d->first_ns, 5 * S);
    assert_int_equal(d->user_to_octets - d->user_from_octets, 2 * (DATA + HEADERS));
}

/* From 12 s to 14 s one waited behind another; then the channel was idle. */
TEST_WITH(tells_the_channels_rate, begin, end)
{
    static const struct step steps[] = {
        {10 * S, 'D', TCP_ACK, 51, 2, DATA},
        {10 * S, 'D', TCP_ACK, 1051, 3, DATA},
        {12 * S, 'A', TCP_ACK, 51, 2, DATA},
        {14 * S, 'A', TCP_ACK, 1051, 3, DATA},
        {14 * S, 'D', TCP_ACK, 2051, 4, DATA},
        {15 * S, 'A', TCP_ACK, 2051, 4, DATA},
        {0},
    };
    play(setup);
    play(steps);
    const struct truth_mobile *m = truth.mobiles;
    assert_int_equal(m->busy_octets, DATA + HEADERS);
    assert_int_equal(m->busy_ns, 2 * S);
    assert_int_equal(m->row_count, 4);
    assert_true(m->rows[2].from_ns == 14 * S && m->rows[2].busy_ns == 2 * S);
    assert_true(m->rows[3].octets == DATA + HEADERS && m->rows[3].busy_octets == 0);
}

/* What is no packet, of no mobile, or without memory to begin with. */
TEST_WITH(ignores, begin, end)
{
    static const uint8_t garbage[20] = {0x45};
    struct truth_sighting seen = {TRUTH_PASSES_UP, 0, garbage, sizeof(garbage)};
    truth_see(&truth, &seen, S);
    seen.mobile = 1;
    truth_see(&truth, &seen, S);
    struct truth nothing = {0};
    truth_see(&nothing, &seen, S);
    play((struct step[]){{S, 'D', TCP_ACK, 51, 2, DATA}, {S, 'A', TCP_ACK, 51, 2, DATA}, {0}});
    assert_int_equal(truth.conn_count, 0);
    assert_int_equal(truth.mobiles[0].octets, DATA + HEADERS);
}

UNIT_MAIN(NULL, NULL)
