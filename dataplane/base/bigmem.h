/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that a node takes at its start: tables, wheels, pools. Blocks of 2 MiB and more are aligned to 2
 * MiB and ask for huge pages, which speeds up random access to tables larger than the caches (one TLB entry
 * for 2 MiB instead of 4 KiB); without huge pages they are ordinary memory. All of it is touched here, so
 * that no page fault happens later.
 */
#ifndef DATAPLANE_BASE_BIGMEM_H
#define DATAPLANE_BASE_BIGMEM_H

#include <stddef.h>

#define BIGMEM_ALIGN_OCTETS 64

/*
 * Zeroed, aligned to BIGMEM_ALIGN_OCTETS or better; the caller frees it by bigmem_free(). NULL: out of
 * memory.
 */
void *bigmem_new(size_t octets);

/* octets as given to bigmem_new(). No effect on NULL. */
void bigmem_free(void *ptr, size_t octets);

#endif
