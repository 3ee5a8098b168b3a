/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of V.42bis: it splits an N-PDU into strings, chooses the cheapest modes for them, and writes. */
#ifndef DATAPLANE_COMPRESSION_V42BIS_ENCODE_H
#define DATAPLANE_COMPRESSION_V42BIS_ENCODE_H

#include "dataplane/compression/v42bis.h"

/*
 * Encodes an N-PDU to at most `room` octets. Returns them, or V42BIS_NO_ROOM, also of an N-PDU longer than
 * V42BIS_N_PDU_MAX_OCTETS: then the encoder is as before, and the N-PDU may go plain. With room for one octet
 * less than the N-PDU has, it is either shorter or refused.
 */
int v42bis_encode(struct v42bis *v, const uint8_t *in, unsigned octets, uint8_t *out, unsigned room);

#endif
