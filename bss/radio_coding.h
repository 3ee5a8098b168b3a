/* SPDX-License-Identifier: BSD-3-Clause */
/* The coding schemes of radio blocks: names, and octets that a block carries. */
#ifndef BSS_RADIO_CODING_H
#define BSS_RADIO_CODING_H

enum radio_coding {
    RADIO_CS1,
    RADIO_CS2,
    RADIO_CS3,
    RADIO_CS4,
    RADIO_MCS1,
    RADIO_MCS2,
    RADIO_MCS3,
    RADIO_MCS4,
    RADIO_MCS5,
    RADIO_MCS6,
    RADIO_MCS7,
    RADIO_MCS8,
    RADIO_MCS9,
    RADIO_CODINGS,
};

/** Octets of a block's payload and name ("CS-2") of a coding scheme (TS 45.003, TS 44.060 §10.2, §10.3a). */
unsigned radio_coding_payload_octets(enum radio_coding coding);
const char *radio_coding_name(enum radio_coding coding);

/** Octets of one RLC block: half of the payload of MCS-7, -8, -9, which carry two. */
unsigned radio_coding_rlc_octets(enum radio_coding coding);

#endif
