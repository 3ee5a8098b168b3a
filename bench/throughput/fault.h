/* SPDX-License-Identifier: BSD-3-Clause */
/* The faults of a run's result, each with its values: "mbuf leak: 512 in use before, 530 after". */
#ifndef BENCH_THROUGHPUT_FAULT_H
#define BENCH_THROUGHPUT_FAULT_H

#include <stdbool.h>

#define BENCH_FAULT_CHARS 384

struct bench_fault {
    char text[BENCH_FAULT_CHARS]; /* empty: no fault */
};

/* Adds one behind "; ". Text beyond BENCH_FAULT_CHARS is cut. */
__attribute__((format(printf, 2, 3))) void bench_fault_add(struct bench_fault *f, const char *format, ...);

static inline bool bench_fault_is_set(const struct bench_fault *f)
{
    return f->text[0] != 0;
}

#endif
