/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of phones at GMM and SM in a Lua state (rig.h). phones.py has the usage. */
#include "bench/live/rig.h"

#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVERY_NS  (MOMENT_SECOND / 2000) /* virtual time between phones */
#define EXPIRY_NS (2 * 3600 * MOMENT_SECOND)

static double in_ms(int64_t ns)
{
    return (double)ns / (MOMENT_SECOND / 1000);
}

/* --- figures: one line each, name and value --- */

static void print(const char *name, double value)
{
    printf("%s %.3f\n", name, value);
    fflush(stdout);
}

static double in_mib(uint64_t octets)
{
    return (double)octets / (1 << 20);
}

/* New phones, 2000 a second of virtual time; prints how many a second of processor time. */
static void attach_all(struct rig *rig, uint32_t phones)
{
    for (uint32_t slot = 0; slot < phones; slot++) {
        rig->core.now += EVERY_NS;
        rig_advance(rig);
        rig_attach(rig, slot);
        rig_activate(rig, slot);
    }
    print("attach_per_s", (double)phones * MOMENT_SECOND / (double)rig->busy_ns);
    print("attach_longest_ms", in_ms(rig->longest_ns[RIG_INPUT]));
}

/* Every tenth phone detaches and attaches again; the collection has a step after each phone. */
static void update_all(struct rig *rig, uint32_t phones, uint32_t updates)
{
    rig_reset(rig);
    for (uint32_t i = 0; i < updates; i++) {
        uint32_t slot = (uint32_t)((uint64_t)i * 48271 % phones);
        rig->core.now += EVERY_NS;
        rig_advance(rig);
        if (i % 10 != 0) {
            rig_update(rig, slot);
        } else {
            rig_detach(rig, slot);
            rig_attach(rig, slot);
            rig_activate(rig, slot);
        }
        rig_tidy(rig);
    }
    print("update_per_s", (double)updates * MOMENT_SECOND / (double)rig->busy_ns);
    print("update_longest_ms", in_ms(rig->longest_ns[RIG_INPUT]));
    print("update_tidy_longest_ms", in_ms(rig->longest_ns[RIG_TIDY]));
}

/* The timers of all phones are due at once. */
static void expire_all(struct rig *rig)
{
    rig_reset(rig);
    rig->core.now += EXPIRY_NS;
    while (lua_object_next_ns(&rig->core.objects[CORE_OBJECT_phones]) <= rig->core.now)
        rig_advance(rig);
    print("advance_longest_ms", in_ms(rig->longest_ns[RIG_ADVANCE]));
}

static void attach(struct rig *rig, const uint32_t *values)
{
    attach_all(rig, values[0]);
}

static void phones_load_hold(struct rig *rig, const uint32_t *values)
{
    uint64_t empty = rig_collect(rig);
    attach_all(rig, values[0]);
    print("allocated_mib", in_mib(lua_host_octets(rig->L)));
    rig_reset(rig);
    while (rig_tidy(rig))
        ;
    print("tidy_longest_ms", in_ms(rig->longest_ns[RIG_TIDY]));
    update_all(rig, values[0], values[1]);
    print("lua_mib", in_mib(rig_collect(rig) - empty));
    print("records_mib", in_mib(rig->records.octets));
    expire_all(rig);
}

static int64_t resident_octets(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        rig_die("no /proc/self/statm");
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void print_each(const char *name, double all, uint32_t phones)
{
    print(name, all / phones);
}

/* The phones all attach, live through a restart of control, and leave. */
static void life(struct rig *rig, const uint32_t *values)
{
    uint32_t phones = values[0], known = 0, left = 0;
    uint64_t empty = rig_collect(rig);
    int64_t lua = (int64_t)lua_host_octets(rig->L), resident = resident_octets();
    attach_all(rig, phones);
    print_each("hlr_octets", (double)rig->hlr_octets, phones);
    lua = (int64_t)lua_host_octets(rig->L) - lua;
    print_each("c_octets", (double)(resident_octets() - resident - lua), phones);
    print_each("lua_octets", (double)(rig_collect(rig) - empty), phones);
    print_each("record_octets", (double)rig->records.octets, phones);
    rig_restart(rig);
    rig_update(rig, 0);
    print("restart_ms", in_ms(rig->busy_ns));
    for (uint32_t slot = 0; slot < phones; slot++)
        known += rig_knows(rig, slot);
    print("known", known);
    rig_reset(rig);
    for (uint32_t slot = 0; slot < phones; slot++) {
        rig->core.now += EVERY_NS;
        rig_advance(rig);
        rig_leave(rig, slot);
    }
    print("detach_per_s", (double)phones * MOMENT_SECOND / (double)rig->busy_ns);
    for (uint32_t slot = 0; slot < phones; slot++)
        left += rig_knows(rig, slot);
    print("left", left);
}

/* The phones before the flood leave again: Lua's memory and the CPU's caches are in use. */
static void flood(struct rig *rig, const uint32_t *values)
{
    for (uint32_t slot = 0; slot < values[0] * 10; slot++)
        rig_attach(rig, slot);
    for (uint32_t slot = 0; slot < values[0] * 10; slot++)
        rig_detach(rig, slot);
    print("flood_ms", rig_flood_ms(rig, values[0], values[1], values[2]));
}

static const struct {
    const char *name;
    void (*measure)(struct rig *rig, const uint32_t *values);
} figures[] = {{"attach", attach}, {"hold", phones_load_hold}, {"life", life}, {"flood", flood}};

/* phones_load FILE FIGURE NUMBER NUMBER NUMBER, for phones.py */
int main(int argc, char **argv)
{
    uint32_t values[3] = {0};
    if (argc != 6)
        rig_die("phones.py runs it");
    for (int i = 0; i < 3; i++)
        values[i] = (uint32_t)strtoul(argv[3 + i], NULL, 10);
    static struct rig rig; /* until the end of the process */
    rig_init(&rig, argv[1]);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (strcmp(figures[i].name, argv[2]) == 0)
            figures[i].measure(&rig, values);
    if (rig.wrong > 0)
        rig_die("phones were not answered");
    return 0;
}
