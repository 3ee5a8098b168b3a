/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of an engine, and that a wrong one does not get past the self-test. */
#include "dataplane/crypto/gea.h"
#include "tests/unit/unit.h"

#include <string.h>

static const char *nothing_missing(void)
{
    return NULL;
}

static void portable(const struct gea_job *jobs, size_t count)
{
    gea_cipher_burst(gea_init("portable", NULL), jobs, count);
}

static void forgets_direction(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gea_job job = jobs[i];
        job.direction = GEA_DOWNLINK;
        portable(&job, 1);
    }
}

/* Right for the short and the single, which the published keystreams are. */
static void forgets_the_last(const struct gea_job *jobs, size_t count)
{
    portable(jobs, count > 1 ? count - 1 : count);
}

static void wrong_in_a_late_block(const struct gea_job *jobs, size_t count)
{
    portable(jobs, count);
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].octets > 128)
            jobs[i].data[128] ^= 1;
    }
}

static void writes_past_the_end(const struct gea_job *jobs, size_t count)
{
    portable(jobs, count);
    for (size_t i = 0; i < count && count > 1; i++)
        jobs[i].data[jobs[i].octets] ^= 1;
}

static void takes_the_first_key(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gea_job job = jobs[i];
        job.key = jobs[0].key;
        portable(&job, 1);
    }
}

static void does_nothing(const struct gea_job *jobs, size_t count)
{
}

TEST(self_test_judges)
{
    static const struct {
        void (*cipher)(const struct gea_job *jobs, size_t count);
        bool is_good;
    } rows[] = {
        {portable, true},
        {forgets_direction, false},
        {forgets_the_last, false},
        {wrong_in_a_late_block, false},
        {writes_past_the_end, false},
        {takes_the_first_key, false},
        {does_nothing, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gea_engine engine = {"probe", nothing_missing, rows[i].cipher, false};
        assert_int_equal(gea_self_test(&engine) == NULL, rows[i].is_good);
    }
}

TEST(each_engine_passes_or_says_why)
{
    size_t count;
    const struct gea_engine *engines = gea_engines(&count);
    for (size_t i = 0; i < count; i++) {
        const char *reason = "not written";
        const struct gea_engine *engine = gea_init(engines[i].name, &reason);
        const char *missing = engines[i].missing();
        if (missing == NULL) {
            assert_ptr_equal(engine, &engines[i]);
            assert_null(reason);
        } else {
            assert_null(engine);
            assert_string_equal(reason, missing);
        }
    }
}

TEST(the_first_that_runs_is_picked)
{
    size_t count, i = 0;
    const struct gea_engine *engines = gea_engines(&count);
    while (engines[i].missing() != NULL)
        i++;
    assert_ptr_equal(gea_init(NULL, NULL), &engines[i]);
}

TEST(an_unknown_name_is_refused)
{
    const char *reason = NULL;
    assert_null(gea_init("rot13", &reason));
    assert_non_null(strstr(reason, "no engine"));
    assert_null(gea_init("", NULL));
}

UNIT_MAIN(NULL, NULL)
