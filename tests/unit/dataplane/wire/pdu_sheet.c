/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/pdu_sheet.h"

#include <stdio.h>
#include <string.h>

/* TS 48.016 9.2, 9.3. The SDU of NS-UNITDATA takes the rest. */
static const char *const ns_rows[] = {
    "00 V1 V2 V0",
    "02 M00 M01 M04",
    "03 M01 M04",
    "04 M00 M01",
    "05 M01",
    "06",
    "07",
    "08 M00 C01 C02 C03 C05 C06",
    "0a",
    "0b",
    "0c M04 V1 C00 C0b C05 C06",
    "0d M04 V1 C05 C06",
    "0e M04 V1 C05 C06",
    "0f V1 M04 C05 C06",
    "10 M04 C00",
    "11 M04 V1 C0b C05 C06",
    "12 M04 M0a M07 C08 C09",
    "13 M04 C00",
    NULL,
};

/* TS 48.018 10; those with their type alone are of features that this node has not. */
static const char *const bssgp_rows[] = {
    "00 V4 V3 M16 O13 O17 O0a O0d O1f O28 O27 O3d O81 O88 O89 O8a O8c O8d O92 O98 O9b O9c O00 M0e O0e",
    "01 V4 V3 M08 O28 O26 O87 O0d O8a O8e O98 O9a O00 M0e",
    "02 M1f M13",
    "04",
    "05",
    "06 M0d O0a C04 C10 C1b C02 O28 O3a M18 O20 O92 O98 O08 O13 O99",
    "07 M0d M0a C04 C10 C1b C02 O1f O09 O0b O20 O53",
    "08 M1f M1e",
    "09 M1f M1e C0d M1a C13",
    "0a C1f C20 C0d M19",
    "0b M1f M1b",
    "0c M1f M1b M1d",
    "0d M1f M1b O07",
    "0e M1f M1b M1d",
    "0f M1f M1b",
    "10 M1f M1b O07",
    "11 M0d O93",
    "12 M0d O92",
    "13 M0d M93",
    "14 M0d",
    "15 M0d",
    "20 M04 M07",
    "21 M04",
    "22 M04 M07 C08 O3b O69",
    "23 M04 C08 O3b O69",
    "24 M04",
    "25 M04",
    "26 M1e M05 M03 M01 M1c C3c O06 O7e",
    "27 M1e",
    "28 M1f M1e M12 M03 C3c O7e",
    "29 M1f M1e",
    "2a M1f M04 O04 O3e",
    "2b M1f M0c C04 M25 C3e",
    "2c M1f M0f M04 M25 O28",
    "2d M1f M1e O12 O03 O3c M52 O7e",
    "2e M1f M1e",
    "40 M22 M21 O24 O11 O14 O23",
    "41 M07 C04 O15",
    "42 O8f",
    "50 M1f M28",
    "51 M1f O0d M28 M29 M3a O3d O13 O17 C29 O73 O80 O81",
    "52 M1f M28 M3a O07",
    "53 M1f M28 M07",
    "54 M1f M28 M3a",
    "55 M1f M28 M29 M3a",
    "56 M1f M28",
    "57 M1f M28",
    "58 M1f M28 M07",
    "59",
    "5a",
    "5b",
    "5c",
    "5d",
    "5e",
    "60",
    "61",
    "62",
    "63",
    "64",
    "70 M54 M54 M58",
    "71 M54 M54 M57",
    "72 M54 M54 M5a",
    "73 M54 M54 M5b",
    "74 M54 M54 M59",
    "80",
    "81",
    "82",
    "83",
    "84",
    "85",
    "91",
    "92",
    "93",
    NULL,
};

static const struct pdu_sheet_least ns_least[] = {
    {0x00, 1},  {0x01, 2}, {0x02, 1}, {0x03, 2}, {0x04, 2}, {0x05, 8},
    {0x06, 20}, {0x07, 2}, {0x08, 2}, {0x09, 2}, {0x0a, 1}, {0x0b, 5},
};

static const struct pdu_sheet_least bssgp_least[] = {
    {0x00, 0}, {0x01, 2}, {0x02, 1}, {0x03, 2}, {0x04, 2}, {0x05, 2}, {0x06, 2},  {0x07, 1}, {0x08, 8},
    {0x09, 1}, {0x0a, 2}, {0x0b, 1}, {0x0c, 1}, {0x0d, 3}, {0x0e, 0}, {0x0f, 1},  {0x10, 5}, {0x11, 1},
    {0x12, 2}, {0x13, 5}, {0x14, 2}, {0x15, 1}, {0x16, 2}, {0x17, 1}, {0x18, 3},  {0x19, 1}, {0x1a, 1},
    {0x1b, 6}, {0x1c, 2}, {0x1d, 1}, {0x1e, 1}, {0x1f, 4}, {0x20, 4}, {0x21, 2},  {0x22, 1}, {0x23, 2},
    {0x24, 2}, {0x25, 3}, {0x26, 0}, {0x27, 0}, {0x28, 1}, {0x29, 1}, {0x3a, 11}, {0x3b, 1}, {0x3c, 1},
    {0x3d, 1}, {0x3e, 2}, {0x52, 1}, {0x53, 5}, {0x54, 1}, {0x57, 0}, {0x58, 0},  {0x59, 0}, {0x5a, 0},
    {0x5b, 0}, {0x69, 1}, {0x73, 0}, {0x7e, 1}, {0x80, 0}, {0x81, 1}, {0x87, 1},  {0x88, 1}, {0x89, 1},
    {0x8a, 2}, {0x8c, 1}, {0x8d, 1}, {0x8e, 3}, {0x8f, 1}, {0x92, 1}, {0x93, 2},  {0x98, 1}, {0x99, 1},
    {0x9a, 0}, {0x9b, 6}, {0x9c, 1},
};

const struct pdu_sheet pdu_sheet_ns = {ns_rows, ns_least, sizeof ns_least / sizeof ns_least[0], true};
const struct pdu_sheet pdu_sheet_bssgp = {bssgp_rows, bssgp_least, sizeof bssgp_least / sizeof bssgp_least[0],
                                          false};

struct pdu_sheet_row pdu_sheet_row_of(const char *line)
{
    struct pdu_sheet_row row = {0};
    unsigned type, what;
    char presence;
    int read;
    sscanf(line, "%2x%n", &type, &read);
    row.type = (uint8_t)type;
    for (line += read; sscanf(line, " %c%2x%n", &presence, &what, &read) == 2; line += read)
        row.places[row.count++] = (struct pdu_sheet_place){presence, (uint8_t)what};
    return row;
}

int pdu_sheet_least_of(const struct pdu_sheet *sheet, uint8_t iei)
{
    for (size_t i = 0; i < sheet->least_count; i++)
        if (sheet->least[i].iei == iei)
            return sheet->least[i].octets;
    return -1;
}

/* Values that are read into, so that not any octets will do. */
static const struct {
    bool is_ns;
    uint8_t iei, octets;
    const char *value;
} special[] = {
    {false, 0x08, 8, "\x62\xf2\x24\x12\x34\x05\x00\x01"},
    {false, 0x0d, 4, "\x29\x26\x24\x01"},
    {false, 0x10, 5, "\x62\xf2\x24\x12\x34"},
    {false, 0x1b, 6, "\x62\xf2\x24\x12\x34\x05"},
    {false, 0x9b, 6, "\x62\xf2\x24\x12\x34\x05"},
    {false, 0x52, 1, "\x00"},
    {true, 0x0b, 5, "\x01\x0a\x00\x00\x01"},
};

size_t pdu_sheet_value(const struct pdu_sheet *sheet, uint8_t iei, uint8_t value[PDU_SHEET_MAX_OCTETS])
{
    size_t octets = (size_t)pdu_sheet_least_of(sheet, iei);
    memset(value, 1, octets);
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (special[i].is_ns == sheet->is_ns && special[i].iei == iei)
            memcpy(value, special[i].value, octets = special[i].octets);
    return octets;
}

static bool has_no_length(const struct pdu_sheet *sheet, uint8_t iei)
{
    return sheet->is_ns && iei >= 0x07 && iei <= 0x0b;
}

static size_t put_element(const struct pdu_sheet *sheet, uint8_t iei, enum pdu_sheet_form form,
                          uint8_t *bytes)
{
    uint8_t value[PDU_SHEET_MAX_OCTETS];
    size_t octets = pdu_sheet_value(sheet, iei, value), at = 0;
    if (form == PDU_SHEET_LEFT_OUT)
        return 0;
    if (form == PDU_SHEET_TOO_SHORT)
        octets--;
    bytes[at++] = iei;
    if (!has_no_length(sheet, iei)) {
        if (form == PDU_SHEET_LONG)
            bytes[at++] = 0;
        bytes[at++] = (uint8_t)(form == PDU_SHEET_LONG ? octets : 0x80 | octets);
    }
    memcpy(bytes + at, value, octets);
    return at + octets;
}

size_t pdu_sheet_build(const struct pdu_sheet *sheet, const struct pdu_sheet_row *row,
                       const enum pdu_sheet_form *forms, uint8_t *bytes)
{
    size_t at = 0;
    bytes[at++] = row->type;
    for (unsigned i = 0; i < row->count; i++) {
        if (row->places[i].presence != 'V') {
            at += put_element(sheet, row->places[i].iei, forms[i], bytes + at);
            continue;
        }
        memset(bytes + at, 1, row->places[i].iei);
        at += row->places[i].iei;
    }
    return at;
}
