/* SPDX-License-Identifier: BSD-3-Clause */
/* Each optional feature with each hostile input, and each two features together with all of them. */
#include "tests/unit/dataplane/shard/matrix.h"
#include "tests/unit/dataplane/shard/matrix_features.h"

#include "dataplane/base/rng.h"

#include <stdlib.h>

enum { CANDIDATES = 200, ROWS = 80, SEED = 81 };

#define ALL ((UINT32_C(1) << MATRIX_FEATURES) - 1)

/* Of two features a < b: neither, one, the other, both. */
struct covered {
    bool pairs[MATRIX_FEATURES][MATRIX_FEATURES][4];
    unsigned left;
};

static uint32_t rows[ROWS];
static unsigned row_count;

static unsigned together(uint32_t features, unsigned a, unsigned b)
{
    return (features >> a & 1) << 1 | (features >> b & 1);
}

static unsigned gain(const struct covered *c, uint32_t features)
{
    unsigned count = 0;
    for (unsigned b = 1; b < MATRIX_FEATURES; b++)
        for (unsigned a = 0; a < b; a++)
            count += !c->pairs[a][b][together(features, a, b)];
    return count;
}

static void add_row(struct covered *c, uint32_t features)
{
    c->left -= gain(c, features);
    for (unsigned b = 1; b < MATRIX_FEATURES; b++)
        for (unsigned a = 0; a < b; a++)
            c->pairs[a][b][together(features, a, b)] = true;
    assert_true(row_count < ROWS);
    rows[row_count++] = features;
}

/* None, all, then always the best of some that are drawn, until each pair is there in its four forms; then
 * each alone, and all but each. */
static void make_rows(void)
{
    struct covered c = {.left = MATRIX_FEATURES * (MATRIX_FEATURES - 1) / 2 * 4};
    struct rng rng;
    rng_init(&rng, SEED, 0);
    add_row(&c, 0);
    add_row(&c, ALL);
    while (c.left > 0) {
        uint32_t best = 0;
        for (unsigned i = 0; i < CANDIDATES; i++) {
            uint32_t drawn = (uint32_t)rng_u64(&rng) & ALL;
            best = gain(&c, drawn) > gain(&c, best) ? drawn : best;
        }
        if (gain(&c, best) > 0)
            add_row(&c, best);
    }
    for (unsigned k = 0; k < MATRIX_FEATURES; k++) {
        add_row(&c, UINT32_C(1) << k);
        add_row(&c, ALL & ~(UINT32_C(1) << k));
    }
}

static void tell_row(uint32_t features)
{
    print_message("features %05x:", features);
    for (unsigned k = 0; k < MATRIX_FEATURES; k++)
        if (features >> k & 1)
            print_message(" %s%s", matrix_features_name(k), features >> (k + 1) ? "," : "");
    print_message("\n");
}

static uint64_t frames(const struct matrix *m)
{
    return CLUSTER_SUM(&m->c, gn_frames) + CLUSTER_SUM(&m->c, gb_frames);
}

/* Whether the input's reason grew where it must. */
static bool has_grown(const struct matrix *m, const struct matrix_input *input, const uint64_t before[2])
{
    bool grew[2];
    for (unsigned port = 0; port < 2; port++)
        grew[port] = matrix_drops(m, port, input->reason) > before[port];
    if (input->is_of_esp)
        return (grew[MATRIX_GN] || !matrix_has(m, MATRIX_ESP_GN)) &&
               (grew[MATRIX_GB] || !matrix_has(m, MATRIX_ESP_GB));
    return input->reason == DROP_NONE || grew[MATRIX_GN] || grew[MATRIX_GB];
}

static void play(uint32_t features, const struct matrix_input *input)
{
    static struct matrix m;
    matrix_open(&m, features, input->name);
    const uint64_t before[] = {matrix_drops(&m, MATRIX_GN, input->reason),
                               matrix_drops(&m, MATRIX_GB, input->reason)};
    uint64_t frames_before = frames(&m);
    input->give(&m);
    if (frames(&m) == frames_before || !has_grown(&m, input, before))
        fail_msg("'%s' with features %x: no %s", input->name, features, drop_name(input->reason));
    matrix_check(&m);
    matrix_close(&m);
}

TEST(features_with_inputs)
{
    for (unsigned i = 0; i < matrix_input_count; i++)
        print_message("input %u: %s\n", i, matrix_inputs[i].name);
    for (unsigned r = 0; r < row_count; r++) {
        tell_row(rows[r]);
        for (unsigned i = 0; i < matrix_input_count; i++)
            play(rows[r], &matrix_inputs[i]);
    }
    print_message("%u configurations of %u features with %u inputs each\n", row_count, MATRIX_FEATURES,
                  matrix_input_count);
}

/* matrix_test FEATURES: only this configuration, bits in hexadecimal, as a failure names it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        rows[row_count++] = (uint32_t)strtoul(argv[1], NULL, 16);
    else
        make_rows();
    return UNIT_RUN(matrix_start, NULL);
}
