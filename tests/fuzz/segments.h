/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ledger of the segments that the worker's reassembly was given. Each buffer carries a second reference,
 * the ledger's: freeing takes only the worker's away, so that no pool is needed, and a buffer that is lost or
 * freed twice shows.
 */
#ifndef TESTS_FUZZ_SEGMENTS_H
#define TESTS_FUZZ_SEGMENTS_H

#include "dataplane/worker/reassembly.h"

enum { SEGMENTS_MAX = 512 };

/* Forgets all of them. */
void segments_init(void);

/* How many were made, and how many of these the worker has not freed. */
unsigned segments_count(void);
unsigned segments_held(void);

/* A buffer of so many octets, which the ledger owns too; at most SEGMENTS_MAX. */
struct rte_mbuf *segments_new(const struct sndcp *header, uint32_t pdp, uint16_t octets);

/* A complete entry holds the segments of one N-PDU, each in its place, and only the last says that it is. */
void segments_check(const struct reassembly_entry *entry);

#endif
