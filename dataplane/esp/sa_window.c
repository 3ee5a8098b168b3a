/* SPDX-License-Identifier: BSD-3-Clause */
/* The window of an SA against replay: see sa.h. */
#include "dataplane/esp/sa.h"

void sa_window_note(struct sa_window *r, uint64_t number)
{
    uint64_t top = r->top / SA_WINDOW_BLOCK, last = number / SA_WINDOW_BLOCK;
    if (last > top) {
        uint64_t count = last - top < SA_WINDOW_BLOCKS ? last - top : SA_WINDOW_BLOCKS;
        for (uint64_t i = 0; i < count; i++)
            r->bits[(last - i) % SA_WINDOW_BLOCKS] = 0;
    }
    if (number > r->top)
        r->top = number;
    r->bits[last % SA_WINDOW_BLOCKS] |= UINT64_C(1) << number % SA_WINDOW_BLOCK;
}
