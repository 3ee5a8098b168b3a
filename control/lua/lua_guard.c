/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_guard.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local jmp_buf *guard; /* NULL: no work is guarded */

bool lua_guard_run(void (*work)(void *arg), void *arg)
{
    jmp_buf here;
    guard = &here;
    bool is_left = setjmp(here) != 0;
    if (!is_left)
        work(arg);
    guard = NULL;
    return !is_left;
}

void lua_guard_leave(void)
{
    if (guard)
        longjmp(*guard, 1);
}

void lua_guard_no_memory(const char *what)
{
    fprintf(stderr, "gbflow: out of memory for %s\n", what);
    lua_guard_leave();
    exit(1);
}
