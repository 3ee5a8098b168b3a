/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP's compression at a mobile (compression/compression.h): its entities, their memory, and what they have
 * done.
 */
#ifndef SIM_MS_COMPRESSION_H
#define SIM_MS_COMPRESSION_H

#include "dataplane/compression/compression.h"

#include <stdbool.h>
#include <stdint.h>

/* N-PDUs and octets by enum compression_kind; sums of all entities so far. */
struct ms_compression_counts {
    struct ms_compression_kind {
        struct compression_counts sent, received;
    } kinds[COMPRESSION_KINDS];
    uint64_t without_entity; /* received N-PDUs with PCOMP or DCOMP of no entity */
};

struct ms_compression;

/* For one entity of each kind of the settings. Ends the program when memory is short. */
struct ms_compression *ms_compression_new(const struct compression_settings *settings);
void ms_compression_free(struct ms_compression *m);

/* An entity begins, is replaced, or, without NSAPIs, ends. False: the settings do not allow it. */
bool ms_compression_set(struct ms_compression *m, const struct compression_params *params);

/* All entities end. */
void ms_compression_end(struct ms_compression *m);

const struct compression_settings *ms_compression_settings(const struct ms_compression *m);

/* Acknowledged mode of the SAPI was established. */
void ms_compression_restart(struct ms_compression *m, uint8_t sapi);

/* Compresses a copy of an N-PDU: data and octets are those that leave, until the next call. */
void ms_compression_pack(struct ms_compression *m, struct compression_n_pdu *n_pdu);

/* Restores a copy of a received N-PDU likewise; a plain one stays where it is. If it is not done, it is lost.
 */
enum compression_fate ms_compression_unpack(struct ms_compression *m, struct compression_n_pdu *n_pdu);

/* Adds what was done so far. */
void ms_compression_count(const struct ms_compression *m, struct ms_compression_counts *sum);

#endif
