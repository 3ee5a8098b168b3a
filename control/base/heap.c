/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/heap.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_OCTETS     ((size_t)2 << 20)
#define PAD_OCTETS      (128 << 10) /* defaults of the C library */
#define MMAP_OCTETS     (128 << 10)
#define BEYOND_PAD      (1 << 20) /* a block that the heap has no room for at the start of a program */
#define LARGEST_MMAPPED (32 << 20)

/* One request makes the whole heap grow: advice is for addresses that exist. */
static void grow(size_t octets)
{
    mallopt(M_TOP_PAD, (int)octets);
    mallopt(M_MMAP_THRESHOLD, LARGEST_MMAPPED);
    void *volatile block = malloc(BEYOND_PAD); /* volatile: a compiler leaves a pair out that nothing reads */
    free(block);
    mallopt(M_MMAP_THRESHOLD, MMAP_OCTETS);
    mallopt(M_TOP_PAD, PAD_OCTETS);
}

bool heap_ask_huge_pages(size_t octets)
{
    uintptr_t first = (uintptr_t)sbrk(0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX); /* addresses given back would come again without the advice */
    grow(octets);
    uintptr_t begin = (first + HUGE_OCTETS - 1) & ~(HUGE_OCTETS - 1), end = (uintptr_t)sbrk(0);
    return end > begin && madvise((void *)begin, end - begin, MADV_HUGEPAGE) == 0;
}
