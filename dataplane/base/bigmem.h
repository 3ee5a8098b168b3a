/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for what a node takes once at its start: tables, wheels, pools. Blocks of 2 MiB and more lie on a
 * border of 2 MiB and ask for huge pages, which a random access to a table beyond the caches feels (one TLB
 * entry for 2 MiB instead of 4 KiB); without huge pages it is memory all the same. All of it is touched here,
 * so that no page fault comes later.
 */
#ifndef DATAPLANE_BASE_BIGMEM_H
#define DATAPLANE_BASE_BIGMEM_H

#include <stddef.h>

#define BIGMEM_ALIGN_OCTETS 64

/* Zeroed, aligned to BIGMEM_ALIGN_OCTETS or better; the caller's until bigmem_free(). NULL: none left. */
void *bigmem_new(size_t octets);

/* octets as they were given to bigmem_new(). No effect on NULL. */
void bigmem_free(void *ptr, size_t octets);

#endif
