/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/data/vectors/recode.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/llc_xid.h"
#include "dataplane/wire/ns.h"

#include <stdbool.h>
#include <string.h>

enum { NS_LAST = 19, BSSGP_LAST = 69, CIPHERED = 72, LLC_LAST = 92, GTPU_LAST = 100, FORWARDED = 120 };

static int recode_ns(const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    struct ns ns;
    int n = ns_decode(&ns, bytes, len);
    return n < 0 ? n : ns_encode(again, cap, &ns);
}

static int recode_bssgp(const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    struct bssgp pdu;
    int n = bssgp_decode(&pdu, bytes, len);
    return n < 0 ? n : bssgp_encode(again, cap, &pdu);
}

static int recode_sndcp(const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    struct sndcp sndcp;
    int n = sndcp_decode(&sndcp, bytes, len);
    if (n < 0)
        return n;
    int octets = sndcp_encode(again, cap, &sndcp);
    if (octets < 0)
        return octets;
    memcpy(again + octets, bytes + n, len - (size_t)n);
    return octets + (int)len - n;
}

static int recode_xid(const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    struct llc_xid xid;
    int n = llc_xid_decode(&xid, bytes, len);
    return n < 0 ? n : llc_xid_encode(again, cap, &xid);
}

/* Information by what carries it; signalling and acknowledged mode are octets. */
static int recode_information(const struct llc *llc, const uint8_t *bytes, uint8_t *again, size_t cap)
{
    bool is_user = llc->sapi == LLC_SAPI_DATA_3 && llc->format == LLC_UI;
    if (is_user)
        return recode_sndcp(bytes, llc->info_octets, again, cap);
    if (llc->format == LLC_U && llc->command == LLC_XID)
        return recode_xid(bytes, llc->info_octets, again, cap);
    memcpy(again, bytes, llc->info_octets);
    return (int)llc->info_octets;
}

static uint32_t fcs_of(const struct llc *llc, const uint8_t *bytes, size_t header, size_t info)
{
    return llc_fcs(bytes, llc_fcs_covered_octets(header, info, llc->pm));
}

static int recode_llc(const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    struct llc llc;
    int header = llc_decode(&llc, bytes, len);
    if (header < 0)
        return header;
    if (fcs_of(&llc, bytes, (size_t)header, llc.info_octets) != llc_fcs_get(bytes + len - LLC_FCS_OCTETS))
        return ERR_CHECKSUM;
    int octets = llc_encode(again, cap, &llc);
    int info = recode_information(&llc, bytes + header, again + octets, cap - (size_t)octets);
    if (info < 0)
        return info;
    llc_fcs_put(again + octets + info, fcs_of(&llc, again, (size_t)octets, (size_t)info));
    return octets + info + LLC_FCS_OCTETS;
}

/* Row 72 is this frame after ciphering, which adds the same octets to both of them. */
static const uint8_t clear[] = {0x43, 0xc0, 0x17, 0x65, 0x00, 0x00, 0x07, 0x45, 0x00, 0x00, 0x1c, 0x00, 0x01,
                                0x00, 0x00, 0x40, 0x01, 0xae, 0xd2, 0xc0, 0x00, 0x02, 0x01, 0x0a, 0x0b, 0x00,
                                0x02, 0x08, 0x00, 0xf7, 0xfe, 0x00, 0x00, 0x00, 0x01, 0x18, 0x3d, 0x1c};
static const uint8_t ciphered[] = {0x43, 0xc0, 0x17, 0x08, 0xd2, 0x85, 0x1d, 0xe7, 0x81, 0x5e,
                                   0x40, 0x77, 0xb2, 0x26, 0x43, 0x5b, 0x54, 0xee, 0x32, 0x3d,
                                   0x8e, 0x71, 0xb9, 0x7e, 0x2e, 0xf0, 0x0f, 0xea, 0x9a, 0x3f,
                                   0x27, 0x2f, 0x94, 0x89, 0xb1, 0x5a, 0xb0, 0xc5};

static void cipher(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len && i < sizeof clear; i++)
        bytes[i] ^= clear[i] ^ ciphered[i];
}

static int recode_ciphered(const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    uint8_t plain[sizeof clear];
    memcpy(plain, bytes, len);
    cipher(plain, len);
    int octets = recode_llc(plain, len, again, cap);
    cipher(again, octets < 0 ? 0 : (size_t)octets);
    return octets;
}

/* Extension headers and elements behind octet `from`, one by one; a T-PDU as it is. */
static int recode_gtp_body(const struct gtpu *header, const uint8_t *bytes, size_t from, uint8_t *again,
                           size_t cap)
{
    struct gtpu_extension next = {.next = header->flags & GTPU_E ? bytes[GTPU_LONG_OCTETS - 1] : 0};
    size_t end = header->payload_offset + header->payload_octets, at = from;
    int n = 0, octets = 0;
    for (; next.next && n >= 0; at += (size_t)n, octets += n) {
        gtpu_extension_decode(&next, next.next, bytes + at, end - at);
        n = gtpu_extension_encode(again + octets, cap - (size_t)octets, &next);
    }
    if (header->type == GTPU_G_PDU) {
        memcpy(again + octets, bytes + at, end - at);
        return octets + (int)(end - at);
    }
    for (struct gtp_ie ie; n >= 0 && (n = gtp_ie_decode(&ie, bytes + at, end - at)) > 0; at += (size_t)n) {
        n = gtp_ie_encode(again + octets, cap - (size_t)octets, &ie);
        octets += n;
    }
    return n < 0 ? n : octets;
}

static int recode_gtp(bool is_control, const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    struct gtpu header;
    struct gtpc message;
    int n = is_control ? gtpc_decode(&message, bytes, len) : gtpu_decode(&header, bytes, len);
    if (n < 0)
        return n;
    gtpu_header_decode(&header, bytes, len);
    size_t from = header.flags & (GTPU_E | GTPU_S | GTPU_PN) ? GTPU_LONG_OCTETS : GTPU_OCTETS;
    int body = recode_gtp_body(&header, bytes, from, again + from, cap - from);
    if (body < 0)
        return body;
    header.extension = header.flags & GTPU_E ? bytes[GTPU_LONG_OCTETS - 1] : 0;
    header.payload_octets = (uint16_t)body;
    return gtpu_encode(again, cap, &header) + body;
}

int recode(unsigned number, const uint8_t *bytes, size_t len, uint8_t *again, size_t cap)
{
    if (number <= NS_LAST)
        return recode_ns(bytes, len, again, cap);
    if (number <= BSSGP_LAST)
        return recode_bssgp(bytes, len, again, cap);
    if (number == CIPHERED)
        return recode_ciphered(bytes, len, again, cap);
    if (number <= LLC_LAST)
        return recode_llc(bytes, len, again, cap);
    return recode_gtp(number > GTPU_LAST && number != FORWARDED, bytes, len, again, cap);
}
