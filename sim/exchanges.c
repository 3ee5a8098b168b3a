/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/exchanges.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

void exchanges_free(struct exchanges *x)
{
    free(x->began_ns);
    free(x->took_ns);
    *x = (struct exchanges){0};
}

static bool make_room(struct exchanges *x)
{
    if (x->count < x->room)
        return true;
    uint32_t room = x->room ? 2 * x->room : FIRST_ROOM;
    int64_t *began_ns = reallocarray(x->began_ns, room, sizeof(*began_ns));
    if (began_ns)
        x->began_ns = began_ns;
    int64_t *took_ns = reallocarray(x->took_ns, room, sizeof(*took_ns));
    if (took_ns)
        x->took_ns = took_ns;
    if (!began_ns || !took_ns)
        return false;
    x->room = room;
    return true;
}

bool exchanges_begin(struct exchanges *x, int64_t now)
{
    if (!make_room(x))
        return false;
    x->began_ns[x->count] = now;
    x->took_ns[x->count++] = -1;
    return true;
}

int64_t exchanges_end(struct exchanges *x, uint32_t number, int64_t now)
{
    if (number >= x->count || x->took_ns[number] >= 0)
        return -1;
    return x->took_ns[number] = now - x->began_ns[number];
}
