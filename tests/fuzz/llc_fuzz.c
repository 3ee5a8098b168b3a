/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC and SNDCP headers, FCS over pieces, and the geometry of segmentation. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* As read, but for the spare bit X (TS 44.065 7.1). */
static void check_sndcp(const uint8_t *bytes, size_t len)
{
    struct sndcp in;
    uint8_t again[SNDCP_FIRST_OCTETS];
    int octets = sndcp_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK((size_t)octets <= len && in.first == (in.segment == 0));
    FUZZ_CHECK(sndcp_encode(again, (size_t)octets - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(sndcp_encode(again, sizeof again, &in) == octets);
    FUZZ_CHECK(again[0] == (bytes[0] & 0x7f) && memcmp(again + 1, bytes + 1, (size_t)octets - 1) == 0);
}

/* As read, but for the spare bits of address and control field. */
static void check_header(const struct llc *in, const uint8_t *bytes)
{
    static const uint8_t counts[][LLC_I_OCTETS] = {[LLC_I] = {0xcf, 0xdf, 0xf7, 0xff},
                                                   [LLC_S] = {0xcf, 0xe7, 0xff},
                                                   [LLC_UI] = {0xcf, 0xe7, 0xff},
                                                   [LLC_U] = {0xcf, 0xff}};
    uint8_t again[LLC_I_OCTETS];
    int octets = in->header_octets;
    FUZZ_CHECK(llc_encode(again, (size_t)octets - 1, in) == ERR_NO_SPACE);
    FUZZ_CHECK(llc_encode(again, sizeof again, in) == octets);
    for (int i = 0; i < octets; i++)
        FUZZ_CHECK(again[i] == (bytes[i] & counts[in->format][i]));
}

static void check_fcs(const uint8_t *bytes, size_t len)
{
    uint8_t copy[64], sum[LLC_FCS_OCTETS];
    size_t octets = len < sizeof copy ? len : sizeof copy, cut = len ? bytes[0] % len : 0;
    uint32_t whole = llc_fcs(bytes, len), state = llc_fcs_update(LLC_FCS_START, bytes, cut);
    FUZZ_CHECK((llc_fcs_update(state, bytes + cut, len - cut) ^ LLC_FCS_START) == whole);
    llc_fcs_put(sum, whole);
    FUZZ_CHECK(whole <= 0xffffff && llc_fcs_get(sum) == whole);
    if (octets == 0)
        return;
    memcpy(copy, bytes, octets);
    copy[cut % octets] ^= (uint8_t)(1u << (bytes[0] & 7));
    FUZZ_CHECK(llc_fcs(copy, octets) != llc_fcs(bytes, octets));
}

/* Segments follow one another without gap, each fits, and only the last may be short. */
static void check_geometry(struct fuzz_input input)
{
    unsigned n201_u = (unsigned)fuzz_take(&input, 2) % 2048;
    size_t n_pdu = fuzz_take(&input, 2) % 32768, at = 0;
    int segments = sndcp_segments(n_pdu, n201_u);
    if (segments < 0) {
        FUZZ_CHECK(n201_u < 140 || n201_u > 1520 || n_pdu > 16u * (n201_u - 3) - 1);
        return;
    }
    FUZZ_CHECK(segments >= 1 && segments <= SNDCP_MAX_SEGMENTS);
    for (unsigned i = 0; i < (unsigned)segments; i++) {
        size_t octets = sndcp_segment_octets(n_pdu, n201_u, i);
        FUZZ_CHECK(sndcp_segment_offset(n201_u, i) == at);
        FUZZ_CHECK(octets + (i ? 3 : 4) <= n201_u && (octets > 0 || n_pdu == 0));
        FUZZ_CHECK(octets + (i ? 3 : 4) == n201_u || i + 1 == (unsigned)segments);
        at += octets;
    }
    FUZZ_CHECK(at == n_pdu && sndcp_segment_octets(n_pdu, n201_u, (unsigned)segments) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct llc in;
    int header = llc_decode(&in, bytes, len);
    check_fcs(bytes, len);
    check_geometry((struct fuzz_input){bytes, len});
    check_sndcp(bytes, len);
    if (header < 0)
        return 0;
    FUZZ_CHECK(header == in.header_octets && header + in.info_octets + LLC_FCS_OCTETS == len);
    FUZZ_CHECK(llc_is_sapi_known(in.sapi) && in.nu < LLC_NU_MODULUS);
    size_t covered = llc_fcs_covered_octets((size_t)header, in.info_octets, in.pm);
    FUZZ_CHECK(covered >= (size_t)header && covered + LLC_FCS_OCTETS <= len);
    check_header(&in, bytes);
    check_sndcp(bytes + header, in.info_octets);
    return 0;
}
