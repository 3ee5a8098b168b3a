/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_period.h"

double gi_period_finish(struct gi_period *p, const struct gi_limits *limits)
{
    uint32_t octets = p->end_place - p->start_place, lost = p->end_lost - p->start_lost;
    bool is_rate =
        p->is_open && p->end_ns > p->start_ns && lost < octets && octets - lost >= limits->period_octets;
    p->is_open = false;
    return is_rate ? 8e9 * (double)(octets - lost) / (double)(p->end_ns - p->start_ns) : 0;
}

double gi_period_break(struct gi_period *p, uint32_t top, const struct gi_limits *limits)
{
    p->is_recovering = true;
    p->recover = top;
    return gi_period_finish(p, limits);
}

double gi_period_acked(struct gi_period *p, const struct gi_period_ack *a, const struct gi_limits *limits)
{
    if (p->is_recovering) {
        p->is_recovering = (int32_t)(a->ack - p->recover) < 0;
        return 0;
    }
    bool is_full = a->flight_octets > limits->flight_octets;
    if (a->is_exact) {
        p->end_ns = a->at_ns;
        p->end_place = a->place;
        p->end_lost = a->lost;
    }
    if (!p->is_open && a->is_exact && is_full) {
        p->is_open = true;
        p->start_ns = a->at_ns;
        p->start_place = a->place;
        p->start_lost = a->lost;
    }
    return is_full ? 0 : gi_period_finish(p, limits);
}
