/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap of a process that holds a few hundred megabytes in small blocks, and visits them in no order. */
#ifndef CONTROL_BASE_HEAP_H
#define CONTROL_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reserves addresses for the heap's next `octets`, which are a multiple of 2 MiB, and asks for huge pages
 * there: one TLB entry for 2 MiB instead of 4 KiB. Memory is taken as before, when it is used; the heap gives
 * none back from then on. False: no advice is given: the heap is not that of the C library, it did not grow,
 * or the kernel has no huge pages.
 */
bool heap_ask_huge_pages(size_t octets);

#endif
