/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a table of comma-separated values (RFC 4180) line by line, with the place of each field. Deviations:
 * a field has no line break; lines that are empty or begin with # are skipped; a byte order mark at the
 * beginning of the file is skipped.
 */
#ifndef CONTROL_BASE_CSV_H
#define CONTROL_BASE_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CSV_LINE_OCTETS 4096 /* of the longest line, its end included */
#define CSV_FIELDS      64

struct csv_field {
    const char *text; /* in the reader's line, without quotes */
    uint32_t column;  /* of its first octet, from 1 */
};

struct csv {
    FILE *file;
    uint32_t line_number; /* of the line in `fields`, from 1 */
    unsigned count;       /* of fields */
    struct csv_field fields[CSV_FIELDS];
    uint32_t fault_column; /* of the error */
    const char *fault;     /* why the last line cannot be read; NULL: it can */
    char line[CSV_LINE_OCTETS];
    char buffer[16384]; /* of the file: it may have ciphering keys */
};

/* Opens a regular file; others, such as a FIFO, would stop the reader. False, with *error: why. csv_close()
 * must be called in either case. */
bool csv_open(struct csv *csv, const char *path, const char **error);

/* Reads the next line into csv->fields. False: the file has ended, or (csv->fault) cannot be read further. A
 * line with wrong quotes sets csv->fault, too, but returns true. */
bool csv_next(struct csv *csv);

/* Closes the file and wipes what was read of it. */
void csv_close(struct csv *csv);

#endif
