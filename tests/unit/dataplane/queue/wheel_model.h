/* SPDX-License-Identifier: BSD-3-Clause */
/* What a timing wheel ought to do: a sorted array that every change keeps sorted. */
#ifndef TESTS_UNIT_DATAPLANE_QUEUE_WHEEL_MODEL_H
#define TESTS_UNIT_DATAPLANE_QUEUE_WHEEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define WHEEL_MODEL_CAP 4096

struct wheel_model_entry {
    int64_t at_ns;
    uintptr_t id;
};

struct wheel_model {
    struct wheel_model_entry entries[WHEEL_MODEL_CAP]; /* by instant, equal ones in the order of setting */
    uint32_t count, cap;
};

/* False when cap (at most WHEEL_MODEL_CAP) entries are set. */
bool wheel_model_set(struct wheel_model *m, int64_t at_ns, uintptr_t id);

int64_t wheel_model_next_ns(const struct wheel_model *m);

bool wheel_model_take(struct wheel_model *m, struct wheel_model_entry *out, int64_t now);

/* Drops entries whose id is a multiple of `stale`. */
void wheel_model_purge(struct wheel_model *m, uintptr_t stale);

#endif
