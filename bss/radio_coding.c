/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio_coding.h"

#include <assert.h>

/* RLC data of one radio block, without headers and spare bits: TS 44.060 §10.2.1 and §10.3a.1. */
static const struct {
    const char *name;
    unsigned payload_octets;
} codings[RADIO_CODINGS] = {
    [RADIO_CS1] = {"CS-1", 20},       [RADIO_CS2] = {"CS-2", 30},       [RADIO_CS3] = {"CS-3", 36},
    [RADIO_CS4] = {"CS-4", 50},       [RADIO_MCS1] = {"MCS-1", 22},     [RADIO_MCS2] = {"MCS-2", 28},
    [RADIO_MCS3] = {"MCS-3", 37},     [RADIO_MCS4] = {"MCS-4", 44},     [RADIO_MCS5] = {"MCS-5", 56},
    [RADIO_MCS6] = {"MCS-6", 74},     [RADIO_MCS7] = {"MCS-7", 2 * 56}, [RADIO_MCS8] = {"MCS-8", 2 * 68},
    [RADIO_MCS9] = {"MCS-9", 2 * 74},
};

unsigned radio_coding_payload_octets(enum radio_coding coding)
{
    assert(coding < RADIO_CODINGS);
    return codings[coding].payload_octets;
}

const char *radio_coding_name(enum radio_coding coding)
{
    assert(coding < RADIO_CODINGS);
    return codings[coding].name;
}

unsigned radio_coding_rlc_octets(enum radio_coding coding)
{
    return radio_coding_payload_octets(coding) / (coding >= RADIO_MCS7 ? 2 : 1);
}
