/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/timeline.h"

#include "dataplane/base/moment.h"

static void advance(struct capture_timeline *t, int64_t gap_ns)
{
    t->last_ns = moment_min(moment_add(t->last_ns, gap_ns), CAPTURE_TIMELINE_LAST_NS);
}

int64_t capture_timeline_put(struct capture_timeline *t, int64_t at_ns)
{
    if (!t->has_begun) {
        t->has_begun = true;
        t->first_ns = t->last_ns = moment_min(at_ns, CAPTURE_TIMELINE_LAST_NS);
        return t->last_ns;
    }
    __int128_t gap_ns = (__int128_t)at_ns - t->leapt_ns - t->last_ns;
    if (gap_ns > t->silence_ns || gap_ns < -(__int128_t)t->back_ns) {
        advance(t, gap_ns > 0 ? t->set_ns : 0);
        t->leapt_ns = at_ns - t->last_ns;
        t->steps++;
    } else if (gap_ns < 0) {
        t->steps++;
    } else {
        advance(t, (int64_t)gap_ns);
    }
    return t->last_ns;
}
