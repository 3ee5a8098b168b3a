/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: sched_play [--npdus N] [--seed N] [--profile NAME] [--flows N] >TRACE
 *
 * Ends when so many N-PDUs have left. --flows: so many queues by 5-tuple, at most FLOW_SETS_MAX_QUEUES; then
 * each 5-tuple is a flow to the oracle, and buffers do not run out, as who pays for that is not told by
 * these.
 */
#include "dataplane/base/moment.h"
#include "tests/oracles/sched/sched_play.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GAP_MIN_NS      INT64_C(1000)
#define GAP_MAX_NS      MOMENT_SECOND
#define EVENTS_PER_TURN 64 /* after which the gap is looked at again */
#define TURNS_PER_AIM   64 /* after which something else is aimed at */
#define CAME_PER_LEFT   20 /* N-PDUs offered for each that is to leave, at most */
#define OUT_OCTETS      (1 << 18)

static const struct sched_play_profile profiles[] = {
    {"mixed", {20000, 6500000}, {100, 6500000}, {100, 6500000}, {100, 4000000}, 12, 40, 50, 60, 20, 0, 8},
    {"limited", {100000, 2000000}, {5000, 400000}, {10000, 2000000}, {1000, 60000}, 12, 40, 90, 10, 20, 0, 8},
    {"link",
     {20000, 1000000},
     {1000000, 6500000},
     {100000, 6500000},
     {2000, 100000},
     12,
     40,
     100,
     10,
     20,
     0,
     8},
    {"backlog",
     {20000, 1000000},
     {3000000, 6500000},
     {3000, 60000},
     {1600, 20000},
     3,
     20,
     0,
     1,
     40,
     60000,
     1},
    {"tiny", {2000, 100000}, {100, 20000}, {100, 20000}, {1, 3000}, 4, 10, 50, 60, 6, 40, 8},
};

/* A bit above or below what is aimed at; now and then something else is. Where limits refuse half of what
 * comes, more of it tells nothing. */
static void steer(struct sched_play *p, uint64_t turn)
{
    if (turn % TURNS_PER_AIM == 0)
        p->waiting = (uint32_t)sched_play_within(
            p, (struct sched_play_range){1, (uint64_t)p->ms_count * p->profile->waiting});
    bool is_much = p->sched.pkts > p->waiting || (p->lost - p->seen_lost) * 2 > p->came - p->seen_came;
    p->seen_lost = p->lost;
    p->seen_came = p->came;
    if (is_much)
        p->gap_ns = moment_min(p->gap_ns + p->gap_ns / 4, GAP_MAX_NS);
    else
        p->gap_ns = moment_max(p->gap_ns - p->gap_ns / 4, GAP_MIN_NS);
    if (turn % TURNS_PER_AIM == TURNS_PER_AIM / 2)
        sched_play_thaw(p);
}

/* Everything at this instant; returns the scheduler's answer. */
static int64_t settle(struct sched_play *p)
{
    sched_play_send(p);
    int64_t answer_ns = sched_next_ns(&p->sched);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_ANSWER, .a = answer_ns});
    return answer_ns;
}

static void play(struct sched_play *p, uint64_t npdus)
{
    int64_t due_ns = 0;
    uint64_t events = 0;
    while (p->left < npdus && p->came < npdus * CAME_PER_LEFT) {
        int64_t answer_ns = settle(p);
        if (answer_ns <= p->now)
            break; /* the oracle has something to say on that */
        p->now = moment_min(answer_ns, due_ns);
        if (p->now < due_ns)
            continue;
        if (events++ % EVENTS_PER_TURN == 0)
            steer(p, events / EVENTS_PER_TURN);
        if (prng_below(&p->chance, 1000) < p->profile->changes_permille)
            sched_play_change(p);
        else
            sched_play_put(p);
        due_ns = p->now + (int64_t)prng_below(&p->chance, (uint64_t)p->gap_ns * 2) + 1;
    }
    settle(p);
    sched_play_tell(p, (struct sched_trace_record){.kind = SCHED_TRACE_END,
                                                   .id = p->sched.pkts,
                                                   .a = (int64_t)p->came,
                                                   .b = (int64_t)p->left,
                                                   .c = (int64_t)p->lost});
}

static const struct sched_play_profile *profile_of(const char *name)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

static int usage(void)
{
    fputs("usage: sched_play [--npdus N] [--seed N] [--profile mixed|limited|link|backlog|tiny] [--flows N] "
          ">TRACE\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static char out[OUT_OCTETS];
    const struct sched_play_profile *profile = &profiles[0];
    uint64_t npdus = 10000, seed = 1, flows = 0;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc)
            return usage();
        if (strcmp(argv[i], "--npdus") == 0)
            npdus = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--flows") == 0)
            flows = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--profile") == 0)
            profile = profile_of(argv[i + 1]);
        else
            return usage();
    }
    if (!profile || flows > FLOW_SETS_MAX_QUEUES)
        return usage();

    struct sched_play p = {.out = stdout, .flows = (uint32_t)flows};
    setvbuf(stdout, out, _IOFBF, sizeof(out));
    if (!sched_play_new(&p, profile, seed)) {
        fputs("sched_play: no memory\n", stderr);
        return 1;
    }
    play(&p, npdus);
    fprintf(stderr,
            "%" PRIu64 " LLC-PDUs, %" PRIu64 " N-PDUs came, %" PRIu64 " left, %" PRIu64 " lost; %.3f s\n",
            p.departures, p.came, p.left, p.lost, (double)p.now / MOMENT_SECOND);
    sched_play_free(&p);
    return fflush(stdout) == 0 ? 0 : 1;
}
