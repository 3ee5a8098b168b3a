/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the instructions that functions execute, and the lines of cache that they touch, without hardware
 * counters: the CPU's trap flag stops the thread before each instruction (some microseconds each), and the
 * memory operands are read off the instruction and the registers.
 *
 * A step is a sequence of functions, each of which belongs to a stage. A line is counted once for each stage
 * of a step that reads or writes it, and once as new in the stage that is the first to do so. Not seen: what
 * PUSH, POP, CALL and RET write to the stack, and lines of code. A prefetch touches no line; prefetched lines
 * that the rest of the step does not touch are counted as unused.
 *
 * One account at a time, on one thread. Functions that are counted make no system call.
 */
#ifndef BENCH_ACCOUNT_ACCOUNT_H
#define BENCH_ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACCOUNT_STAGES      16
#define ACCOUNT_LINE_OCTETS 64

/* Of one stage, over all steps since account_new(). */
struct account_figures {
    uint64_t instructions;         /* a repeated string instruction counts once */
    uint64_t lines, new_lines;     /* of 64 octets; 0 without account_has_lines() */
    uint64_t watched_lines;        /* new lines in watched memory */
    uint64_t unused_prefetches;    /* lines prefetched in this stage, and not touched later in the step */
    uint64_t unknown_instructions; /* not decoded: their lines are not counted */
};

struct account;

/* Whether this CPU's instructions can be counted, and whether this build can count lines (Capstone). */
bool account_is_possible(void);
bool account_has_lines(void);

/* Handles SIGTRAP until account_free(). Counts lines, too, if it can and has_lines. NULL: not possible, or
 * out of memory. */
struct account *account_new(bool has_lines);
void account_free(struct account *account);

/* Counts new lines in this memory as watched, too; ACCOUNT_WATCHES at most, further ones are not. */
#define ACCOUNT_WATCHES 2
void account_watch(struct account *account, const void *first, size_t octets);

/* A new step: no line has been touched. */
void account_start_step(struct account *account);

/* Runs run(arg) as a part of a stage below ACCOUNT_STAGES. Its CALL and RET are not counted. */
void account_run(struct account *account, unsigned stage, void (*run)(void *arg), void *arg);

struct account_figures account_figures(const struct account *account, unsigned stage);

#endif
