/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_fcs.h"

#include "dataplane/wire/llc_fcs_tables.h"

uint32_t llc_fcs_sliced_update(uint32_t state, const uint8_t *p, size_t octets)
{
    for (; octets >= 16; p += 16, octets -= 16) {
        uint32_t next = tables[15][p[0] ^ (state & 255)] ^ tables[14][p[1] ^ (state >> 8 & 255)] ^
                        tables[13][p[2] ^ (state >> 16)];
        for (unsigned i = 3; i < 16; i++)
            next ^= tables[15 - i][p[i]];
        state = next;
    }
    while (octets--)
        state = state >> 8 ^ tables[0][(state ^ *p++) & 255];
    return state;
}

#ifdef __x86_64__
static bool has_clmul(void)
{
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3") &&
           __builtin_cpu_supports("sse4.1");
}

static bool has_vclmul(void)
{
    return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

unsigned llc_fcs_engines(struct llc_fcs_engine out[LLC_FCS_ENGINES_MAX])
{
    unsigned count = 0;
    out[count++] = (struct llc_fcs_engine){"sliced", llc_fcs_sliced_update};
#ifdef __x86_64__
    __builtin_cpu_init();
    if (has_clmul())
        out[count++] = (struct llc_fcs_engine){"clmul", llc_fcs_clmul_update};
    if (has_clmul() && has_vclmul())
        out[count++] = (struct llc_fcs_engine){"vclmul", llc_fcs_vclmul_update};
#endif
    return count;
}

static uint32_t (*engine)(uint32_t state, const uint8_t *bytes, size_t octets) = llc_fcs_sliced_update;

void llc_fcs_init(void)
{
    struct llc_fcs_engine engines[LLC_FCS_ENGINES_MAX];
    engine = engines[llc_fcs_engines(engines) - 1].update;
}

uint32_t llc_fcs_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    return engine(state & LLC_FCS_START, bytes, octets);
}

uint32_t llc_fcs(const uint8_t *bytes, size_t octets)
{
    return engine(LLC_FCS_START, bytes, octets) ^ LLC_FCS_START;
}
