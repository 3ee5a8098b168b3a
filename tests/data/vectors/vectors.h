/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample PDUs of tests/data/vectors/ as octets: see the README there. */
#ifndef TESTS_DATA_VECTORS_VECTORS_H
#define TESTS_DATA_VECTORS_VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { VECTORS_MAX_OCTETS = 512, VECTORS_MAX_ROWS = 128 };

struct vector {
    unsigned number;
    char name[48];
    char column[8]; /* BVCI, direction or UDP port, as written in the file */
    size_t octets;
    uint8_t bytes[VECTORS_MAX_OCTETS];
};

/*
 * All rows of a file ("ns.txt", "bssgp.txt", "llc.txt", "gn.txt"), their number in *count. The rows live in
 * static storage until the next call. A missing file or a line that cannot be read ends the process with a
 * message.
 */
const struct vector *vectors_load(const char *file, size_t *count);

/* The row with that number in whichever file has it; it ends the process if there is none. Static storage as
 * above. */
const struct vector *vectors_get(unsigned number);

#endif
