/* SPDX-License-Identifier: BSD-3-Clause */
/* Lifetimes through the worker to the frames on Gb: who leaves at which age, and what the BSS is told. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"
#include "dataplane/worker/standby.h"

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

/* Mobiles that are not heard: from when on what comes for them waits, what control is told, and what lets it
 * go. */

#define READY_NS  (10 * MOMENT_SECOND)
#define COARSE_NS ((INT64_C(1) << MS_TICK_BITS) + 1) /* so much later it may be noticed */

static const struct kit_options options = {.has_paging = true, .ready_ns = READY_NS};

/* An N-PDU comes at an instant; how many frames leave. */
static unsigned put_down(struct kit *kit, int64_t now)
{
    kit->now = now;
    gn_frame_put(kit, KIT_TEID, 200);
    return kit_drain(&kit->gb);
}

/* The mobile is heard at an instant; how many frames leave. */
static unsigned hear(struct kit *kit, int64_t now)
{
    static const uint8_t data[40] = {0x45, 0, 0, sizeof(data), [16] = 10}; /* to a host */
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct ms *ms = &kit->worker->context.mobiles[0];
    struct gb_frame_uplink in = {.tlli = KIT_TLLI,
                                 .nu = llc_entity_nu(ms->llc[1].vur),
                                 .number = (uint16_t)kit->worker->stats.ul_npdu_out,
                                 .octets = sizeof(data),
                                 .data = data};
    kit->now = now;
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
    assert_int_equal(kit_drain(&kit->gn), 1);
    return kit_drain(&kit->gb);
}

static bool is_told(struct kit *kit, uint16_t type)
{
    struct msg msg;
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_true(msg.type == type && msg.slot == 0 && msg.nse == 0);
    return true;
}

TEST(ready_until_the_timer_runs_out)
{
    static const struct {
        int64_t silent_ns;
        bool is_ready;
    } rows[] = {{0, true}, {READY_NS, true}, {READY_NS + 2 * COARSE_NS, false}, {3000 * READY_NS, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_open(&kit, &options);
        int64_t heard_ns = kit.now + 3 * MOMENT_SECOND;
        assert_int_equal(hear(&kit, heard_ns), 0);
        assert_int_equal(put_down(&kit, heard_ns + rows[i].silent_ns), rows[i].is_ready);
        assert_int_equal(is_told(&kit, MSG_PAGE_WANTED), !rows[i].is_ready);
        kit_close(&kit);
    }
}

/* Control is told once, however much comes; the first frame of the mobile lets everything go, in order. */
KIT_TEST(asked_once_and_let_go, &options)
{
    int64_t late_ns = kit->now + READY_NS + 2 * COARSE_NS;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(put_down(kit, late_ns + i), 0);
    assert_int_equal(kit->worker->shares.rows[SHARE_PAGING].put, 1);
    assert_true(is_told(kit, MSG_PAGE_WANTED));
    assert_false(is_told(kit, MSG_PAGE_WANTED));
    assert_int_equal(hear(kit, late_ns + 10), 3);
    assert_true(is_told(kit, MSG_MS_REACHED));
    assert_int_equal(hear(kit, late_ns + 20), 0);
    assert_false(is_told(kit, MSG_MS_REACHED));
    assert_int_equal(put_down(kit, late_ns + 30), 1);
}

static void fill(struct kit *kit)
{
    while (msg_put(kit->worker->rings.to_control, &(struct msg){.type = MSG_FENCE}))
        ;
}

static void empty(struct kit *kit)
{
    struct msg msg;
    while (kit_take_msg(kit, &msg))
        assert_int_equal(msg.type, MSG_FENCE);
}

/* What control is not told as the ring to it is full, it is told at the next occasion. */
KIT_TEST(told_when_there_is_room, &options)
{
    int64_t late_ns = kit->now + READY_NS + 2 * COARSE_NS;
    fill(kit);
    assert_false(standby_want(kit->worker, &kit->worker->context.mobiles[0], kit->now));
    assert_int_equal(put_down(kit, late_ns), 0);
    empty(kit);
    assert_int_equal(put_down(kit, late_ns + 1), 0);
    assert_true(is_told(kit, MSG_PAGE_WANTED));
    fill(kit);
    assert_int_equal(hear(kit, late_ns + 2), 2);
    empty(kit);
    assert_int_equal(hear(kit, late_ns + 3), 0);
    assert_true(is_told(kit, MSG_MS_REACHED));
    fill(kit);
    assert_false(standby_want(kit->worker, &kit->worker->context.mobiles[0], kit->now));
    empty(kit);
    assert_int_equal(hear(kit, late_ns + 4), 0);
    assert_true(is_told(kit, MSG_MS_REACHED));
}

/* A cell that was down has not heard anybody: its mobiles have the whole time again. */
KIT_TEST(time_begins_anew_with_the_cell, &options)
{
    const struct msg up = {.type = MSG_BVC_STATE, .slot = 0, .is_unblocked = true};
    kit->now += READY_NS + 2 * COARSE_NS;
    kit_do(kit, &up);
    assert_int_equal(put_down(kit, kit->now), 1);
    assert_int_equal(put_down(kit, kit->now + READY_NS + 2 * COARSE_NS), 0);
}

KIT_TEST(asked_again_when_nobody_answered, &options)
{
    const struct msg end = {.type = MSG_PAGE_END, .tlli = KIT_TLLI};
    int64_t late_ns = kit->now + READY_NS + 2 * COARSE_NS;
    assert_int_equal(put_down(kit, late_ns), 0);
    assert_true(is_told(kit, MSG_PAGE_WANTED));
    kit_do(kit, &end);
    assert_false(is_told(kit, MSG_PAGE_WANTED));
    assert_int_equal(put_down(kit, late_ns + 1), 0);
    assert_true(is_told(kit, MSG_PAGE_WANTED));
}

/* Carries out an order; whether it has the mobile paged. */
static bool asks(struct kit *kit, const struct msg *order)
{
    struct msg msg;
    assert_true(msg_put(kit->worker->rings.to_worker, order));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &msg));
    bool is_asked = msg.type == MSG_PAGE_WANTED;
    if (is_asked)
        assert_true(kit_take_msg(kit, &msg));
    assert_true(msg.type == MSG_ANSWER && msg.answer.status == 0);
    return is_asked;
}

/* RADIO-STATUS: what waits already is asked for at once, else the next N-PDU is; not while it is suspended.
 */
TEST(lost_by_its_bss)
{
    struct kit kit;
    const struct kit_options endless = {.has_paging = true};
    const struct msg lost = {.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true};
    struct msg suspend = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true};
    kit_open(&kit, &endless);
    kit_do(&kit, &suspend);
    assert_int_equal(put_down(&kit, kit.now), 0);
    assert_false(asks(&kit, &lost));
    suspend.is_suspended = false;
    assert_true(asks(&kit, &suspend));
    assert_false(asks(&kit, &lost));
    assert_int_equal(hear(&kit, kit.now + 1), 1);
    assert_true(is_told(&kit, MSG_MS_REACHED));
    assert_false(asks(&kit, &lost));
    assert_int_equal(put_down(&kit, kit.now + 2), 0);
    assert_true(is_told(&kit, MSG_PAGE_WANTED));
    kit_close(&kit);
}

/* A message of control: a mobile in READY is reached at once, one in STANDBY when it has answered the page.
 */
KIT_TEST(wanted_by_control, &options)
{
    const struct msg wanted = {.type = MSG_MS_WANTED};
    struct msg msg;
    assert_true(msg_put(kit->worker->rings.to_worker, &wanted));
    kit_settle(kit);
    assert_true(is_told(kit, MSG_MS_REACHED));
    assert_true(kit_take_msg(kit, &msg) && msg.type == MSG_ANSWER && msg.answer.status == 0);
    kit->now += READY_NS + 2 * COARSE_NS;
    assert_true(asks(kit, &wanted));
    assert_false(asks(kit, &wanted));
    assert_int_equal(hear(kit, kit->now + 10), 0);
    assert_true(is_told(kit, MSG_MS_REACHED));
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true});
    assert_false(asks(kit, &wanted));
    assert_false(is_told(kit, MSG_MS_REACHED));
}

enum act { END, SUSPEND, RESUME, HOLD, LET_GO, LOSE, WANT, GIVE_UP, HEAR, HEAR_ELSEWHERE };

/* What control is told of the mobile then, besides its cell: a type of message, MSG_ANSWER: nothing. */
static uint16_t told_after(struct kit *kit, enum act act)
{
    static const struct msg acts[] = {
        [SUSPEND] = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true},
        [RESUME] = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI},
        [HOLD] = {.type = MSG_MS_HOLD, .is_held = true},
        [LET_GO] = {.type = MSG_MS_HOLD},
        [LOSE] = {.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true},
        [WANT] = {.type = MSG_MS_WANTED},
        [GIVE_UP] = {.type = MSG_PAGE_END, .tlli = KIT_TLLI},
        [HEAR] = {.heard = {.bvci = KIT_BVCI}},
        [HEAR_ELSEWHERE] = {.heard = {.bvci = KIT_BVCI + 1}},
    };
    struct msg msg;
    uint16_t type = MSG_ANSWER;
    if (act >= HEAR)
        standby_heard(kit->worker, 0, KIT_TLLI, acts[act].heard, kit->now);
    else
        assert_true(msg_put(kit->worker->rings.to_worker, &acts[act]));
    kit_settle(kit);
    while (kit_take_msg(kit, &msg)) {
        assert_true(msg.type != MSG_ANSWER || msg.answer.status == 0);
        if (msg.type == MSG_ANSWER || msg.type == MSG_MS_HEARD)
            continue;
        assert_true(type == MSG_ANSWER && msg.slot == 0);
        type = msg.type;
    }
    return type;
}

/* A message of control waits while the mobile is suspended or held: when that ends, it is as if control had
 * wanted it then, also where the cell is not decided yet. */
TEST(wanted_while_stopped)
{
    enum { REACHED = MSG_MS_REACHED, PAGE = MSG_PAGE_WANTED };
    static const int64_t late_ns = READY_NS + 2 * COARSE_NS;
    static const struct {
        const char *name;
        struct {
            enum act act;
            uint16_t told; /* 0: nothing */
            bool is_late;  /* the mobile has not been heard for that long */
        } steps[8];
    } rows[] = {
        {"suspended", {{SUSPEND}, {WANT}, {WANT}, {RESUME, REACHED}, {RESUME}, {HEAR}}},
        {"held", {{HOLD}, {WANT}, {LET_GO, REACHED}, {LET_GO}, {HEAR}}},
        {"both", {{SUSPEND}, {HOLD}, {WANT}, {RESUME}, {LET_GO, REACHED}}},
        {"in STANDBY then", {{SUSPEND}, {WANT}, {RESUME, PAGE, true}, {HEAR, REACHED}, {HEAR}}},
        {"in STANDBY before", {{HOLD, .is_late = true}, {WANT}, {LET_GO, PAGE}, {HEAR, REACHED}, {HEAR}}},
        {"lost meanwhile", {{HOLD}, {WANT}, {LOSE}, {LET_GO, PAGE}, {HEAR, REACHED}}},
        {"heard meanwhile", {{SUSPEND}, {WANT}, {HEAR}, {RESUME, REACHED}}},
        {"its cell undecided", {{HOLD}, {WANT}, {HEAR_ELSEWHERE}, {LET_GO, REACHED}, {HEAR}}},
        {"lost, cell undecided", {{HOLD}, {HEAR_ELSEWHERE}, {LOSE}, {WANT}, {LET_GO, PAGE}, {HEAR, REACHED}}},
        {"paged before", {{LOSE}, {WANT, PAGE}, {SUSPEND}, {GIVE_UP}, {RESUME, PAGE}, {HEAR, REACHED}}},
        {"given up", {{LOSE}, {WANT, PAGE}, {GIVE_UP}, {SUSPEND}, {RESUME}, {HEAR}}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_open(&kit, &options);
        for (size_t k = 0; rows[i].steps[k].act != END; k++) {
            uint16_t told = rows[i].steps[k].told ? rows[i].steps[k].told : MSG_ANSWER;
            kit.now += rows[i].steps[k].is_late ? late_ns : 0;
            if (told_after(&kit, rows[i].steps[k].act) != told)
                fail_msg("%s, step %zu", rows[i].name, k);
        }
        kit_close(&kit);
    }
}

/* How many N-PDUs wait in the cell, as the worker says when it is asked; 0: it says nothing. */
static uint32_t waiting(struct kit *kit)
{
    const struct msg ask = {.type = MSG_BVC_WAITS};
    struct msg msg;
    assert_true(msg_put(kit->worker->rings.to_worker, &ask));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &msg));
    uint32_t npdus = msg.type == MSG_BVC_WAITING ? msg.npdus : 0;
    if (msg.type == MSG_BVC_WAITING)
        assert_true(msg.slot == 0 && kit_take_msg(kit, &msg));
    assert_true(msg.type == MSG_ANSWER && msg.answer.status == 0);
    return npdus;
}

/* A cell without an announcement is sent nothing; one whose queue waits for something else is not told. */
KIT_TEST(waits_for_flow_control, NULL)
{
    const struct msg up = {.type = MSG_BVC_STATE, .is_unblocked = true};
    kit_do(kit, &(struct msg){.type = MSG_BVC_RESET});
    kit_do(kit, &up);
    assert_int_equal(waiting(kit), 0);
    assert_int_equal(put_down(kit, kit->now), 0);
    assert_int_equal(put_down(kit, kit->now), 0);
    assert_int_equal(waiting(kit), 2);
    kit_flow(kit, 100000, 0);
    assert_int_equal(waiting(kit), 0);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_BVC_WAITS, .slot = 99}), -1);
}

KIT_TEST(nobody_pages, NULL)
{
    assert_int_equal(put_down(kit, kit->now + 3000 * READY_NS), 1);
    kit_do(kit, &(struct msg){.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true});
    assert_int_equal(put_down(kit, kit->now + 1), 0);
    assert_false(is_told(kit, MSG_PAGE_WANTED));
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_PAGE_END, .tlli = 77}), -1);
}

/* --- suspension --- */

/* Opens the cell (or not) and takes what leaves: the first frame's PDU Lifetime, in centiseconds; -1: nothing
 * leaves. */
static int lifetime_told(struct kit *kit)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    return kit_take_gb(kit, frame) > 0 ? bytes_get_u16(frame + PDU_LIFETIME) : -1;
}

static void suspend_at(struct kit *kit, int64_t now, bool is_suspended)
{
    kit->now = now;
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = is_suspended});
}

/* What waits 5 s before and after a suspension of 193 s, and what comes in its midst and waits 1 s after it.
 */
static void hold(unsigned flow_queues)
{
    struct kit kit;
    struct context_policy policy;
    context_policy_default(&policy);
    policy.lifetime = (struct lifetime){LIFETIME_SPLIT, 10 * S, 0, MOMENT_NEVER};
    policy.sched.flow_queues = (uint8_t)flow_queues;
    for (unsigned opens = 0; opens < 2; opens++) {
        const struct msg open = {.type = MSG_BVC_STATE, .is_unblocked = true};
        kit_open(&kit, &(struct kit_options){.policy = &policy});
        int64_t t0 = kit.now;
        kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE});
        assert_int_equal(put_down(&kit, t0), 0);
        suspend_at(&kit, t0 + 4 * S, true);
        suspend_at(&kit, t0 + 9 * S, true); /* again: nothing new */
        (void)kit_settle_at(&kit, t0 + 50 * S);
        assert_int_equal(put_down(&kit, t0 + 100 * S), 0);
        suspend_at(&kit, t0 + 197 * S, false);
        (void)kit_settle_at(&kit, t0 + 198 * S);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_LIFETIME], 0);
        if (opens) {
            kit_do(&kit, &open);
            assert_int_equal(lifetime_told(&kit), 500);
            assert_int_equal(lifetime_told(&kit), 900);
        }
        assert_int_equal(lifetime_told(&kit), -1);
        (void)kit_settle_at(&kit, t0 + 203 * S + MOMENT_SECOND / 100);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_LIFETIME], !opens);
        (void)kit_settle_at(&kit, t0 + 207 * S + MOMENT_SECOND / 100);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_LIFETIME], opens ? 0 : 2);
        kit_close(&kit);
    }
}

TEST_CALL(held_while_suspended, hold(0))
TEST_CALL(held_in_flow_queues, hold(4))

/* phones.suspended = "drop": what waits and what comes; after RESUME the next one leaves. */
KIT_TEST(dropped_while_suspended, NULL)
{
    struct msg ms = kit_ms(kit, 0, KIT_TLLI), pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    ms.ms.drops_suspended = true;
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL});
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    kit_do(kit, &ms);
    kit_do(kit, &pdp);
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE});
    assert_int_equal(put_down(kit, kit->now), 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true});
    assert_int_equal(kit->worker->stats.gn_drops[DROP_SUSPENDED], 1);
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
    for (unsigned i = 2; i < 5; i++) {
        assert_int_equal(put_down(kit, kit->now), 0);
        assert_int_equal(kit->worker->stats.gn_drops[DROP_SUSPENDED], i);
    }
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI});
    assert_int_equal(put_down(kit, kit->now), 1);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_SUSPENDED], 4);
}

UNIT_MAIN(kit_start, NULL)
