/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker behind the sessions, as a model: it defines core_link_order(), sees the orders in their order
 * and aborts where a real one would refuse. */
#ifndef TESTS_FUZZ_CORE_MODEL_H
#define TESTS_FUZZ_CORE_MODEL_H

#include "control/sessions/sessions.h"

enum { CORE_MODEL_MOBILES = 3, CORE_MODEL_CONTEXTS = 6 };

/* Nothing is ordered yet. */
void core_model_init(void);

/* What the sessions say of themselves is what was ordered. */
void core_model_check(struct sessions *s);

#endif
