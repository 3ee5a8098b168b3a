/* SPDX-License-Identifier: BSD-3-Clause */
/* Random access against closed forms: slotted ALOHA, the AGCH as M/D/1, and times of single accesses. */
#include "bss/access.h"
#include "bss/agch.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include <math.h>

#define MS INT64_C(1000000)

enum { OPPORTUNITIES = 51, SECONDS_OF_ALOHA = 6000 /* 1.3 million slots */ };

static const struct access_config plain = {.has_contention = true,
                                           .opportunities = OPPORTUNITIES,
                                           .retransmissions = 0,
                                           .s_slots = 55,
                                           .t_slots = 1};

static const struct agch_config nobody_is_answered = {.service_ns = INT64_C(1000000000000000), .limit = 1};

struct aloha {
    double load;
    uint32_t capture_ppm;
    unsigned persistence;
};

/* Slotted ALOHA (Abramson 1970, Roberts 1975): a load of G bursts per slot, none of them repeated, gives
   G exp(-G). With certain capture a slot with bursts gives one: 1 - exp(-G). A persistence level P lets
   1 - P / 16 of them pass. */
static void play_aloha(const struct aloha *row)
{
    struct access_config config = plain;
    struct access_ops ops = {0};
    double offered = row->load / (1 - row->persistence / 16.0);
    config.background_ns =
        llround((double)ACCESS_MULTIFRAMES_NS / (ACCESS_MULTIFRAMES * OPPORTUNITIES * offered));
    config.capture_ppm = row->capture_ppm;
    config.persistence = row->persistence;
    config.agch = nobody_is_answered; /* or mobiles with another one's assignment would begin again */
    struct access *access = access_new(&config, &ops);
    access_step(access, SECONDS_OF_ALOHA * MOMENT_SECOND);
    const struct access_counts *counts = &access_stats_get(access)->counts;
    double slots = (double)access_slots(access, 0, SECONDS_OF_ALOHA * MOMENT_SECOND);
    double alone = row->load * exp(-row->load), some = 1 - exp(-row->load);
    double exact = alone + row->capture_ppm / 1e6 * (some - alone);
    print_message("G %.2f: S %.5f, exact %.5f\n", row->load, (double)counts->decoded / slots, exact);
    assert_true(slots > 1e6);
    assert_true(fabs((double)counts->bursts / slots / row->load - 1) < 0.01);
    assert_true(fabs((double)counts->decoded / slots / exact - 1) < 0.01);
    assert_true(fabs((double)counts->collisions / slots / (some - alone) - 1) < 0.02);
    access_free(access);
}

static const struct aloha alohas[] = {{0.1}, {0.2},        {0.5},       {1},      {1.5},
                                      {2},   {1, 1000000}, {1, 500000}, {1, 0, 4}};

TEST_EACH(aloha, play_aloha, alohas)

/* Of n bursts in a slot with certain capture n - 1 are lost, and the first of these that drew the captured
   one's reference takes its assignment: in 1 - (7/8)^(n - 1) of the slots, n being Poisson. */
TEST(takes_anothers)
{
    const double load = 1;
    struct access_config config = plain;
    struct access_ops ops = {0};
    config.background_ns =
        llround((double)ACCESS_MULTIFRAMES_NS / (ACCESS_MULTIFRAMES * OPPORTUNITIES * load));
    config.capture_ppm = 1000000;
    config.resolution_ns = INT64_C(1000000000000000); /* and does not come back */
    struct access *access = access_new(&config, &ops);
    access_step(access, 2000 * MOMENT_SECOND);
    const struct access_stats *stats = access_stats_get(access);
    double slots = (double)access_slots(access, 0, 2000 * MOMENT_SECOND);
    double exact = 1 - exp(-load) - 8.0 / 7 * (exp(-load / 8) - exp(-load));
    assert_true(fabs((double)stats->counts.unresolved / slots / exact - 1) < 0.03);
    assert_in_range(stats->counts.decoded - stats->outcomes[ACCESS_BACKGROUND].granted, 0, 1);
    access_free(access);
}

/* Under a load that the AGCH does not carry: each message is a mobile's or wasted, each mobile has its end.
 */
TEST(conserves)
{
    for (unsigned is_two_phase = 0; is_two_phase < 2; is_two_phase++) {
        struct access_config config = {.has_contention = true,
                                       .opportunities = OPPORTUNITIES,
                                       .retransmissions = 4,
                                       .s_slots = 55,
                                       .t_slots = 14,
                                       .capture_ppm = 300000,
                                       .agch = {.service_ns = 78461538, .limit = 16},
                                       .response_ns = 20 * MS,
                                       .is_two_phase = is_two_phase,
                                       .round_trip_ns = 120 * MS,
                                       .t3168_ns = 500 * MS,
                                       .background_ns = 60 * MS};
        struct access *access = access_new(&config, &(struct access_ops){0});
        access_step(access, 3600 * MOMENT_SECOND);
        const struct access_stats *stats = access_stats_get(access);
        const struct access_outcome *of = &stats->outcomes[ACCESS_BACKGROUND];
        const struct agch_stats *agch = access_agch_stats_get(access);
        assert_int_equal(agch->offered, stats->counts.decoded);
        assert_int_equal(agch->refused, stats->counts.unanswered);
        assert_in_range(agch->offered - agch->refused - of->granted - stats->counts.wasted, 0, 20);
        assert_in_range(of->begun - of->granted - of->failed, 0, 200);
        assert_true(of->failed > 1000 && of->granted > 1000 && stats->counts.wasted > 1000);
        assert_true(stats->counts.unresolved > 100 && !stats->counts.expired);
        assert_true(stats->counts.bursts >= stats->counts.decoded);
        access_free(access);
    }
}

/* Instants of a mobile that nobody answers, slots of 3060 / 13 / 51 ms: M more bursts, each S + 1 slots after
   the last one (T = 1), and the failure T + 2 S slots after the end of the last. */
TEST(tries_in_vain)
{
    static const unsigned retransmissions[] = {0, 1, 2, 4, 7};
    const double slot_ns = (double)ACCESS_MULTIFRAMES_NS / ACCESS_MULTIFRAMES / OPPORTUNITIES;
    for (size_t i = 0; i < COUNT(retransmissions); i++) {
        unsigned m = retransmissions[i], bursts = 0;
        struct access_config config = plain;
        struct access_ops ops = {0};
        config.retransmissions = m;
        config.retry_ns = INT64_MAX;
        config.agch = nobody_is_answered;
        struct access *access = access_new(&config, &ops);
        int owner;
        access_begin(access, &owner, 1);
        int64_t first_ns = access_due_ns(access);
        double first = (double)first_ns / slot_ns;
        assert_true(first > 0.999 && first < 8.001);
        while (!access_stats_get(access)->outcomes[ACCESS_MOBILES].failed) {
            int64_t now = access_due_ns(access), ends_ns = first_ns + llround(slot_ns * (56.0 * m + 1 + 111));
            double due_ns = bursts <= m ? (double)first_ns + 56 * slot_ns * bursts : (double)ends_ns;
            assert_true(fabs((double)now - due_ns) < 3);
            access_step(access, now);
            bursts++;
        }
        assert_int_equal(access_stats_get(access)->counts.bursts, m + 1);
        assert_int_equal(access_stats_get(access)->counts.unanswered, m);
        assert_int_equal(access_stats_get(access)->outcomes[ACCESS_MOBILES].begun, 1);
        access_free(access);
    }
}

/* The first burst comes in the first slot or up to max(T, 8) - 1 later, each slot as likely. */
TEST(spreads_the_first)
{
    static const unsigned rows[][2] = {{1, 8}, {8, 8}, {14, 14}, {50, 50}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct access_config config = plain;
        struct access_ops ops = {0};
        unsigned seen[64] = {0}, most = rows[i][1];
        config.t_slots = rows[i][0];
        struct access *access = access_new(&config, &ops);
        int owner;
        for (unsigned k = 0; k < 1000 * most; k++) {
            int64_t now = k * ACCESS_MULTIFRAMES_NS; /* a slot begins */
            access_step(access, now);
            uint32_t number = access_begin(access, &owner, now);
            double wait_ns = (double)(access_due_ns(access) - now);
            seen[llround(wait_ns * ACCESS_MULTIFRAMES * OPPORTUNITIES / ACCESS_MULTIFRAMES_NS)]++;
            access_cancel(access, number);
        }
        for (unsigned slot = 0; slot < COUNT(seen); slot++)
            assert_in_range(seen[slot], slot < most ? 850 : 0, slot < most ? 1150 : 0);
        access_free(access);
    }
}

/* 1 to 1000 ms: ranks of a list of a thousand. */
TEST(quantiles)
{
    static const struct {
        unsigned count, percent;
        int64_t ms;
    } rows[] = {{1000, 50, 500}, {1000, 95, 950}, {1000, 100, 1000}, {1, 50, 1}, {3, 50, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct access_config config = plain;
        struct access *access = access_new(&config, &(struct access_ops){0});
        struct access_delays *delays = (struct access_delays *)&access_stats_get(access)->outcomes[0].delays;
        assert_int_equal(access_mean_ns(delays), INT64_MAX);
        assert_int_equal(access_quantile_ns(delays, 50), INT64_MAX);
        delays->count = rows[i].count;
        delays->sum_ns = 7e6 * rows[i].count;
        for (unsigned ms = 1; ms <= rows[i].count; ms++)
            delays->bins[ms - 1]++;
        assert_int_equal(access_mean_ns(delays), 7 * MS);
        assert_int_equal(access_quantile_ns(delays, rows[i].percent), rows[i].ms * MS);
        access_free(access);
    }
}

/* Poisson arrivals at the AGCH alone: the mean wait of M/D/1, rho / (2 (1 - rho)) service times. */
TEST(agch_wait)
{
    static const double loads[] = {0.3, 0.5, 0.8};
    const int64_t service_ns = 78461538; /* three messages in a 51-multiframe */
    const unsigned count = short_form_is_wanted() ? 500000 : 2000000;
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct agch agch;
        struct rng rng;
        int64_t now = 0;
        agch_init(&agch, &(struct agch_config){.service_ns = service_ns});
        rng_init(&rng, 7, i);
        for (unsigned k = 0; k < count; k++) {
            now += rng_exponential_ns(&rng, llround((double)service_ns / loads[i]));
            while (agch_due_ns(&agch) <= now)
                agch_take(&agch);
            assert_true(agch_put(&agch, (struct agch_for){0}, (struct agch_for){0}, now));
        }
        double wait = agch.stats.wait_sum_ns / (double)agch.stats.offered / (double)service_ns;
        double exact = loads[i] / (2 * (1 - loads[i]));
        print_message("rho %.1f: wait %.5f service times, M/D/1 %.5f\n", loads[i], wait, exact);
        assert_true(fabs(wait / exact - 1) < (short_form_is_wanted() ? 0.03 : 0.01));
        agch_fini(&agch);
    }
}

UNIT_MAIN(NULL, NULL)
