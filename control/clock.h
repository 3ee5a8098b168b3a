/* SPDX-License-Identifier: BSD-3-Clause */
/* The one place that reads a clock. */
#ifndef CONTROL_CLOCK_H
#define CONTROL_CLOCK_H

#include <stdint.h>

/* Nanoseconds on a clock that never goes back. */
int64_t clock_now_ns(void);

#endif
