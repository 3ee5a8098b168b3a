/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_moments.h"

#include <math.h>

void gi_moments_add(struct gi_moments *m, double value)
{
    double from = value - m->mean;
    m->count++;
    m->mean += from / (double)m->count;
    m->squares += from * (value - m->mean);
}

double gi_moments_deviation(const struct gi_moments *m)
{
    return m->count < 2 ? 0 : sqrt(m->squares / (double)(m->count - 1));
}
