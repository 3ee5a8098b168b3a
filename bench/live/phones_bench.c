/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones' load on a node's control plane: attaches a second, memory, the longest call, and a flood in another
 * cell. */
#include "bench/live/phones_flood.h"
#include "bench/live/phones_rig.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB          1048576.0
#define ROUNDS_MOST  99
#define EVERY_NS     (MOMENT_SECOND / 2000) /* virtual time between phones */
#define EXPIRY_NS    (2 * 3600 * MOMENT_SECOND)
#define FLOOD_PHONES 100

static const char usage[] =
    "usage: phones_bench [--rounds N] [--phones N] [--updates N] [--policy NAME] [FIGURE...]\n"
    "\n"
    "GMM and SM of a node in its Lua state, with phones, HLR and GGSN that answer at once. Workers,\n"
    "GTP-C and TCP are not there. Times are processor time of the thread.\n"
    "\n"
    "  rate    attaches with activation of a context, a second and core, from an empty node\n"
    "  large   memory of --phones registered phones with a context each, and the longest call\n"
    "          while they attach, while they update (--updates) and when their timers expire\n"
    "  flood   100 phones attach in a cell: time until all have, with and without 10000 requests\n"
    "          a second of new phones in another cell\n"
    "\n"
    "  --rounds N     of each figure, 1 to 99, default 5\n"
    "  --phones N     default 100000; of `rate` a twentieth\n"
    "  --updates N    default 20000\n"
    "  --policy NAME  only \"accept_all\" or only \"hlr\"\n"
    "\n"
    "Prints median, least and most of the rounds beside the goal. Exit status: 0; 1 a phone was\n"
    "not answered; 2 bad usage. Goals are not judged.\n";

struct options {
    unsigned rounds;
    uint32_t phones, updates;
    bool has_policy[2]; /* accept_all, hlr */
    bool has_rate, has_large, has_flood;
};

static const char *const policies[] = {"accept_all", "hlr"};

/* --- figures --- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct figure {
    char name[64];
    const char *goal; /* "" : none */
    double values[ROUNDS_MOST];
};

static void print_head(void)
{
    printf("%-56s %10s %10s %10s  %s\n", "figure", "median", "least", "most", "goal");
}

static void print_figure(struct figure *figure, unsigned rounds)
{
    double *values = figure->values;
    qsort(values, rounds, sizeof(*values), compare);
    double median = (values[(rounds - 1) / 2] + values[rounds / 2]) / 2;
    printf("%-56s %10.2f %10.2f %10.2f  %s\n", figure->name, median, values[0], values[rounds - 1],
           figure->goal);
    fflush(stdout);
}

static struct figure *figure_new(const char *goal, const char *policy, const char *name)
{
    struct figure *figure = calloc(1, sizeof(*figure));
    if (!figure)
        exit(1);
    snprintf(figure->name, sizeof(figure->name), "%s: %s", policy, name);
    figure->goal = goal;
    return figure;
}

static void print_count(void *unused_arg, const char *name, uint64_t count)
{
    (void)unused_arg;
    fprintf(stderr, "  %s %llu\n", name, (unsigned long long)count);
}

static void end_rig(struct phones_rig *rig)
{
    if (rig->wrong) {
        fprintf(stderr, "phones_bench: %llu answers did not come\n", (unsigned long long)rig->wrong);
        lua_phones_counts(&rig->phones, NULL, print_count);
        exit(1);
    }
    phones_rig_free(rig);
}

/* --- rate --- */

static void add_phones(struct phones_rig *rig, uint32_t count)
{
    for (uint32_t slot = 0; slot < count; slot++) {
        rig->now += EVERY_NS;
        phones_rig_advance(rig);
        phones_rig_attach(rig, slot, PHONES_RIG_CELL);
        phones_rig_activate(rig, slot, PHONES_RIG_CELL);
    }
}

static void measure_rate(const struct options *o, bool has_hlr)
{
    struct figure *rate = figure_new(">= 2000", policies[has_hlr], "attach and activate, 1/s and core");
    uint32_t phones = o->phones / 20 + 1;
    for (unsigned i = 0; i < o->rounds; i++) {
        struct phones_rig *rig = phones_rig_new(has_hlr);
        add_phones(rig, phones);
        rate->values[i] = (double)phones * MOMENT_SECOND / (double)rig->busy_ns;
        end_rig(rig);
    }
    print_figure(rate, o->rounds);
    free(rate);
}

/* --- memory, and the longest call --- */

enum {
    LARGE_RATE,
    LARGE_LUA,
    LARGE_ALLOCATED,
    LARGE_RECORDS,
    LARGE_ATTACH,
    LARGE_TIDY_ATTACH,
    LARGE_UPDATE,
    LARGE_TIDY_UPDATE,
    LARGE_EXPIRY,
    LARGE_FIGURES
};

static const struct {
    const char *name, *goal;
} large_figures[LARGE_FIGURES] = {
    [LARGE_RATE] = {"attach and activate, 1/s, with all phones", ""},
    [LARGE_LUA] = {"Lua's objects, MiB", "<= 250"},
    [LARGE_ALLOCATED] = {"allocated by Lua before collection, MiB", ""},
    [LARGE_RECORDS] = {"records in C, MiB", ""},
    [LARGE_ATTACH] = {"longest call while phones attach, ms", "<= 5"},
    [LARGE_TIDY_ATTACH] = {"longest idle step after it, ms", "<= 5"},
    [LARGE_UPDATE] = {"longest call while phones update, ms", "<= 5"},
    [LARGE_TIDY_UPDATE] = {"longest idle step meanwhile, ms", "<= 5"},
    [LARGE_EXPIRY] = {"longest advance when all timers are due, ms", "<= 5"},
};

static double in_ms(int64_t ns)
{
    return (double)ns / (MOMENT_SECOND / 1000);
}

static double longest_input(const struct phones_rig *rig)
{
    return in_ms(moment_max(rig->longest_ns[PHONES_RIG_INPUT], rig->longest_ns[PHONES_RIG_ADVANCE]));
}

static void attach_all(struct phones_rig *rig, uint32_t phones, double *out)
{
    phones_rig_reset(rig);
    add_phones(rig, phones);
    out[LARGE_RATE] = (double)phones * MOMENT_SECOND / (double)rig->busy_ns;
    out[LARGE_ATTACH] = longest_input(rig);
    phones_rig_reset(rig);
    while (phones_rig_tidy(rig))
        ;
    out[LARGE_TIDY_ATTACH] = in_ms(rig->longest_ns[PHONES_RIG_TIDY]);
}

/* Every tenth phone detaches and attaches again; the collection has a step after each phone. */
static void update_all(struct phones_rig *rig, const struct options *o, double *out)
{
    phones_rig_reset(rig);
    for (uint32_t i = 0; i < o->updates; i++) {
        uint32_t slot = (uint32_t)((uint64_t)i * 48271 % o->phones);
        rig->now += EVERY_NS;
        phones_rig_advance(rig);
        if (i % 10 == 0) {
            phones_rig_detach(rig, slot, PHONES_RIG_CELL);
            phones_rig_attach(rig, slot, PHONES_RIG_CELL);
            phones_rig_activate(rig, slot, PHONES_RIG_CELL);
        } else {
            phones_rig_update(rig, slot, PHONES_RIG_CELL);
        }
        phones_rig_tidy(rig);
    }
    out[LARGE_UPDATE] = longest_input(rig);
    out[LARGE_TIDY_UPDATE] = in_ms(rig->longest_ns[PHONES_RIG_TIDY]);
}

static void expire_all(struct phones_rig *rig, double *out)
{
    phones_rig_reset(rig);
    rig->now += EXPIRY_NS;
    while (lua_object_next_ns(&rig->phones.object) <= rig->now)
        phones_rig_advance(rig);
    out[LARGE_EXPIRY] = in_ms(rig->longest_ns[PHONES_RIG_ADVANCE]);
}

static void large_round(const struct options *o, bool has_hlr, double *out)
{
    struct phones_rig *rig = phones_rig_new(has_hlr);
    uint64_t empty = phones_rig_collect(rig);
    attach_all(rig, o->phones, out);
    out[LARGE_ALLOCATED] = (double)lua_host_octets(rig->L) / MIB;
    update_all(rig, o, out);
    out[LARGE_LUA] = (double)(phones_rig_collect(rig) - empty) / MIB;
    out[LARGE_RECORDS] = (double)rig->records.octets / MIB;
    expire_all(rig, out);
    end_rig(rig);
}

static void measure_large(const struct options *o, bool has_hlr)
{
    struct figure *figures[LARGE_FIGURES];
    double values[LARGE_FIGURES];
    for (unsigned f = 0; f < LARGE_FIGURES; f++)
        figures[f] = figure_new(large_figures[f].goal, policies[has_hlr], large_figures[f].name);
    for (unsigned i = 0; i < o->rounds; i++) {
        large_round(o, has_hlr, values);
        for (unsigned f = 0; f < LARGE_FIGURES; f++)
            figures[f]->values[i] = values[f];
    }
    for (unsigned f = 0; f < LARGE_FIGURES; f++) {
        print_figure(figures[f], o->rounds);
        free(figures[f]);
    }
}

/* --- flood --- */

/* The flood begins so many seconds before the phones. */
static void measure_flood(const struct options *o, unsigned before_s)
{
    char name[48];
    snprintf(name, sizeof(name), "time with the flood since %u s, of that without", before_s);
    struct figure *figure = figure_new("<= 2", policies[0], name);
    for (unsigned i = 0; i < o->rounds; i++) {
        double quiet = phones_flood_ms(FLOOD_PHONES, 0, before_s),
               loud = phones_flood_ms(FLOOD_PHONES, 10000, before_s);
        figure->values[i] = loud / quiet;
    }
    print_figure(figure, o->rounds);
    free(figure);
}

static void measure(const struct options *o)
{
    static const unsigned before_s[] = {0, 1, 6, 31};
    print_head();
    for (int has_hlr = 0; has_hlr < 2; has_hlr++) {
        if (o->has_rate && o->has_policy[has_hlr])
            measure_rate(o, has_hlr);
        if (o->has_large && o->has_policy[has_hlr])
            measure_large(o, has_hlr);
    }
    for (size_t i = 0; o->has_flood && i < sizeof(before_s) / sizeof(before_s[0]); i++)
        measure_flood(o, before_s[i]);
}

/* --- options --- */

static _Noreturn void refuse(void)
{
    fputs(usage, stderr);
    exit(2);
}

static uint32_t number(const char *text, long min, long max)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end || value < min || value > max) {
        fprintf(stderr, "phones_bench: '%s' is not a number from %ld to %ld\n", text, min, max);
        exit(2);
    }
    return (uint32_t)value;
}

static void set_policy(struct options *o, const char *name)
{
    for (unsigned i = 0; i < 2; i++)
        o->has_policy[i] = strcmp(name, policies[i]) == 0;
    if (!o->has_policy[0] && !o->has_policy[1])
        refuse();
}

static void set_figure(struct options *o, const char *name)
{
    bool *const figures[] = {&o->has_rate, &o->has_large, &o->has_flood};
    static const char *const names[] = {"rate", "large", "flood"};
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *figures[i] = true;
            return;
        }
    refuse();
}

static void set(struct options *o, int option, const char *text)
{
    if (option == 'r')
        o->rounds = number(text, 1, ROUNDS_MOST);
    else if (option == 'p')
        o->phones = number(text, 20, 1000000);
    else if (option == 'u')
        o->updates = number(text, 0, 100000000);
    else if (option == 'y')
        set_policy(o, text);
    else
        refuse();
}

int main(int argc, char **argv)
{
    static const struct option names[] = {
        {"rounds", required_argument, NULL, 'r'},  {"phones", required_argument, NULL, 'p'},
        {"updates", required_argument, NULL, 'u'}, {"policy", required_argument, NULL, 'y'},
        {"help", no_argument, NULL, 'h'},          {0}};
    struct options o = {.rounds = 5, .phones = 100000, .updates = 20000, .has_policy = {true, true}};
    int option;
    while ((option = getopt_long(argc, argv, "h", names, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        set(&o, option, optarg);
    }
    for (int i = optind; i < argc; i++)
        set_figure(&o, argv[i]);
    if (optind == argc)
        o.has_rate = o.has_large = o.has_flood = true;
    measure(&o);
    return 0;
}
