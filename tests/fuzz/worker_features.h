/* SPDX-License-Identifier: BSD-3-Clause */
/* Optional features of the worker under the fuzzer, which the first octets of an input choose. */
#ifndef TESTS_FUZZ_WORKER_FEATURES_H
#define TESTS_FUZZ_WORKER_FEATURES_H

#include "tests/unit/dataplane/worker/kit.h"

#include <stdbool.h>
#include <stdint.h>

/* Once in a process. */
void worker_features_start(void);

/* What the next worker is made of. */
void worker_features_choose(unsigned bits, struct kit_options *options);

/* After it was made, and before it ends. */
void worker_features_begin(struct kit *kit);
void worker_features_end(struct kit *kit);

/* Takes what it wrote for others. */
void worker_features_take(struct kit *kit);

/* An order for an entity of compression of a mobile, or for its end; false: none can be ordered. */
bool worker_features_compress(unsigned mobile, unsigned what, struct msg *order);

/* A TCP segment of one of four connections of a mobile; its octets. */
uint16_t worker_features_segment(uint8_t *out, bool is_up, unsigned what, unsigned number, unsigned octets);

#endif
