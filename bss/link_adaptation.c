/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/link_adaptation.h"
#include "bss/link_quality.h"

#include <assert.h>

#define ONE_Q20 (INT64_C(1) << 20)

enum { FAMILY = 3 };

/* The schemes in which an RLC block may be repeated, greatest first; MCS-8 in MCS-6 and -3 with padding. */
static const struct {
    unsigned count;
    enum radio_coding codings[FAMILY];
} families[RADIO_CODINGS] = {
    [RADIO_CS1] = {1, {RADIO_CS1}},
    [RADIO_CS2] = {1, {RADIO_CS2}},
    [RADIO_CS3] = {1, {RADIO_CS3}},
    [RADIO_CS4] = {1, {RADIO_CS4}},
    [RADIO_MCS1] = {1, {RADIO_MCS1}},
    [RADIO_MCS2] = {1, {RADIO_MCS2}},
    [RADIO_MCS3] = {1, {RADIO_MCS3}},
    [RADIO_MCS4] = {2, {RADIO_MCS4, RADIO_MCS1}},
    [RADIO_MCS5] = {3, {RADIO_MCS7, RADIO_MCS5, RADIO_MCS2}},
    [RADIO_MCS6] = {3, {RADIO_MCS9, RADIO_MCS6, RADIO_MCS3}},
    [RADIO_MCS7] = {3, {RADIO_MCS7, RADIO_MCS5, RADIO_MCS2}},
    [RADIO_MCS8] = {3, {RADIO_MCS8, RADIO_MCS6, RADIO_MCS3}},
    [RADIO_MCS9] = {3, {RADIO_MCS9, RADIO_MCS6, RADIO_MCS3}},
};

void link_adaptation_init(struct link_adaptation *adaptation, const struct radio_link_config *config)
{
    *adaptation = (struct link_adaptation){.coding = config->initial, .tbf_ns = INT64_MAX};
}

enum radio_coding link_adaptation_best(const struct radio_config *config, int64_t ci_mdb)
{
    enum radio_coding greatest = config->coding;
    enum radio_coding best = greatest > RADIO_CS4 ? RADIO_MCS1 : RADIO_CS1;
    int64_t most = 0;
    for (enum radio_coding coding = best; coding <= greatest; coding++) {
        int64_t good = radio_coding_payload_octets(coding) *
                       (1000000 - (int64_t)link_quality_bler_ppm(&config->link, coding, ci_mdb));
        if (good <= most)
            continue;
        most = good;
        best = coding;
    }
    return best;
}

uint64_t link_adaptation_good_ppm(const struct link_adaptation *adaptation, const struct radio_config *config)
{
    int32_t ci_mdb = link_adaptation_filtered_mdb(adaptation);
    uint64_t good_ppm = 1000000;
    if (adaptation->weight_q20)
        good_ppm -= (uint64_t)link_quality_bler_ppm(&config->link, adaptation->coding, ci_mdb);
    return radio_coding_payload_octets(adaptation->coding) * good_ppm /
           radio_coding_payload_octets(config->coding);
}

static void take_report(struct link_adaptation *adaptation, const struct radio_config *config)
{
    int32_t ci_mdb = link_adaptation_filtered_mdb(adaptation), half_mdb = config->link.hysteresis_mdb / 2;
    enum radio_coding up = link_adaptation_best(config, (int64_t)ci_mdb - half_mdb),
                      down = link_adaptation_best(config, (int64_t)ci_mdb + half_mdb);
    if (up > adaptation->coding)
        adaptation->coding = up;
    else if (down < adaptation->coding)
        adaptation->coding = down;
}

enum radio_coding link_adaptation_turn(struct link_adaptation *adaptation, const struct radio_config *config,
                                       int64_t tbf_ns, int64_t now)
{
    if (!config->link.is_adaptive)
        return config->coding;
    if (adaptation->tbf_ns != tbf_ns) {
        adaptation->tbf_ns = tbf_ns;
        adaptation->report_ns = now + config->link.report_ns;
        adaptation->weight_q20 = 0;
    }
    if (now >= adaptation->report_ns) {
        adaptation->report_ns = now + config->link.report_ns;
        if (adaptation->weight_q20)
            take_report(adaptation, config);
    }
    return adaptation->coding;
}

/* factor^n */
static int64_t power_q20(int64_t factor_q20, int64_t n)
{
    int64_t product = ONE_Q20;
    for (; n > 0; n >>= 1, factor_q20 = factor_q20 * factor_q20 >> 20)
        if (n & 1)
            product = product * factor_q20 >> 20;
    return product;
}

void link_adaptation_sample(struct link_adaptation *adaptation, const struct radio_config *config,
                            int32_t ci_mdb, int64_t now)
{
    int64_t block_ns = radio_block_ns(config);
    int64_t e_q20 = config->link.t_avg_ns > block_ns ? block_ns * ONE_Q20 / config->link.t_avg_ns : ONE_Q20;
    if (!adaptation->weight_q20)
        adaptation->filtered_q8 = (int64_t)ci_mdb * 256;
    else if (adaptation->sample_ns == now)
        return;
    int64_t kept_q20 = power_q20(ONE_Q20 - e_q20, (now - adaptation->sample_ns) / block_ns);
    adaptation->weight_q20 = (adaptation->weight_q20 * kept_q20 >> 20) + e_q20;
    adaptation->filtered_q8 +=
        ((int64_t)ci_mdb * 256 - adaptation->filtered_q8) * e_q20 / adaptation->weight_q20;
    adaptation->sample_ns = now;
}

int32_t link_adaptation_filtered_mdb(const struct link_adaptation *adaptation)
{
    return (int32_t)(adaptation->filtered_q8 / 256);
}

enum radio_coding link_adaptation_repeat(enum radio_coding first, enum radio_coding command, bool can_split)
{
    enum radio_coding found = first;
    for (unsigned i = 0; i < families[first].count; i++) {
        enum radio_coding coding = families[first].codings[i];
        if (!can_split && radio_coding_rlc_octets(coding) < radio_coding_rlc_octets(first))
            break;
        found = coding;
        if (coding <= command)
            break;
    }
    return found;
}
