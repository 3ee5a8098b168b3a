/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The portable engine takes sixteen octets a step: table k answers for an octet that k more follow, so the
 * sixteen look-ups do not wait for one another. The tables are 16 KiB and come from llc_fcs_tables.py.
 */
#include "dataplane/wire/llc_fcs_engine.h"
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
