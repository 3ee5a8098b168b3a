/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the kernel's random numbers: the same for the same input. */
#ifndef TESTS_FUZZ_GETRANDOM_H
#define TESTS_FUZZ_GETRANDOM_H

#include <stdint.h>

/* Where the numbers of getrandom() begin. */
void getrandom_seed(uint64_t seed);

#endif
