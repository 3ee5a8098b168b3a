/* SPDX-License-Identifier: BSD-3-Clause */
/* Damage to good frames: of single octets, of the end, and of elements with identifier and length. */
#ifndef TESTS_ORACLES_JUDGES_MUTATION_H
#define TESTS_ORACLES_JUDGES_MUTATION_H

#include "tests/oracles/judges/kind.h"

/* A mutated frame: octets may be 0, at most cap. Some frames stay as they were. Returns the octets. */
size_t mutation_of(struct rng *rng, const struct kind *kind, uint8_t *bytes, size_t octets, size_t cap);

#endif
