/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bigmem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * Memory that a node takes at its start: tables, wheels, pools. Blocks of 2 MiB and more are aligned to 2
 * MiB and ask for huge pages, which speeds up random access to tables larger than the caches (one TLB entry
 * for 2 MiB instead of 4 KiB); without huge pages they are ordinary memory. All of it is touched here, so
 * that no page fault happens later.
 */

#define BIGMEM_ALIGN_OCTETS 64

#define HUGE_OCTETS ((size_t)2 << 20)
#define PAGE_OCTETS ((size_t)4 << 10)

void *bigmem_new(size_t octets)
{
    void *ptr;
    size_t align = octets < HUGE_OCTETS ? BIGMEM_ALIGN_OCTETS : HUGE_OCTETS;
    if (posix_memalign(&ptr, align, octets > 0 ? octets : 1) != 0)
        return NULL;
    if (align == HUGE_OCTETS) /* only advice: without it memory is slower */
        (void)madvise(ptr, octets & ~(PAGE_OCTETS - 1), MADV_HUGEPAGE);
    memset(ptr, 0, octets);
    return ptr;
}

/* free() does not need the size; it is for an implementation by mmap(), whose munmap() does. */
void bigmem_free(void *ptr, size_t octets)
{
    free(ptr);
}
