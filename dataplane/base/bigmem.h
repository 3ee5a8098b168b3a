/* SPDX-License-Identifier: BSD-3-Clause */
/* Big memory of tables, and prefetch of a cache line, without DPDK. */
#ifndef DATAPLANE_BASE_BIGMEM_H
#define DATAPLANE_BASE_BIGMEM_H

#include <stddef.h>

/* Prefetches the line of an address, which need not be valid. The empty asm is a side effect: GCC takes a
 * function of builtin prefetches alone for one that does nothing, and removes its calls. */
static inline void prefetch_line(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("" : : "r"(at));
}

/* The same for a line that is going to be written. */
static inline void prefetch_line_write(const void *at)
{
    __builtin_prefetch(at, 1);
    __asm__ volatile("" : : "r"(at));
}

/*
 * Zeroed, aligned to BIGMEM_ALIGN_OCTETS or better; the caller frees it by bigmem_free(). NULL: out of
 * memory.
 */
void *bigmem_new(size_t octets);

/* octets as given to bigmem_new(). No effect on NULL. */
void bigmem_free(void *ptr, size_t octets);

#endif
