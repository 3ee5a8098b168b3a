/* SPDX-License-Identifier: BSD-3-Clause */
/* The window of an SA against replay: see sa.h. */
#include "dataplane/esp/sa.h"

uint64_t sa_window_number(const struct sa_window *r, uint32_t low)
{
    uint32_t top_low = (uint32_t)r->top, top_high = (uint32_t)(r->top >> 32);
    if (!r->has_esn)
        return low;
    uint32_t bottom = top_low - r->size + 1; /* of the window; it may be of the 2^32 before */
    if (top_low >= r->size - 1)
        return (uint64_t)(low >= bottom ? top_high : top_high + 1) << 32 | low;
    return (uint64_t)(low >= bottom && top_high > 0 ? top_high - 1 : top_high) << 32 | low;
}

bool sa_window_is_new(const struct sa_window *r, uint64_t number)
{
    if (number > r->top)
        return true;
    if (number == 0 || r->top - number >= r->size)
        return false;
    return !(r->bits[number / SA_WINDOW_BLOCK % SA_WINDOW_BLOCKS] >> number % SA_WINDOW_BLOCK & 1);
}

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
