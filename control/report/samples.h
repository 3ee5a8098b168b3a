/* SPDX-License-Identifier: BSD-3-Clause */
/* A bag of samples (nanoseconds), for quantiles by nearest rank. A zeroed one is empty. */
#ifndef CONTROL_REPORT_SAMPLES_H
#define CONTROL_REPORT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples {
    int64_t *ns;
    size_t count, cap;
    bool is_sorted;
};

/* Ends the program when memory is short. */
void samples_add(struct samples *s, int64_t ns);
void samples_free(struct samples *s);

/* Nearest rank, 0 < percent <= 100; the bag must not be empty. Sorts it. */
int64_t samples_quantile_ns(struct samples *s, unsigned percent);

/* Mean, rounded down; the bag must not be empty. */
int64_t samples_mean_ns(const struct samples *s);

#endif
