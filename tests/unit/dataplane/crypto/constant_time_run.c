/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: constant_time_run ENGINE
 *
 * Ciphers with a key that MemorySanitizer takes for uninitialised, then with such data too: it ends the
 * program at the first branch or address that depends on them. ENGINE is one of gea_engines(), or
 * planted-load, planted-branch or planted-lone, which must be caught. Status 77: the engine cannot run here.
 * INPUT, direction and lengths are public.
 */
#include "dataplane/crypto/gea.h"

#include <sanitizer/msan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 100, LONE_JOBS = 3, DATA_OCTETS = 300, EXIT_SKIP = 77 };

static const char *nothing_missing(void)
{
    return NULL;
}

static void plant_load(const struct gea_job *jobs, size_t count)
{
    static volatile uint8_t table[256];
    for (size_t i = 0; i < count; i++)
        jobs[i].data[0] ^= table[jobs[i].key[i % GEA_KEY_OCTETS]];
}

static void plant_branch(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].key[i % GEA_KEY_OCTETS] & 1)
            jobs[i].data[0] ^= 1;
    }
}

/* Wrong for a burst of one job only. */
static void plant_lone(const struct gea_job *jobs, size_t count)
{
    if (count == 1)
        plant_load(jobs, count);
}

static const struct gea_engine planted[] = {
    {"planted-load", nothing_missing, plant_load, true},
    {"planted-branch", nothing_missing, plant_branch, true},
    {"planted-lone", nothing_missing, plant_lone, true},
};

static const struct gea_engine *find(const char *name)
{
    size_t count;
    const struct gea_engine *engines = gea_engines(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(engines[i].name, name) == 0)
            return &engines[i];
    }
    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++) {
        if (strcmp(planted[i].name, name) == 0)
            return &planted[i];
    }
    return NULL;
}

/* Also jobs by themselves: an engine may have code of its own for them. */
static void cipher(const struct gea_engine *engine, const struct gea_job *jobs)
{
    for (unsigned i = 0; i < LONE_JOBS; i++)
        gea_cipher_burst(engine, &jobs[i], 1);
    gea_cipher_burst(engine, jobs + LONE_JOBS, JOBS - LONE_JOBS);
}

/* The key's taint must arrive in every octet: a place where it got lost could hide a fault. */
static bool is_tainted(const struct gea_job *job)
{
    for (unsigned i = 0; i < job->octets; i++) {
        if (__msan_test_shadow(job->data + i, 1) != 0)
            return false;
    }
    return __msan_test_shadow(job->data + job->octets, 1) == -1;
}

int main(int argc, char **argv)
{
    static uint8_t keys[JOBS][GEA_KEY_OCTETS], data[JOBS][DATA_OCTETS];
    static struct gea_job jobs[JOBS];
    const struct gea_engine *engine = argc > 1 ? find(argv[1]) : NULL;
    if (engine == NULL)
        return EXIT_FAILURE;
    if (engine->missing() != NULL)
        return EXIT_SKIP;
    for (unsigned i = 0; i < JOBS; i++)
        jobs[i] = (struct gea_job){keys[i], data[i], i, (uint16_t)(1 + i * 7 % (DATA_OCTETS - 1)), i % 2};
    __msan_poison(keys, sizeof keys);
    cipher(engine, jobs);
    for (unsigned i = 0; i < JOBS; i++) {
        if (!is_tainted(&jobs[i]))
            return EXIT_FAILURE;
    }
    __msan_poison(data, sizeof data);
    cipher(engine, jobs);
    return EXIT_SUCCESS;
}
