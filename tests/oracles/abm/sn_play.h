/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP's acknowledged mode above a side of abm_play: N-PDUs of 1 to 4 segments on NSAPI 5, without data. */
#ifndef TESTS_ORACLES_ABM_SN_PLAY_H
#define TESTS_ORACLES_ABM_SN_PLAY_H

#include "dataplane/abm/sn_receive.h"
#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { SN_PLAY_SEGMENTS = 4, SN_PLAY_NSAPI = 5, SN_PLAY_UNITS = 128 };

/* The information of an I frame, in memory of its own at each side. */
struct info {
    uint32_t n_pdu;
    uint8_t segment;
    uint8_t header[SN_DATA_FIRST_OCTETS], header_octets;
    uint16_t octets;
};

/* An N-PDU to send. */
struct unit {
    uint32_t number;
    unsigned segments;
};

/* Zeroed: nothing was sent. */
struct sn_play {
    struct sn_receive in;
    struct unit units[SN_PLAY_UNITS]; /* of a number: number mod SN_PLAY_UNITS */
    const struct unit *unit;          /* whose segments are sent; NULL: none */
    unsigned segment;
    uint32_t made, confirmed;    /* N-PDUs */
    uint32_t offered;            /* the next whose segments go out; confirmed <= offered <= made */
    unsigned confirmed_segments; /* of the oldest that is not confirmed */
    uint32_t partial;            /* the N-PDU whose segments came */
    unsigned partial_segments;
};

/* LLC was established. */
void sn_play_established(struct sn_play *p);

/* Takes a segment. Whether its N-PDU is whole, and new. */
bool sn_play_deliver(struct sn_play *p, const struct info *info);

/* A segment was confirmed. Whether its N-PDU is, and its number. */
bool sn_play_confirm(struct sn_play *p, uint32_t *number);

/* Whether there is a segment to send: of the present N-PDU, of one that is to be sent again, or of a new one,
 * if any may be made. */
bool sn_play_find(struct sn_play *p, struct rng *rng, bool may_make);

/* The segment that sn_play_find() found, to be freed. */
struct info *sn_play_next(struct sn_play *p, unsigned octets);

#endif
