/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/aqm_choices.h"
#include "tests/fuzz/fuzz.h"

/* A configuration that was not read from a file has none. */
void aqm_choices_free(struct aqm_choices *choices)
{
    FUZZ_CHECK(!choices);
}
