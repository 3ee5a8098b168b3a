/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keystreams against programs that no one here wrote.
 *
 * usage: gea_judge_test JOBS      so many random jobs per engine and judge
 */
#include "dataplane/crypto/gea.h"

#include "tests/unit/dataplane/crypto/burst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_OSMOCORE
#include <osmocom/crypt/gprs_cipher.h>
#endif

enum { EXIT_SKIP = 77, MAX_BURST = 150 };

static int skip(const char *what)
{
    const char *ci = getenv("CI");
    bool is_ci = ci != NULL && strcmp(ci, "true") == 0;
    printf("%s is not installed: it cannot judge\n", what);
    return is_ci ? EXIT_FAILURE : EXIT_SKIP;
}

/* Jobs of the burst whose octets are not what libosmocore gives. */
static size_t osmocore_differs(struct burst *b)
{
    size_t wrong = 0;
#if HAVE_OSMOCORE
    for (size_t i = 0; i < b->count; i++) {
        const struct gea_job *job = &b->jobs[i];
        uint8_t stream[GEA_MAX_OCTETS + 8];
        size_t differing = 0;
        int result =
            gprs_cipher_run(stream, job->octets, b->algorithm[i] == 3 ? GPRS_ALGO_GEA3 : GPRS_ALGO_GEA4,
                            b->keys[i], job->input, job->direction ? GPRS_CIPH_SGSN2MS : GPRS_CIPH_MS2SGSN);
        for (size_t at = 0; at < job->octets; at++)
            differing += stream[at] != burst_stream(b, i, at);
        wrong += result < 0 || differing > 0 || !burst_is_kept(b, i);
    }
#endif
    return wrong;
}

/* The judge ciphers the same jobs again: what both do alike is clear afterwards. */
static size_t engine_differs(const struct gea_engine *judge, struct burst *b)
{
    gea_cipher_burst(judge, b->jobs, b->count);
    size_t wrong = 0;
    for (size_t i = 0; i < b->count; i++)
        wrong += memcmp(b->room[i], b->before[i], BURST_ROOM_OCTETS) != 0;
    return wrong;
}

/* Random bursts until so many jobs are judged, by libosmocore where judge is NULL. Returns the wrong ones. */
static size_t judge_jobs(const struct gea_engine *engine, const struct gea_engine *judge, size_t jobs)
{
    struct burst *b = burst_new();
    struct rng r;
    size_t wrong = 0;
    rng_init(&r, 9, judge == NULL);
    for (size_t done = 0; done < jobs; done += b->count) {
        size_t left = jobs - done, count = rng_between(&r, 1, MAX_BURST);
        burst_fill(b, count < left ? count : left, &r, 1, GEA_MAX_OCTETS);
        gea_cipher_burst(engine, b->jobs, b->count);
        wrong += judge == NULL ? osmocore_differs(b) : engine_differs(judge, b);
    }
    burst_free(b);
    printf("%s: %zu of %zu jobs differ from %s\n", engine->name, wrong, jobs,
           judge ? judge->name : "libosmocore");
    return wrong;
}

int main(int argc, char **argv)
{
    size_t jobs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, count, wrong = 0;
    const struct gea_engine *engines = gea_engines(&count), *ipsec_mb = gea_init("ipsec-mb", NULL);
    if (jobs == 0)
        return EXIT_FAILURE;
    for (size_t i = 0; i < count; i++) {
        if (engines[i].missing() != NULL)
            continue;
        wrong += HAVE_OSMOCORE ? judge_jobs(&engines[i], NULL, jobs) : 0;
        wrong += ipsec_mb != NULL && ipsec_mb != &engines[i] ? judge_jobs(&engines[i], ipsec_mb, jobs) : 0;
    }
    if (wrong > 0)
        return EXIT_FAILURE;
    if (!HAVE_OSMOCORE)
        return skip("libosmocore");
    return ipsec_mb == NULL ? skip("IPsec-mb") : EXIT_SUCCESS;
}
