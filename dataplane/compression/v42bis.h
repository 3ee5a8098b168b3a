/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compression of the data of N-PDUs by ITU-T V.42bis, as SNDCP has it (TS 44.065 6.6.2): a dictionary of
 * strings that both ends build from the data itself. Each N-PDU is encoded and decoded whole and is flushed
 * at its end. In acknowledged mode the dictionary lasts from N-PDU to N-PDU; in unacknowledged mode
 * v42bis_start() comes before each.
 *
 * The encoder never sends RESET: a caller that wants a new dictionary negotiates the entity again.
 */
#ifndef DATAPLANE_COMPRESSION_V42BIS_H
#define DATAPLANE_COMPRESSION_V42BIS_H

#include <stddef.h>
#include <stdint.h>

enum {
    V42BIS_CODEWORDS_MIN = 512,
    /* V.42bis allows 65535. Codewords of 12 bits let an entry have 8 octets, other implementations end there
     * too, and an N-PDU has fewer strings than that. */
    V42BIS_CODEWORDS_MAX = 4096,
    V42BIS_STRING_MIN_OCTETS = 6,
    V42BIS_STRING_MAX_OCTETS = 250,
    V42BIS_N_PDU_MAX_OCTETS = 1520, /* that are encoded */
};

/* Errors of an N-PDU. */
enum v42bis_error {
    V42BIS_NO_ROOM = -1,    /* the result is longer than the room for it */
    V42BIS_EMPTY_CODE = -2, /* a codeword without a string */
    V42BIS_STEPUP = -3,     /* codewords longer than P1 needs */
    V42BIS_COMMAND = -4,    /* neither ECM, EID nor RESET behind the escape octet */
    V42BIS_CUT = -5,        /* it ends in compressed mode without FLUSH */
    V42BIS_FAILED = -6,     /* an N-PDU before it failed: the dictionary is of no use before v42bis_start() */
};

/* Parameters, the same at both ends. */
struct v42bis_params {
    uint16_t codewords;    /* P1 */
    uint8_t string_octets; /* P2, the longest string */
};

/* One end of one direction: an encoder or a decoder. It has no pointers: its octets may be moved. */
struct v42bis;

/* Octets that v42bis_setup() needs, aligned to 8: 33 kB with 2048 codewords. */
size_t v42bis_octets(unsigned codewords);

/* Makes `memory` of v42bis_octets() octets an end with an empty dictionary. Params are in the ranges above.
 */
struct v42bis *v42bis_setup(void *memory, const struct v42bis_params *params);

/* v42bis_start() with other parameters, of at most as many codewords as v42bis_setup() had. */
void v42bis_restart(struct v42bis *v, const struct v42bis_params *params);

/* C-INIT: as v42bis_setup() left it. It clears what strings have used, or 8 octets for each codeword where
 * they are many. */
void v42bis_start(struct v42bis *v);

/*
 * Decodes an N-PDU to at most `room` octets, which do not overlap its own. Returns them, or enum
 * v42bis_error: then what `out` holds is of no use, and all further N-PDUs fail until v42bis_start().
 */
int v42bis_decode(struct v42bis *v, const uint8_t *in, unsigned octets, uint8_t *out, unsigned room);

#endif
