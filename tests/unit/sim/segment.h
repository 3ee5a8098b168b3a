/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes LLC UI frames with one SNDCP segment in them, right ones and such as a mobile must refuse. */
#ifndef TESTS_UNIT_SIM_SEGMENT_H
#define TESTS_UNIT_SIM_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_FRAME_OCTETS 1600

enum segment_fault {
    SEGMENT_GOOD,
    SEGMENT_BAD_FCS,
    SEGMENT_OTHER_SAPI,
    SEGMENT_FROM_MOBILE, /* C/R of an uplink command */
    SEGMENT_CIPHERED,
    SEGMENT_OTHER_NSAPI,
    SEGMENT_COMPRESSED,
    SEGMENT_CUT, /* the last octet is missing */
};

/* SAPI 3, NSAPI 5 unless the fault says otherwise; data is `octets` octets. */
struct segment {
    uint16_t nu, number;
    uint8_t index;
    bool more;
    enum segment_fault fault;
    const uint8_t *data;
    size_t octets;
};

/* Writes the frame; returns its octets. */
size_t segment_put(uint8_t frame[SEGMENT_FRAME_OCTETS], const struct segment *s);

#endif
