/* SPDX-License-Identifier: BSD-3-Clause */
/* NS and BSSGP PDUs as the clauses list them, for tests: an independent writing of the codecs' tables. */
#ifndef TESTS_UNIT_DATAPLANE_WIRE_PDU_SHEET_H
#define TESTS_UNIT_DATAPLANE_WIRE_PDU_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PDU_SHEET_MAX_PLACES = 32, PDU_SHEET_MAX_OCTETS = 256 };

/* presence: V octets without identifier, M mandatory, C conditional, O optional. */
struct pdu_sheet_place {
    char presence;
    uint8_t iei; /* V: octets */
};

struct pdu_sheet_row {
    uint8_t type;
    unsigned count;
    struct pdu_sheet_place places[PDU_SHEET_MAX_PLACES];
};

/* Least octets of an element's value. */
struct pdu_sheet_least {
    uint8_t iei, octets;
};

struct pdu_sheet {
    const char *const *rows; /* "type place place ...", all in hex, up to NULL; for pdu_sheet_row_of() */
    const struct pdu_sheet_least *least;
    size_t least_count;
    bool is_ns; /* some elements have no length */
};

extern const struct pdu_sheet pdu_sheet_ns, pdu_sheet_bssgp;

/* Reads one line. */
struct pdu_sheet_row pdu_sheet_row_of(const char *line);

/* Least octets of an element, or -1 for one that the sheet does not have. */
int pdu_sheet_least_of(const struct pdu_sheet *sheet, uint8_t iei);

/* A value that the codecs accept, of least length, for an element. Returns its octets. */
size_t pdu_sheet_value(const struct pdu_sheet *sheet, uint8_t iei, uint8_t value[PDU_SHEET_MAX_OCTETS]);

/* How pdu_sheet_build() writes one place. */
enum pdu_sheet_form {
    PDU_SHEET_LEFT_OUT,
    PDU_SHEET_SHORT,     /* length of one octet */
    PDU_SHEET_LONG,      /* length of two octets */
    PDU_SHEET_TOO_SHORT, /* one octet less than the least */
};

/* Writes the PDU with a form for each place; V places always as they are. Returns octets. */
size_t pdu_sheet_build(const struct pdu_sheet *sheet, const struct pdu_sheet_row *row,
                       const enum pdu_sheet_form *forms, uint8_t *bytes);

#endif
