/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/pdu_helpers.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/identity.h"
#include "dataplane/wire/bssgp.h"

/* Numbers as they are, spans by their octets, areas by their last part, lists by their count; absent fields
 * -1. */
int64_t pdu_field(const struct pdu_grammar *grammar, const struct pdu *pdu, const char *name)
{
    for (const struct pdu_place *p = pdu->row->places; p->presence != PDU_END; p++) {
        const struct ie *ie = &grammar->ies[p->ie];
        const void *at = (const char *)pdu + ie->at;
        if (strcmp(ie->name, name) != 0 || !pdu_has(pdu, p->ie))
            continue;
        if (ie->format == IE_NUMBER || ie->format == IE_FLAG)
            return *(const uint32_t *)at;
        if (ie->format == IE_UNITS)
            return (int64_t) * (const uint64_t *)at;
        if (ie->format == IE_PFCS)
            return ((const struct pfc_list *)at)->count;
        if (ie->format != IE_AREA)
            return (int64_t)((const struct ie_span *)at)->octets;
        const struct area *area = at;
        return ie->min_octets == AREA_CELL       ? area->ci
               : ie->min_octets == AREA_ROUTEING ? area->rac
                                                 : area->lac;
    }
    return FIELD_ABSENT;
}

size_t pdu_from_hex(const char *hex, uint8_t *bytes)
{
    size_t octets = strlen(hex) / 2;
    for (size_t i = 0; i < octets; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return octets;
}

uint32_t pdu_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

size_t pdu_random_octets(uint32_t *state, uint8_t *bytes, size_t cap, unsigned types)
{
    size_t len = pdu_random(state) % (cap + 1);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)pdu_random(state);
    if (len)
        bytes[0] = (uint8_t)(bytes[0] % types);
    /* Short lengths and low identifiers reach deeper than noise does. */
    for (size_t i = 1; i + 1 < len; i += 1 + pdu_random(state) % 6) {
        bytes[i] &= 0x3f;
        bytes[i + 1] = (uint8_t)(0x80 | (bytes[i + 1] & 7));
    }
    return len;
}

uint8_t *pdu_exact_copy(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, bytes, len);
    return copy;
}
