/* SPDX-License-Identifier: BSD-3-Clause */
/* For processors whose instructions account.c does not step through. */
#include "bench/account/account.h"

bool account_is_possible(void)
{
    return false;
}

bool account_has_lines(void)
{
    return false;
}

struct account *account_new(void)
{
    return NULL;
}

void account_free(struct account *account)
{
}

void account_watch(struct account *account, const void *first, size_t octets)
{
}

void account_start_step(struct account *account)
{
}

void account_run(struct account *account, unsigned stage, void (*run)(void *arg), void *arg)
{
    run(arg);
}

struct account_figures account_figures(const struct account *account, unsigned stage)
{
    return (struct account_figures){0};
}
