/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two sides of an LLC link in acknowledged mode, SNDCP's acknowledged mode above it, and a channel that
 * loses, repeats and reorders; a trace of all that they do, for abm_judge.py. Each side sends N-PDUs of 1 to
 * 4 segments on NSAPI 5, numbered from 0 on; after an establishment those that were not confirmed are sent
 * again.
 *
 * usage: abm_play --frames N --seed N [--loss PER_MILLE]
 *
 * A line: what, side (0: network), values. HEADER is in hex, without FCS. FRAME is 16 times the number of the
 * N-PDU plus the segment. INFO: SNDCP header in hex, FRAME, octets, count.
 *
 *     P SIDE k_send k_receive send_octets n201_i n200 i_bitmap_octets
 *                             at each establishment, both sides
 *     N SIDE HEADER INFO      a new frame went
 *     G SIDE HEADER INFO      a repetition
 *     S SIDE HEADER           an S frame went
 *     R SIDE HEADER INFO      one arrives
 *     W SIDE FATE WHY         what became of it
 *     D SIDE FRAME            delivered to SNDCP
 *     C SIDE FRAME            confirmed to SNDCP
 *     U SIDE NUMBER           an N-PDU was delivered
 *     V SIDE NUMBER           an N-PDU was confirmed
 *     T SIDE 1 or 2           T201 starts, stops
 *     X SIDE                  T201 ran out
 *     B SIDE 0 or 1           a receiver is busy
 *     Q SIDE                  all that is owed was sent
 *     A SIDE                  all are repeated
 *     F SIDE FAILURE
 *     E NUMBER NUMBER         the end: N-PDUs that both sides had to send
 */
#include "dataplane/abm/abm.h"
#include "dataplane/base/rng.h"
#include "tests/oracles/abm/sn_play.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256, IN_FLIGHT = 96, REACH = 8, BURST = 6, CALM = 400000 };

struct packet {
    struct llc_abm header;
    struct info info;
    uint32_t count;
};

struct way {
    struct packet packets[IN_FLIGHT];
    unsigned count;
};

struct side {
    struct abm a;
    struct abm_sent sent[SLOTS];
    void *stored[SLOTS];
    struct sn_play sn;
    int held; /* frames that the link has */
    bool is_timed;
};

static struct side sides[2];
static struct way ways[2]; /* to the side of this index */
static struct rng rng;
static unsigned loss_per_mille;
static unsigned long frames;
static bool is_calm; /* nothing is lost, and no new N-PDU is made */

static bool chance(unsigned per_mille)
{
    return rng_below(&rng, 1000) < per_mille;
}

static unsigned index_of(const struct side *side)
{
    return (unsigned)(side - sides);
}

static void say_frame(char what, unsigned side, const struct packet *p)
{
    uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS];
    int octets = llc_abm_encode(bytes, sizeof bytes, &p->header);
    assert(octets > 0);
    printf("%c %u ", what, side);
    for (int i = 0; i < octets; i++)
        printf("%02x", bytes[i]);
    if (p->header.is_i)
        putchar(' ');
    for (int i = 0; p->header.is_i && i < p->info.header_octets; i++)
        printf("%02x", p->info.header[i]);
    if (p->header.is_i)
        printf(" %u %u %u", 16 * p->info.n_pdu + p->info.segment, p->info.octets, p->count);
    putchar('\n');
}

/* --- what the link gives back --- */

static void give_up(struct side *side, void *frame)
{
    side->held--;
    free(frame);
}

static void say_changes(struct side *side)
{
    unsigned i = index_of(side);
    uint32_t number;
    struct info *info;
    for (; (info = abm_deliver_take(&side->a)); give_up(side, info)) {
        printf("D %u %u\n", i, 16 * info->n_pdu + info->segment);
        if (sn_play_deliver(&side->sn, info))
            printf("U %u %u\n", i, info->n_pdu);
    }
    for (; (info = abm_confirm_take(&side->a)); give_up(side, info)) {
        printf("C %u %u\n", i, 16 * info->n_pdu + info->segment);
        if (sn_play_confirm(&side->sn, &number))
            printf("V %u %u\n", i, number);
    }
    enum abm_timer timer = abm_timer_take(&side->a);
    if (timer == ABM_TIMER_AS_IT_IS)
        return;
    side->is_timed = timer == ABM_TIMER_START;
    printf("T %u %u\n", i, timer);
}

/* --- establishment --- */

static struct abm_params params_of(bool is_network, unsigned k_send, unsigned k_receive)
{
    struct abm_params p = {
        .k_send = (uint8_t)k_send,
        .k_receive = (uint8_t)k_receive,
        .n201_i_octets = (uint16_t)rng_between(&rng, 140, 1503),
        .n200 = (uint8_t)rng_between(&rng, 3, 12),
        .sapi = 3,
        .i_bitmap_octets = (uint8_t)(chance(500) ? 32 : rng_below(&rng, 33)),
        .is_network = is_network,
    };
    if (chance(300))
        p.send_octets = p.n201_i_octets * (uint32_t)rng_between(&rng, 1, 4);
    return p;
}

static unsigned random_k(void)
{
    return (unsigned)(chance(100) ? rng_between(&rng, 64, 255) : rng_between(&rng, 1, 20));
}

/* The link gives back what it took. */
static void empty(struct side *side)
{
    void *frame;
    while (side->a.sent && (frame = abm_drop_take(&side->a)))
        give_up(side, frame);
    assert(side->held == 0);
}

static void establish(void)
{
    unsigned k[2] = {random_k(), random_k()};
    struct abm_params p = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &sides[i];
        empty(side);
        uint16_t n201_i = p.n201_i_octets;
        p = params_of(i == 0, k[i], k[1 - i]);
        if (i == 1) { /* N201-I holds for both directions */
            p.n201_i_octets = n201_i;
            p.send_octets = p.send_octets ? 2U * n201_i : 0;
        }
        int refused = abm_init(&side->a, &p, side->sent, side->stored);
        assert(refused == 0);
        sn_play_established(&side->sn);
        side->is_timed = false;
        ways[i].count = 0;
        printf("P %u %u %u %u %u %u %u\n", i, p.k_send, p.k_receive, p.send_octets, p.n201_i_octets, p.n200,
               p.i_bitmap_octets);
    }
}

/* --- sending --- */

static void send(struct side *side, char what, const struct packet *p)
{
    struct way *way = &ways[1 - index_of(side)];
    say_frame(what, index_of(side), p);
    say_changes(side);
    frames++;
    if (way->count < IN_FLIGHT)
        way->packets[way->count++] = *p;
}

static void send_new(struct side *side)
{
    unsigned burst = 1 + (unsigned)rng_below(&rng, BURST);
    for (unsigned i = 1; i <= burst; i++) {
        unsigned octets = (unsigned)rng_between(&rng, SN_DATA_FIRST_OCTETS, side->a.params.n201_i_octets);
        if (!abm_can_send(&side->a, octets) || !sn_play_find(&side->sn, &rng, !is_calm))
            return;
        struct info *info = sn_play_next(&side->sn, octets);
        struct abm_frame frame = {.frame = info, .octets = info->octets, .is_last = i == burst};
        struct packet p = {.info = *info};
        p.count = abm_send(&side->a, &frame, &p.header);
        side->held++;
        send(side, 'N', &p);
    }
}

static void send_owed(struct side *side)
{
    struct abm_repeat repeat;
    struct packet report = {0};
    while (abm_repeat_octets(&side->a) > 0 && abm_repeat_take(&side->a, true, &repeat)) {
        struct packet p = {repeat.header, *(const struct info *)repeat.frame, repeat.count};
        assert(repeat.octets == p.info.octets);
        send(side, 'G', &p);
    }
    if (abm_report_take(&side->a, &report.header))
        send(side, 'S', &report);
    if (!side->a.failure)
        printf("Q %u\n", index_of(side));
}

/* --- receiving --- */

static void take(struct side *side, const struct packet *p)
{
    struct packet seen = *p;
    seen.count = p->header.is_i ? abm_count(&side->a, p->header.ns) : 0;
    say_frame('R', index_of(side), &seen);
    struct info *info = malloc(sizeof *info);
    assert(info);
    *info = p->info;
    struct abm_taken taken = abm_receive(&side->a, &p->header, info, info->octets);
    if (taken.is_kept)
        side->held++;
    else
        free(info);
    printf("W %u %u %u\n", index_of(side), taken.fate, taken.why);
    say_changes(side);
}

static void arrive(struct side *side)
{
    struct way *way = &ways[index_of(side)];
    if (way->count == 0)
        return;
    unsigned reach = way->count < REACH ? way->count : REACH;
    unsigned at = !is_calm && chance(300) ? (unsigned)rng_below(&rng, reach) : 0;
    struct packet p = way->packets[at];
    bool is_again = !is_calm && chance(100), is_lost = !is_calm && chance(loss_per_mille);
    if (!is_again) {
        way->count--;
        memmove(&way->packets[at], &way->packets[at + 1], (way->count - at) * sizeof p);
    }
    if (!is_lost)
        take(side, &p);
}

/* --- events --- */

static void run_out(struct side *side)
{
    bool is_quiet = ways[0].count == 0 && ways[1].count == 0;
    if (!side->is_timed || !(is_quiet || (!is_calm && chance(10))))
        return;
    printf("X %u\n", index_of(side));
    abm_t201(&side->a);
    say_changes(side);
}

static void be_busy(struct side *side, bool is_busy)
{
    if (side->a.is_busy == is_busy)
        return;
    printf("B %u %u\n", index_of(side), is_busy);
    abm_set_busy(&side->a, is_busy);
}

/* The mobile leaves its cell, whose queue is deleted (TS 48.018 clause 8.1). */
static void change_cell(void)
{
    ways[0].count = ways[1].count = 0;
    printf("A 0\n");
    abm_repeat_all(&sides[0].a);
}

static void disturb(struct side *side)
{
    be_busy(side, side->a.is_busy ? !chance(200) : chance(5));
    if (chance(2))
        change_cell();
    if (chance(1))
        establish();
}

static void step(void)
{
    struct side *side = &sides[rng_below(&rng, 2)];
    if (is_calm)
        be_busy(side, false);
    else
        disturb(side);
    if (chance(300))
        send_new(side);
    if (chance(400))
        send_owed(side);
    if (!side->a.failure)
        arrive(side);
    run_out(side);
    if (!side->a.failure)
        return;
    printf("F %u %u\n", index_of(side), side->a.failure);
    establish();
}

static bool is_over(void)
{
    for (unsigned i = 0; i < 2; i++)
        if (sides[i].sn.confirmed < sides[i].sn.made)
            return false;
    return true;
}

static unsigned long option(int argc, char **argv, const char *name, unsigned long otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return strtoul(argv[i + 1], NULL, 10);
    return otherwise;
}

int main(int argc, char **argv)
{
    unsigned long wanted = option(argc, argv, "--frames", 10000), left = CALM;
    loss_per_mille = (unsigned)option(argc, argv, "--loss", 300);
    rng_init(&rng, option(argc, argv, "--seed", 1), 0);
    establish();
    while (frames < wanted)
        step();
    is_calm = true;
    for (; !is_over() && left > 0; left--)
        step();
    printf("E %u %u\n", sides[0].sn.made, sides[1].sn.made);
    empty(&sides[0]);
    empty(&sides[1]);
    return 0;
}
