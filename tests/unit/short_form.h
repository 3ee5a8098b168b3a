/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that take minutes under sanitizers have a short form, too. */
#ifndef TESTS_UNIT_SHORT_FORM_H
#define TESTS_UNIT_SHORT_FORM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* TEST_SHORT=1 in the environment asks for it; scripts/test.sh sets it, but not with --nightly. */
static inline bool short_form_is_wanted(void)
{
    const char *value = getenv("TEST_SHORT");
    return value && strcmp(value, "1") == 0;
}

#endif
