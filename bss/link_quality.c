/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/link_quality.h"

#include <assert.h>
#include <math.h>

#define DB INT64_C(1000)

enum {
    STEPS_OF_DECORRELATION = 64,
    MOST_STEPS = 16 * STEPS_OF_DECORRELATION, /* of one call; after a longer rest the state is drawn again */
    SHAPE_FROM_DB = -10,                      /* of the curve's first point, from the C/I of 10 % */
    SUMMANDS = 12,
};
#define FIRST_STREAM (UINT64_C(1) << 33) /* behind those of fading */

/* C/I of BLER 10 % in dB: TS 45.005 table 2, 900 MHz, TU3 with ideal frequency hopping; assumed. */
static const int32_t ten_percent_mdb[RADIO_CODINGS] = {
    [RADIO_CS1] = 9000,   [RADIO_CS2] = 13000,  [RADIO_CS3] = 15000,  [RADIO_CS4] = 23000,
    [RADIO_MCS1] = 9500,  [RADIO_MCS2] = 12000, [RADIO_MCS3] = 16500, [RADIO_MCS4] = 21500,
    [RADIO_MCS5] = 14500, [RADIO_MCS6] = 17000, [RADIO_MCS7] = 23500, [RADIO_MCS8] = 29000,
    [RADIO_MCS9] = 32000,
};

/* BLER in ppm at SHAPE_FROM_DB, 1 dB further, and so on; assumed. */
static const int32_t shape_ppm[] = {
    1000000, 990000, 970000, 930000, 870000, 770000, 640000, 480000, 330000, 195000, 100000,
    47000,   20500,  8500,   3400,   1350,   520,    200,    80,     30,     10,     0,
};

/* 10 lg(1 + 10^(-d/10)) in thousandths of a dB, for d = 0 dB, 1 dB and so on. */
static const int32_t gain_mdb[] = {3010, 2539, 2124, 1764, 1455, 1193, 973, 790, 639, 515, 414, 332, 266, 212,
                                   170,  135,  108,  86,   68,   54,   43,  34,  27,  22,  17,  14,  11,  9,
                                   7,    5,    4,    3,    3,    2,    2,   1,   1,   1,   1,   1,   0};

#define COUNT(array) (int64_t)(sizeof(array) / sizeof((array)[0]))

/* The table's value at `at_mdb` from its first point: straight lines between points 1 dB apart. */
static int32_t between(const int32_t *table, int64_t count, int64_t at_mdb)
{
    if (at_mdb <= 0)
        return table[0];
    int64_t i = at_mdb / DB;
    if (i >= count - 1)
        return table[count - 1];
    return (int32_t)(table[i] + (table[i + 1] - table[i]) * (at_mdb % DB) / DB);
}

int32_t link_quality_ten_percent_mdb(enum radio_coding coding)
{
    return ten_percent_mdb[coding];
}

uint32_t link_quality_bler_ppm(const struct radio_link_config *config, enum radio_coding coding,
                               int64_t ci_mdb)
{
    int64_t from_mdb = ten_percent_mdb[coding] + config->shift_mdb[coding] + SHAPE_FROM_DB * DB;
    return (uint32_t)between(shape_ppm, COUNT(shape_ppm), ci_mdb - from_mdb);
}

int32_t link_quality_sum_mdb(int32_t one_mdb, int32_t other_mdb)
{
    int32_t more = one_mdb > other_mdb ? one_mdb : other_mdb,
            less = one_mdb > other_mdb ? other_mdb : one_mdb;
    return more + between(gain_mdb, COUNT(gain_mdb), (int64_t)more - less);
}

void link_quality_params_init(struct link_quality_params *params, const struct radio_link_config *config)
{
    int64_t blocks = config->decorrelation_ns / STEPS_OF_DECORRELATION / RADIO_BLOCK_NS;
    params->step_ns = (blocks ? blocks : 1) * RADIO_BLOCK_NS;
    double keep =
        config->decorrelation_ns ? exp(-(double)params->step_ns / (double)config->decorrelation_ns) : 0;
    params->keep_q30 = llround(keep * (1 << 30));
    params->noise_q30 = llround(sqrt(1 - keep * keep) * (1 << 30));
}

/* Normal with deviation 1: the sum of twelve numbers of 16 bits has the deviation 2^16. */
static int64_t normal_q20(struct rng *rng)
{
    int64_t sum = -SUMMANDS * 65535 / 2;
    for (int i = 0; i < SUMMANDS / 4; i++) {
        uint64_t drawn = rng_u64(rng);
        for (int part = 0; part < 4; part++, drawn >>= 16)
            sum += (int64_t)(drawn & 0xffff);
    }
    return sum * 16;
}

static int64_t scaled_mdb(int32_t deviation_mdb, int64_t deviations_q20)
{
    return deviation_mdb * deviations_q20 / (1 << 20);
}

void link_quality_init(struct link_quality *quality, const struct radio_link_config *config, uint64_t seed,
                       uint32_t tlli)
{
    *quality = (struct link_quality){.own_mean_mdb = LINK_QUALITY_OF_CELL};
    rng_init(&quality->rng, seed, FIRST_STREAM + tlli);
    quality->own_mdb = (int32_t)scaled_mdb(config->spread_mdb, normal_q20(&quality->rng));
    quality->shadow_q20 = normal_q20(&quality->rng);
}

static void play_shadowing(struct link_quality *quality, const struct link_quality_params *params,
                           int64_t now)
{
    int64_t step = now / params->step_ns;
    if (step - quality->step > MOST_STEPS) {
        quality->shadow_q20 = normal_q20(&quality->rng);
        quality->step = step;
    }
    for (; quality->step < step; quality->step++) {
        int64_t sum = params->keep_q30 * quality->shadow_q20 + params->noise_q30 * normal_q20(&quality->rng);
        quality->shadow_q20 = (sum + (1 << 29)) / (1 << 30);
    }
}

/* The cell's mean at `now`: that of the last step that has begun, or the fixed one. */
static int32_t mean_mdb(const struct radio_link_config *config, int64_t now)
{
    int64_t at_ns = now - config->start_ns;
    size_t low = 0, high = config->step_count;
    if (config->repeat_ns && at_ns > 0)
        at_ns %= config->repeat_ns;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (config->steps[middle].from_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? config->steps[low - 1].ci_mdb : config->mean_mdb;
}

int32_t link_quality_ci_mdb(struct link_quality *quality, const struct link_quality_params *params,
                            const struct radio_link_config *config, enum radio_way way, int64_t now)
{
    int64_t ci_mdb =
        quality->own_mean_mdb == LINK_QUALITY_OF_CELL ? mean_mdb(config, now) : quality->own_mean_mdb;
    if (config->shadowing_mdb) {
        play_shadowing(quality, params, now);
        ci_mdb += scaled_mdb(config->shadowing_mdb, quality->shadow_q20);
    }
    return (int32_t)(ci_mdb + quality->own_mdb + (way == RADIO_UP ? config->up_offset_mdb : 0));
}
