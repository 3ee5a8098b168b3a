/* SPDX-License-Identifier: BSD-3-Clause */
/* Lifetimes through the worker to the frames on Gb: who leaves at which age, and what the BSS is told. */
#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

#define S         MOMENT_SECOND
#define INFINITE  UINT16_C(0xffff)
#define NS_PER_CS INT64_C(10000000)

/* In a frame without IMSI; LLC's header is 3 octets, SNDCP's 4 in a first segment and 3 in others. */
enum {
    PDU_LIFETIME = 56,
    LLC_LENGTH = 59, /* its own length field of one octet or two */
    SNDCP_FIRST = 0x40,
    LLC_HEADER = 3,
    SNDCP_HEADER = 4,
};

struct mode_row {
    const char *name;
    struct lifetime lifetime;
    int64_t max_age_ns; /* of a frame that leaves */
    bool is_split;
    uint16_t always_cs; /* what every frame says, if not split */
};

static const struct mode_row modes[] = {
    {"split", {LIFETIME_SPLIT, 3 * S, S / 2, MOMENT_NEVER}, 5 * S / 2, true, 0},
    {"split, clipped", {LIFETIME_SPLIT, 3 * S, S / 2, S}, 5 * S / 2, true, 0},
    {"split, no minimum", {LIFETIME_SPLIT, 2 * S, 0, MOMENT_NEVER}, 2 * S, true, 0},
    {"split, odd", {LIFETIME_SPLIT, 2123456789, 765432101, 1234567890}, 2123456789 - 765432101, true, 0},
    {"split, BSS alone", {LIFETIME_SPLIT, MOMENT_NEVER, S / 2, 4 * S}, MOMENT_NEVER, false, 400},
    {"SGSN only", {LIFETIME_SGSN_ONLY, 2 * S, S / 2, S}, 2 * S, false, INFINITE},
    {"per node", {LIFETIME_PER_NODE, 2 * S, S / 2, 5 * S / 2}, 2 * S, false, 250},
    {"none", {LIFETIME_SPLIT, MOMENT_NEVER, 0, MOMENT_NEVER}, MOMENT_NEVER, false, INFINITE},
};

enum { PACKETS = 3000, LEAST_OCTETS = 60, MOST_OCTETS = 500, RATE_BPS = 8000 };

/* What has happened to the packets, which are numbered from 0 and come in that order. */
struct play {
    const struct mode_row *row;
    struct kit kit;
    struct rng rng;
    int64_t came_ns[PACKETS];
    int64_t oldest_ns; /* age of the oldest frame so far */
    unsigned pushed, started, frames;
    int last; /* the N-PDU that the last frame was of */
};

static void push(struct play *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID,
                          .inner_octets = (uint16_t)rng_between(&p->rng, LEAST_OCTETS, MOST_OCTETS)};
    size_t octets = gn_frame_build(frame, &in);
    bytes_put_u16(frame + octets - in.inner_octets + 4, (uint16_t)p->pushed);
    p->came_ns[p->pushed++] = p->kit.now;
    kit_from_gn(&p->kit, frame, octets);
}

/* Which N-PDU a frame is of: its number is in the first segment, which has SNDCP's F bit. */
static int number_of(const struct play *p, const uint8_t *frame)
{
    const uint8_t *llc = frame + LLC_LENGTH + (frame[LLC_LENGTH] & 0x80 ? 1 : 2);
    const uint8_t *sndcp = llc + LLC_HEADER;
    return sndcp[0] & SNDCP_FIRST ? bytes_get_u16(sndcp + SNDCP_HEADER + 4) : p->last;
}

static uint16_t split_cs(const struct lifetime *l, int64_t age_ns)
{
    int64_t left_ns = l->sgsn_max_ns - age_ns;
    return (uint16_t)((left_ns < l->bss_max_ns ? left_ns : l->bss_max_ns) / NS_PER_CS);
}

static void check_frame(struct play *p, const uint8_t *frame)
{
    const struct mode_row *row = p->row;
    const struct lifetime *l = &row->lifetime;
    int number = number_of(p, frame);
    assert_in_range(number, p->last < 0 ? 0 : p->last, p->pushed - 1);
    int64_t age_ns = p->kit.now - p->came_ns[number];
    uint16_t told_cs = bytes_get_u16(frame + PDU_LIFETIME);
    assert_true(row->max_age_ns == MOMENT_NEVER || age_ns <= row->max_age_ns);
    assert_int_equal(told_cs, row->is_split ? split_cs(l, age_ns) : row->always_cs);
    if (row->is_split) {
        assert_true(told_cs >= l->bss_min_ns / NS_PER_CS);
        assert_true(l->bss_max_ns == MOMENT_NEVER || told_cs * NS_PER_CS <= l->bss_max_ns);
    }
    p->started += number != p->last;
    p->oldest_ns = moment_max(p->oldest_ns, age_ns);
    p->last = number;
    p->frames++;
}

static void check_frames(struct play *p)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    while (kit_take_gb(&p->kit, frame) > 0)
        check_frame(p, frame);
}

/* At each deadline of the worker up to `until`. */
static void run(struct play *p, int64_t until_ns)
{
    for (int64_t next_ns = kit_settle(&p->kit); next_ns <= until_ns;) {
        next_ns = kit_settle_at(&p->kit, next_ns);
        check_frames(p);
    }
    kit_settle_at(&p->kit, until_ns);
    check_frames(p);
}

/* Three in two N-PDUs more than the rate takes come at random; then what waits leaves or dies. */
static void play_mode(struct play *p, const struct mode_row *row, uint16_t n201_u)
{
    struct context_policy policy;
    context_policy_default(&policy);
    policy.lifetime = row->lifetime;
    *p = (struct play){.row = row, .last = -1};
    rng_init(&p->rng, n201_u, 0);
    kit_open(&p->kit,
             &(struct kit_options){.n201_u = n201_u, .policy = &policy, .queue_limit_octets = 10000000});
    kit_flow(&p->kit, 1000, RATE_BPS);
    while (p->pushed < PACKETS) {
        int64_t mean_ns = 8 * S / RATE_BPS * (LEAST_OCTETS + MOST_OCTETS) / 2 * 2 / 3;
        run(p, p->kit.now + rng_exponential_ns(&p->rng, mean_ns));
        push(p);
        check_frames(p);
    }
    run(p, p->kit.now + 1000 * S);
}

TEST(every_mode)
{
    static const uint16_t n201_us[] = {1520, 140};
    static struct play p;
    for (size_t i = 0; i < 2 * COUNT(modes); i++) {
        const struct mode_row *row = &modes[i / 2];
        play_mode(&p, row, n201_us[i % 2]);
        const uint64_t *drops = p.kit.worker->stats.gn_drops;
        assert_int_equal(p.started + drops[DROP_LIFETIME], PACKETS);
        if (row->max_age_ns == MOMENT_NEVER) {
            assert_int_equal(p.started, PACKETS);
            assert_int_equal(drops[DROP_PARTIAL], 0);
        } else {
            assert_in_range(drops[DROP_LIFETIME] + drops[DROP_PARTIAL], PACKETS / 5, PACKETS / 2);
            assert_true(p.oldest_ns > row->max_age_ns - S / 10);
            assert_int_equal(drops[DROP_PARTIAL] > 0, n201_us[i % 2] == 140);
        }
        kit_close(&p.kit);
    }
}

UNIT_MAIN(kit_start, NULL)
