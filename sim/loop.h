/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time. Everything that lives in it has one function, the same as a worker's:
 *
 *     deadline = step(self, now)
 *
 * which does what is due and returns the next instant at which there is something to do: now itself when it
 * moved anything that another one may have to look at, MOMENT_NEVER when only others can wake it. The loop
 * calls all of them at an instant until none moves, then jumps to the nearest deadline. There is no other
 * order than that of the array, so a run is the same every time.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop_actor {
    const char *name;
    void *self;
    int64_t (*step)(void *self, int64_t now);
};

struct loop {
    const struct loop_actor *actors;
    size_t count;
    /* Asked when nothing moves any more at an instant; true ends the run there. May be NULL. */
    bool (*is_done)(void *arg, int64_t now);
    void *arg;
    uint64_t rounds; /* passes over all actors so far */
};

enum loop_end {
    LOOP_DONE,  /* is_done() said so */
    LOOP_UNTIL, /* the given end was reached; nothing is left to do before it */
    LOOP_STUCK, /* the actors kept moving at one instant without end: a defect */
};

/* Runs from *now, which it moves on, up to and including `until`. */
enum loop_end loop_run(struct loop *loop, int64_t *now, int64_t until);

#endif
