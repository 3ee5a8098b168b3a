/* SPDX-License-Identifier: BSD-3-Clause */
/* What NS and BSSGP share: random PDUs of a grammar, and a decoded PDU field by field. */
#ifndef TESTS_ORACLES_JUDGES_PDU_KIND_H
#define TESTS_ORACLES_JUDGES_PDU_KIND_H

#include "dataplane/wire/pdu.h"
#include "tests/oracles/judges/kind.h"

enum { PDU_KIND_POOL_OCTETS = 4096 };

/* Octets that spans of one PDU point to. */
struct pdu_kind_pool {
    size_t used;
    uint8_t octets[PDU_KIND_POOL_OCTETS];
};

/* Fills mandatory fields, and others by chance, of a PDU whose type is set and that is 0 else. */
void pdu_kind_fill(struct rng *rng, struct pdu *out, const struct pdu_grammar *grammar,
                   struct pdu_kind_pool *pool);

/* Adds all fields that a decode marked. */
void pdu_kind_say(struct saying *out, const struct pdu *pdu, const struct pdu_grammar *grammar);

/* Adds "elements", each as its identifier and value, and "absent", identifiers that the PDU might have had.
 */
void pdu_kind_say_elements(struct saying *out, const struct pdu *pdu, const struct pdu_grammar *grammar,
                           uint64_t unit);

#endif
