/* SPDX-License-Identifier: BSD-3-Clause */
/* Random access against closed forms: slotted ALOHA, the AGCH as M/D/1, and times of single accesses. */
#include "bss/access.h"
#include "bss/agch.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

enum { OPPORTUNITIES = 51, SECONDS_OF_ALOHA = 8000 /* 1.7 million slots */ };

static const struct access_config plain = {.has_contention = true,
                                           .opportunities = OPPORTUNITIES,
                                           .retransmissions = 0,
                                           .s_slots = 55,
                                           .t_slots = 1};

/* Slotted ALOHA (Roberts 1975): a load of G bursts per slot, none of them repeated, gives G exp(-G). */
TEST(aloha)
{
    static const double loads[] = {0.1, 0.2, 0.5, 0.8, 1, 1.5, 2};
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct access_config config = plain;
        struct access_ops ops = {0};
        config.background_ns =
            llround((double)ACCESS_MULTIFRAMES_NS / (ACCESS_MULTIFRAMES * OPPORTUNITIES * loads[i]));
        struct access *access = access_new(&config, &ops);
        access_step(access, SECONDS_OF_ALOHA * MOMENT_SECOND);
        const struct access_stats *stats = access_stats_get(access);
        double slots = (double)access_slots(access, 0, SECONDS_OF_ALOHA * MOMENT_SECOND);
        double load = (double)stats->counts.bursts / slots;
        double throughput = (double)stats->counts.decoded / slots;
        double exact = loads[i] * exp(-loads[i]);
        print_message("G %.2f: measured %.5f, S %.5f, G exp(-G) %.5f\n", loads[i], load, throughput, exact);
        assert_true(fabs(load / loads[i] - 1) < 0.01);
        assert_true(fabs(throughput / exact - 1) < 0.01);
        access_free(access);
    }
}

/* Poisson arrivals at the AGCH alone: the mean wait of M/D/1, rho / (2 (1 - rho)) service times. */
TEST(agch_wait)
{
    static const double loads[] = {0.1, 0.3, 0.5, 0.7, 0.8};
    const int64_t service_ns = 78461538; /* three messages in a 51-multiframe */
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct agch agch;
        struct rng rng;
        int64_t now = 0;
        agch_init(&agch, &(struct agch_config){.service_ns = service_ns});
        rng_init(&rng, 7, i);
        for (unsigned k = 0; k < 2000000; k++) {
            now += rng_exponential_ns(&rng, llround((double)service_ns / loads[i]));
            while (agch_due_ns(&agch) <= now)
                agch_take(&agch);
            assert_true(agch_put(&agch, (struct agch_for){0}, (struct agch_for){0}, now));
        }
        double wait = agch.stats.wait_sum_ns / (double)agch.stats.offered / (double)service_ns;
        double exact = loads[i] / (2 * (1 - loads[i]));
        print_message("rho %.1f: wait %.5f service times, M/D/1 %.5f\n", loads[i], wait, exact);
        assert_true(fabs(wait / exact - 1) < 0.01);
        agch_fini(&agch);
    }
}

UNIT_MAIN(NULL, NULL)
