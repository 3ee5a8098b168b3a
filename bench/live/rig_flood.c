/* SPDX-License-Identifier: BSD-3-Clause */
/* A flood at a rig. One queue: a message waits until those before it are served, for as long as each of them
 * takes. Phones answer at once. */
#include "bench/live/rig.h"

#include "dataplane/base/moment.h"

#define PHONES_MOST 1000     /* during a flood */
#define FLOOD_FIRST 1000000u /* number of the first phone of a flood */

struct flood {
    struct rig *rig;
    int64_t due_ns[2 * PHONES_MOST]; /* of the phones' messages: requests, then answers to ACCEPTs */
    uint32_t phones, taken, due;
    int64_t every_ns, next_ns; /* of the flood */
    uint32_t unknown;
};

/* Time until the next message: timers, then garbage. */
static void wait_until(struct rig *rig, int64_t at_ns)
{
    rig_advance(rig);
    while (rig->core.now < at_ns) {
        int64_t timer_ns = lua_object_next_ns(&rig->core.objects[CORE_OBJECT_phones]);
        if (timer_ns <= rig->core.now)
            rig_advance(rig);
        else if (!rig_tidy(rig))
            rig->core.now = moment_max(rig->core.now, moment_min(at_ns, timer_ns));
    }
}

static void take_stranger(struct flood *flood)
{
    flood->rig->bvci = RIG_CELL;
    rig_knock(flood->rig, FLOOD_FIRST + flood->unknown++);
    flood->next_ns += flood->every_ns;
}

static void take_phone(struct flood *flood)
{
    struct rig *rig = flood->rig;
    uint32_t phone = flood->taken++;
    rig->bvci = RIG_OTHER_CELL;
    if (phone >= flood->phones) {
        rig_complete(rig, phone - flood->phones, 0x03);
        return;
    }
    rig->wrong += !rig_knock(rig, phone);
    flood->due_ns[flood->due++] = rig->core.now;
}

double rig_flood_ms(struct rig *rig, uint32_t phones, uint32_t flood_pps, uint32_t before_s)
{
    int64_t phones_ns = rig->core.now + before_s * MOMENT_SECOND;
    struct flood flood = {.rig = rig, .phones = phones, .due = phones, .next_ns = MOMENT_NEVER};
    if (flood_pps > 0) {
        flood.every_ns = MOMENT_SECOND / flood_pps;
        flood.next_ns = rig->core.now;
    }
    for (uint32_t i = 0; i < phones; i++)
        flood.due_ns[i] = phones_ns;
    rig->takes_time = true;
    while (flood.taken < 2 * phones) {
        int64_t phone_ns = flood.due_ns[flood.taken];
        wait_until(rig, moment_min(phone_ns, flood.next_ns));
        if (phone_ns <= flood.next_ns)
            take_phone(&flood);
        else
            take_stranger(&flood);
    }
    return (double)(rig->core.now - phones_ns) / (MOMENT_SECOND / 1000);
}
