/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sixteen octets a step: table k answers for an octet that k more follow, so the sixteen look-ups do not wait
 * for one another. The tables are 16 KiB and come from llc_fcs_tables.py.
 */
#include "dataplane/wire/llc_fcs.h"

#include "dataplane/wire/llc_fcs_tables.h"

static uint32_t update_sliced(uint32_t state, const uint8_t *p, size_t octets)
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

static uint32_t (*engine)(uint32_t state, const uint8_t *bytes, size_t octets) = update_sliced;

void llc_fcs_init(void)
{
    engine = update_sliced;
}

uint32_t llc_fcs_update(uint32_t state, const uint8_t *bytes, size_t octets)
{
    return engine(state & LLC_FCS_START, bytes, octets);
}

uint32_t llc_fcs(const uint8_t *bytes, size_t octets)
{
    return engine(LLC_FCS_START, bytes, octets) ^ LLC_FCS_START;
}
