/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded in front of libc: fails calls of malloc(), calloc() and realloc(). FAULT_AT=N in the environment
 * fails call N. A file that FAULT_EVERY names holds a number as text; while it is above 0, each call with a
 * number that it divides fails, whenever the file was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t octets);
void *__libc_calloc(size_t count, size_t octets);
void *__libc_realloc(void *block, size_t octets);

static atomic_ulong calls;
static unsigned long fault_at;
static const volatile char *every; /* the file's text */

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAULT_AT"), *path = getenv("FAULT_EVERY");
    fault_at = at ? strtoul(at, NULL, 10) : 0;
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *text = file >= 0 ? mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    every = text == MAP_FAILED ? NULL : text;
    atomic_store(&calls, 0);
}

static unsigned long every_value(void)
{
    unsigned long value = 0;
    for (unsigned i = 0; every && i < 8 && every[i] >= '0' && every[i] <= '9'; i++)
        value = 10 * value + (unsigned long)(every[i] - '0');
    return value;
}

static bool is_fault(void)
{
    unsigned long number = atomic_fetch_add(&calls, 1) + 1, step = every_value();
    if (number != fault_at && (step == 0 || number % step != 0))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t octets)
{
    return is_fault() ? NULL : __libc_malloc(octets);
}

void *calloc(size_t count, size_t octets)
{
    return is_fault() ? NULL : __libc_calloc(count, octets);
}

void *realloc(void *block, size_t octets)
{
    return is_fault() ? NULL : __libc_realloc(block, octets);
}
