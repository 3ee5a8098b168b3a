/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own list of mappings says which addresses are asked to be huge pages. */
#include "control/base/heap.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASKED_OCTETS ((size_t)64 << 20)

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ANOTHER_HEAP
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_ANOTHER_HEAP
#endif

/* Whether the mapping with this address has the flag "hg". */
static bool is_asked(const void *at)
{
    char line[512];
    bool is_inside = false, is_huge = false;
    uintptr_t from, to;
    FILE *smaps = fopen("/proc/self/smaps", "re");
    assert_non_null(smaps);
    while (fgets(line, sizeof(line), smaps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            is_inside = from <= (uintptr_t)at && (uintptr_t)at < to;
        else if (is_inside && strncmp(line, "VmFlags:", 8) == 0)
            is_huge = strstr(line, " hg");
    }
    fclose(smaps);
    return is_huge;
}

TEST(what_the_heap_takes_next_is_asked_to_be_huge_pages)
{
    enum { BLOCKS = 64, OCTETS = 100000 }; /* 6.4 MB: three huge pages */
    uint8_t *blocks[BLOCKS];
    uintptr_t before = (uintptr_t)sbrk(0);
    bool is_done = heap_ask_huge_pages(ASKED_OCTETS);
#ifdef HAS_ANOTHER_HEAP
    print_message("skipped: a sanitizer has a heap of its own\n");
    skip();
#endif
    if (access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0) {
        print_message("skipped: the kernel has no transparent huge pages\n");
        skip();
    }
    assert_true(is_done);
    assert_in_range((uintptr_t)sbrk(0) - before, ASKED_OCTETS, ASKED_OCTETS + ((size_t)4 << 20));
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_non_null(blocks[i] = malloc(OCTETS));
    assert_true(is_asked(blocks[BLOCKS - 1]));
    uintptr_t full = (uintptr_t)sbrk(0);
    for (unsigned i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    assert_int_equal(sbrk(0), full);
}

UNIT_MAIN(NULL, NULL)
