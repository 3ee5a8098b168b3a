/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time. Each actor has one step function, as a worker has:
 *       deadline = step(self, now)
 *
 * It does all that is due and returns the next instant at which it has something to do: `now` if it moved
 * anything that another actor may have to handle, MOMENT_NEVER if only others can wake it. The loop calls all
 * actors at an instant until none moves, then jumps to the nearest deadline. The order is that of the array,
 * so equal runs give equal results.
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
    /* Called when no actor moves at an instant any more; true ends the run. May be NULL. */
    bool (*is_done)(void *arg, int64_t now);
    void *arg;
    uint64_t rounds; /* passes over all actors so far */
};

enum loop_end {
    LOOP_DONE,  /* is_done() returned true */
    LOOP_UNTIL, /* `until` was reached and all work before it is done */
    LOOP_STUCK, /* the actors did not stop moving at one instant: a defect */
};

/* Runs from *now up to and including `until`; advances *now. */
enum loop_end loop_run(struct loop *loop, int64_t *now, int64_t until);

#endif
