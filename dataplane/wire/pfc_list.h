/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC Flow Control Parameters: one bucket per packet flow of a mobile (TS 48.018 §11.3.68). */
#ifndef DATAPLANE_WIRE_PFC_LIST_H
#define DATAPLANE_WIRE_PFC_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PFC_LIST_MAX = 11 };

struct pfc_flow {
    uint8_t pfi;
    uint8_t ratio_percent; /* B_PFC, of Bmax; valid if the list has_ratio */
    uint64_t bucket_octets;
    uint64_t rate_bps;
};

struct pfc_list {
    unsigned count;
    bool has_ratio;
    struct pfc_flow flow[PFC_LIST_MAX];
};

/** Octets of the encoded list. */
static inline size_t pfc_list_octets(const struct pfc_list *list)
{
    return 1 + list->count * (list->has_ratio ? 6u : 5u);
}

/**
 * Reads the value part; sizes and rates are the numbers on the wire, not multiplied by the unit.
 * The length tells whether B_PFC is there. Returns len, ERR_TRUNCATED or ERR_MALFORMED.
 */
int pfc_list_decode(struct pfc_list *out, const uint8_t *bytes, size_t len);

/** Writes the value part, sizes and rates divided by `unit`. Returns octets, ERR_NO_SPACE, or ERR_RANGE
   (remainder, more than 16 bits, more than 11 flows). */
int pfc_list_encode(uint8_t *bytes, size_t cap, const struct pfc_list *in, uint64_t unit);

#endif
