/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of micro benchmarks: main(), its options, the table and the JSON of a list of cases.
 *
 * Model: a case is measured at each point of its axes. The sides of a point take turns, round by round, and
 * the side that begins rotates. A turn is so many calls of run() that they take turn_ms of the thread's
 * processor time, or one call of turn(), which takes the time itself. A turn of each side comes before the
 * first round and does not count. A row has median and quartiles of its rounds; where sides are compared,
 * also those of the difference to the first side in the same round.
 *
 * Errors of the setting end the program; what is wrong with a result is a fault of its row, and of the run.
 */
#ifndef BENCH_MICRO_MICRO_H
#define BENCH_MICRO_MICRO_H

#include "control/base/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MICRO_AXES        3
#define MICRO_VALUES      6
#define MICRO_SIDES       16
#define MICRO_FIGURES     12
#define MICRO_FAULT_CHARS 96

/* The values of a number that cases depend on. `--NAME LIST` replaces those of all axes of that name. */
struct micro_axis {
    const char *name;
    int64_t least, most;
    unsigned count;
    int64_t values[MICRO_VALUES];
};

#define MICRO_AXIS(name_, least_, most_, ...)                                                                \
    {                                                                                                        \
        .name = name_, .least = least_, .most = most_,                                                       \
        .count = sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .values = {                       \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

struct micro_case;

struct micro_point {
    const struct micro_case *of;
    int64_t at[MICRO_AXES]; /* values of its axes */
    unsigned side;
};

/* The figures of a row, beside times. */
struct micro_result {
    struct {
        const char *name;
        double value;
    } figures[MICRO_FIGURES];
    unsigned count;
    char fault[MICRO_FAULT_CHARS]; /* empty: none */
};

struct micro_case {
    const char *name, *item;        /* item: what an ns is of */
    const char *sides[MICRO_SIDES]; /* none: one without a name */
    struct micro_axis *axes[MICRO_AXES];
    const void *arg;                                /* for open() */
    bool compares;                                  /* the sides, with the first one */
    bool is_asked_for;                              /* measured only with --filter */
    void *(*open)(const struct micro_point *point); /* NULL: this side is not measured at this point */
    double (*run)(void *state);                     /* returns how many items it was; or, if NULL: */
    double (*turn)(void *state);                    /* ns per item */
    void (*sum_up)(void *state, struct micro_result *result); /* after the last round; NULL: nothing */
    void (*close)(void *state);
};

/* A program; each has one, `micro_program`, and no main(). */
struct micro_program {
    const char *about;
    struct micro_case *cases;
    unsigned count;
    const struct command_option *options; /* beside those of all programs and of the axes */
    unsigned option_count;
    unsigned rounds, turn_ms; /* turn_ms: of run(); 0: no case has one */
    bool is_once;             /* one turn of each side, and none before it */
    void (*begin)(void);      /* once the options are known; NULL: nothing */
};

extern const struct micro_program micro_program;

/* A case with the functions PREFIX_open and PREFIX_close; sides and axes are lists in MICRO_LIST(). */
#define MICRO_LIST(...)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define MICRO_CASE(prefix, name_, item_, sides_, axes_, ...)                                                 \
    {                                                                                                        \
        .name = name_, .item = item_, .sides = sides_, .axes = axes_, .open = prefix##_open,                 \
        .close = prefix##_close, __VA_ARGS__                                                                 \
    }

/* The program of `cases`. */
#define MICRO_PROGRAM(about_, ...)                                                                           \
    const struct micro_program micro_program = {                                                             \
        .about = about_, .cases = cases, .count = sizeof(cases) / sizeof(cases[0]), __VA_ARGS__}

/* Prints an error and ends the program. */
_Noreturn void micro_die(const char *what);

/* Ends the program unless it is there. */
static inline void micro_need(bool is_there, const char *what)
{
    if (!is_there)
        micro_die(what);
}

/* Zeros, aligned to a line of cache. Ends the program without memory. */
void *micro_memory(size_t octets);

/* Octets of the process in memory. */
uint64_t micro_resident_octets(void);

void micro_figure(struct micro_result *result, const char *name, double value);

/* Keeps the first fault. */
void micro_fault(struct micro_result *result, bool is_good, const char *fault);

/* A value that the compiler has to compute. */
#define MICRO_KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

#endif
