/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_sketch.h"

#include <stdlib.h>
#include <string.h>

static void thin(struct gi_sketch *s)
{
    s->stride *= 2;
    s->kept /= 2;
    for (uint32_t i = 0; i < s->kept; i++)
        s->values[i] = s->values[i + i];
}

void gi_sketch_add(struct gi_sketch *s, double value)
{
    if (s->stride == 0)
        s->stride = 1;
    if (s->kept == GI_SKETCH_VALUES)
        thin(s);
    if (s->count++ % s->stride == 0)
        s->values[s->kept++] = (float)value;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double gi_sketch_median(const struct gi_sketch *s)
{
    float sorted[GI_SKETCH_VALUES];
    if (s->kept == 0)
        return 0;
    memcpy(sorted, s->values, s->kept * sizeof(sorted[0]));
    qsort(sorted, s->kept, sizeof(sorted[0]), compare);
    uint32_t half = s->kept / 2;
    return s->kept % 2 ? (double)sorted[half] : ((double)sorted[half - 1] + (double)sorted[half]) / 2;
}
