/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/strays.h"

#include "dataplane/base/moment.h"

#include <assert.h>

#define EVERY_NS    (MOMENT_SECOND / STRAYS_PER_SECOND)
#define HASH_FACTOR 0x9e3779b1u /* golden ratio */
#define HASH_SHIFT  22          /* to 10 bits */

/* Two TLLIs with one hash wait for each other: while budgets hold, few of the hashes are in use. */
static_assert(STRAYS_TLLIS == 1 << (32 - HASH_SHIFT), "a place for each hash");

static bool has_budget(const struct strays *s, uint16_t nse, int64_t now)
{
    return s->whole_ns[nse % STRAYS_NSES] - now <= MOMENT_SECOND - EVERY_NS;
}

bool strays_may_answer(struct strays *s, uint16_t nse, uint32_t tlli, int64_t now)
{
    uint32_t place = tlli * HASH_FACTOR >> HASH_SHIFT;
    int64_t *whole_ns = &s->whole_ns[nse % STRAYS_NSES];
    if (s->answered_ns[place] > now || !has_budget(s, nse, now)) {
        s->refused++;
        return false;
    }
    s->answered_ns[place] = now + STRAYS_PAUSE_NS;
    *whole_ns = (*whole_ns > now ? *whole_ns : now) + EVERY_NS;
    return true;
}
