/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds of every PDU that a table-driven decode accepted; for the harnesses of NS and BSSGP. */
#ifndef TESTS_FUZZ_PDU_CHECK_H
#define TESTS_FUZZ_PDU_CHECK_H

#include "dataplane/wire/pdu.h"

/* Elements of the PDU's row are marked and no others, spans lie in the input and keep their bounds. */
void pdu_check_fields(const struct pdu *pdu, const struct pdu_grammar *grammar, const uint8_t *bytes,
                      size_t len);

/* Both have the same elements, and these write the same octets. */
void pdu_check_equal(const struct pdu *a, const struct pdu *b, const struct pdu_grammar *grammar);

#endif
