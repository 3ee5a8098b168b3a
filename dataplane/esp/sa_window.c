/* SPDX-License-Identifier: BSD-3-Clause */
/* The window of an SA against replay: see sa.h. */
#include "dataplane/esp/sa.h"

void sa_window_note(struct sa_window *r, uint64_t number)
{
    uint64_t first = r->top / SA_WINDOW_BLOCK + 1, last = number / SA_WINDOW_BLOCK;
    if (number > r->top) {
        uint64_t count = last + 1 - first;
        for (uint64_t i = 0; i < (count < SA_WINDOW_BLOCKS ? count : SA_WINDOW_BLOCKS); i++)
            r->bits[(last - i) % SA_WINDOW_BLOCKS] = 0;
        r->top = number;
    }
    r->bits[last % SA_WINDOW_BLOCKS] |= UINT64_C(1) << number % SA_WINDOW_BLOCK;
}
