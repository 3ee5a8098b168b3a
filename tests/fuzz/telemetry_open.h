/* SPDX-License-Identifier: BSD-3-Clause */
/* In front of control/live/capture.c for telemetry_fuzz.c: what it opens is a file in memory, or refused. */
#ifndef TESTS_FUZZ_TELEMETRY_OPEN_H
#define TESTS_FUZZ_TELEMETRY_OPEN_H

#include <fcntl.h>

int telemetry_open(const char *path, int flags, ...);

#define open telemetry_open

#endif
