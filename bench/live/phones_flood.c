/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/phones_flood.h"

#include "bench/live/phones_rig.h"
#include "dataplane/base/moment.h"

#include <stdlib.h>

#define FIRST_STRANGER 1000000u

struct flood {
    struct phones_rig *rig;
    int64_t *due_ns; /* of each message of the phones, in order: requests, then the answers to ACCEPTs */
    uint32_t phones, taken, due;
    int64_t every_ns, next_ns; /* of the flood */
    uint32_t strangers;
};

/* Serves what `busy_ns` tells the time of. */
static void spend(struct flood *flood, int64_t busy_ns)
{
    flood->rig->now += flood->rig->busy_ns - busy_ns;
}

/* Time until the next message: timers, then garbage. */
static void wait_until(struct flood *flood, int64_t at_ns)
{
    struct phones_rig *rig = flood->rig;
    while (rig->now < at_ns) {
        int64_t busy_ns = rig->busy_ns, timer_ns = lua_object_next_ns(&rig->phones.object);
        bool has_more = timer_ns <= rig->now;
        if (has_more)
            phones_rig_advance(rig);
        else
            has_more = phones_rig_tidy(rig);
        spend(flood, busy_ns);
        if (!has_more)
            rig->now = moment_max(rig->now, moment_min(at_ns, timer_ns));
    }
}

static void take_stranger(struct flood *flood)
{
    int64_t busy_ns = flood->rig->busy_ns;
    phones_rig_knock(flood->rig, FIRST_STRANGER + flood->strangers++, PHONES_RIG_CELL);
    flood->next_ns += flood->every_ns;
    spend(flood, busy_ns);
}

static void take_phone(struct flood *flood)
{
    struct phones_rig *rig = flood->rig;
    int64_t busy_ns = rig->busy_ns;
    uint32_t phone = flood->taken++;
    if (phone < flood->phones)
        rig->wrong += !phones_rig_knock(rig, phone, PHONES_RIG_OTHER_CELL);
    else
        phones_rig_complete(rig, phone - flood->phones, PHONES_RIG_OTHER_CELL);
    spend(flood, busy_ns);
    if (phone < flood->phones)
        flood->due_ns[flood->due++] = rig->now;
}

static void run(struct flood *flood)
{
    while (flood->taken < 2 * flood->phones) {
        int64_t phone_ns = flood->due_ns[flood->taken];
        int64_t next_ns = flood->every_ns ? flood->next_ns : MOMENT_NEVER;
        wait_until(flood, moment_min(phone_ns, next_ns));
        if (phone_ns <= next_ns)
            take_phone(flood);
        else
            take_stranger(flood);
    }
}

double phones_flood_ms(uint32_t phones, uint32_t flood_pps, uint32_t before_s)
{
    int64_t begin_ns = MOMENT_SECOND, phones_ns = begin_ns + before_s * MOMENT_SECOND;
    struct flood flood = {.rig = phones_rig_new(false),
                          .due_ns = calloc(2 * (size_t)phones, sizeof(int64_t)),
                          .phones = phones,
                          .due = phones,
                          .every_ns = flood_pps ? MOMENT_SECOND / flood_pps : 0,
                          .next_ns = begin_ns};
    if (!flood.due_ns)
        abort();
    for (uint32_t i = 0; i < phones; i++)
        flood.due_ns[i] = phones_ns;
    flood.rig->now = begin_ns;
    run(&flood);
    double took_ms = (double)(flood.rig->now - phones_ns) / (MOMENT_SECOND / 1000);
    took_ms = flood.rig->wrong ? 0 : took_ms;
    phones_rig_free(flood.rig);
    free(flood.due_ns);
    return took_ms;
}
