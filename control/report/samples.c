/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/samples.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CAP = 8 };

void samples_add(struct samples *s, int64_t ns)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : FIRST_CAP;
        s->ns = reallocarray(s->ns, s->cap, sizeof(*s->ns));
        if (!s->ns) {
            fprintf(stderr, "gbflow: out of memory for samples\n");
            exit(1);
        }
    }
    s->ns[s->count++] = ns;
    s->is_sorted = false;
}

void samples_free(struct samples *s)
{
    free(s->ns);
    *s = (struct samples){0};
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t samples_quantile_ns(struct samples *s, unsigned percent)
{
    if (!s->is_sorted)
        qsort(s->ns, s->count, sizeof(*s->ns), compare);
    s->is_sorted = true;
    return s->ns[(s->count * percent + 99) / 100 - 1];
}

int64_t samples_mean_ns(const struct samples *s)
{
    __int128 sum = 0;
    assert(s->count > 0);
    for (size_t i = 0; i < s->count; i++)
        sum += s->ns[i];
    return (int64_t)(sum / (__int128)s->count);
}
