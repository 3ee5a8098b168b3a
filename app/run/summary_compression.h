/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP's compression at the mobiles of a run or of an emulated BSS, for their reports. */
#ifndef APP_RUN_SUMMARY_COMPRESSION_H
#define APP_RUN_SUMMARY_COMPRESSION_H

#include "app/run/summary.h"
#include "sim/ms_compression.h"
#include "sim/ms_stack.h"

struct summary_compression {
    struct ms_offer offer;
    struct ms_compression_counts counts;
    uint64_t lost, renewed;
};

/* Adds what a stack did; whether it offers any. */
bool summary_compression_add(struct summary_compression *sum, const struct ms_stack *stack);
void summary_each_compression(const void *record, struct field_sink *sink); /* of a struct summary */
extern const struct field summary_compression[];

/* Prints what the mobiles saved; nothing if no mobile offers compression. */
void summary_compression_print(const struct scenario_run *r);

#endif
