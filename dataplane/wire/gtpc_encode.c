/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"

#include <string.h>

enum {
    ELEMENT_MAX_OCTETS = 256,
    LABEL_MAX_OCTETS = 63,
    IMSI_OCTETS = 8,
    INTERNATIONAL_NUMBER = 0x91, /* TS 29.002 AddressString: no extension, E.164 */
    ORGANISATION_IETF = 0xf1,
};

/* --- values: each returns octets, or an error --- */

/* TBCD: the lower nibble first, 15 fills. */
static int put_digits(uint8_t *bytes, const char *digits)
{
    size_t count = strlen(digits);
    if (count == 0 || count >= GTPC_NUMBER_CHARS)
        return ERR_RANGE;
    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return ERR_RANGE;
        unsigned digit = (unsigned)(digits[i] - '0');
        bytes[i / 2] = (uint8_t)(i % 2 ? (bytes[i / 2] & 15) | digit << 4 : 0xf0 | digit);
    }
    return (int)(count + 1) / 2;
}

static int put_imsi(uint8_t *bytes, const struct gtpc *in)
{
    memset(bytes, 0xff, IMSI_OCTETS);
    int octets = put_digits(bytes, in->imsi);
    return octets < 0 ? octets : IMSI_OCTETS;
}

static int put_msisdn(uint8_t *bytes, const struct gtpc *in)
{
    bytes[0] = INTERNATIONAL_NUMBER;
    int octets = put_digits(bytes + 1, in->msisdn);
    return octets < 0 ? octets : 1 + octets;
}

/* Labels with their lengths in front (TS 23.003 clause 9.1). */
static int put_apn(uint8_t *bytes, const struct gtpc *in)
{
    int done = 0;
    if (strlen(in->apn) >= GTPC_APN_CHARS)
        return ERR_RANGE;
    for (const char *label = in->apn;; label++) {
        size_t octets = strcspn(label, ".");
        if (octets == 0 || octets > LABEL_MAX_OCTETS)
            return ERR_RANGE;
        bytes[done] = (uint8_t)octets;
        memcpy(bytes + done + 1, label, octets);
        done += 1 + (int)octets;
        label += octets;
        if (*label == '\0')
            return done;
    }
}

static int put_address(uint8_t *bytes, const struct gtpc_address *address)
{
    if (address->octets != 4 && address->octets != sizeof(address->bytes))
        return ERR_RANGE;
    memcpy(bytes, address->bytes, address->octets);
    return address->octets;
}

static int put_control_address(uint8_t *bytes, const struct gtpc *in)
{
    return put_address(bytes, &in->control);
}

static int put_user_address(uint8_t *bytes, const struct gtpc *in)
{
    return put_address(bytes, &in->user);
}

static int put_control_other(uint8_t *bytes, const struct gtpc *in)
{
    return put_address(bytes, &in->control_other);
}

/* Without addresses the mobile asks for one (7.7.27). */
static int put_end_user(uint8_t *bytes, const struct gtpc *in)
{
    unsigned ipv4 = in->user_ipv4.octets, ipv6 = in->user_ipv6.octets;
    if ((ipv4 && in->pdp_type == GTPC_PDP_IPV6) || (ipv6 && in->pdp_type == GTPC_PDP_IPV4) ||
        (ipv4 != 0 && ipv4 != 4) || (ipv6 != 0 && ipv6 != sizeof(in->user_ipv6.bytes)))
        return ERR_RANGE;
    bytes[0] = ORGANISATION_IETF;
    bytes[1] = in->pdp_type;
    memcpy(bytes + 2, in->user_ipv4.bytes, ipv4);
    memcpy(bytes + 2 + ipv4, in->user_ipv6.bytes, ipv6);
    return (int)(2 + ipv4 + ipv6);
}

static int put_qos(uint8_t *bytes, const struct gtpc *in)
{
    if (in->qos_octets >= ELEMENT_MAX_OCTETS)
        return ERR_RANGE;
    bytes[0] = in->arp;
    if (in->qos_octets > 0)
        memcpy(bytes + 1, in->qos, in->qos_octets);
    return 1 + in->qos_octets;
}

static int put_pco(uint8_t *bytes, const struct gtpc *in)
{
    memcpy(bytes, in->pco, in->pco_octets);
    return in->pco_octets;
}

static int put_octet(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)value;
    return 1;
}

static int put_cause(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, in->cause);
}

static int put_recovery(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, in->recovery);
}

/* Spare bits are 1 (7.7.12, 7.7.16). */
static int put_selection(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, 0xfcU | in->selection);
}

static int put_teardown(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, 0xfeU | in->teardown);
}

static int put_nsapi(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, in->nsapi & 15U);
}

static int put_linked_nsapi(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, in->linked_nsapi & 15U);
}

static int put_rat_type(uint8_t *bytes, const struct gtpc *in)
{
    return put_octet(bytes, in->rat_type);
}

static int put_teid_data(uint8_t *bytes, const struct gtpc *in)
{
    bytes_put_u32(bytes, in->teid_data);
    return 4;
}

static int put_teid_control(uint8_t *bytes, const struct gtpc *in)
{
    bytes_put_u32(bytes, in->teid_control);
    return 4;
}

/* --- the message --- */

/* In the order in which they are sent (TS 29.060 clause 7.7: ascending types). */
static const struct {
    uint32_t has;
    uint8_t type;
    int (*put)(uint8_t *bytes, const struct gtpc *in);
} elements[] = {
    {GTPC_HAS_CAUSE, GTP_IE_CAUSE, put_cause},
    {GTPC_HAS_IMSI, GTP_IE_IMSI, put_imsi},
    {GTPC_HAS_RECOVERY, GTP_IE_RECOVERY, put_recovery},
    {GTPC_HAS_SELECTION, GTP_IE_SELECTION, put_selection},
    {GTPC_HAS_TEID_DATA, GTP_IE_TEID_DATA, put_teid_data},
    {GTPC_HAS_TEID_CONTROL, GTP_IE_TEID_CONTROL, put_teid_control},
    {GTPC_HAS_TEARDOWN, GTP_IE_TEARDOWN, put_teardown},
    {GTPC_HAS_NSAPI, GTP_IE_NSAPI, put_nsapi},
    {GTPC_HAS_LINKED_NSAPI, GTP_IE_NSAPI, put_linked_nsapi},
    {GTPC_HAS_END_USER, GTP_IE_END_USER_ADDRESS, put_end_user},
    {GTPC_HAS_APN, GTP_IE_APN, put_apn},
    {GTPC_HAS_PCO, GTP_IE_PCO, put_pco},
    {GTPC_HAS_CONTROL_ADDRESS, GTP_IE_GSN_ADDRESS, put_control_address},
    {GTPC_HAS_USER_ADDRESS, GTP_IE_GSN_ADDRESS, put_user_address},
    {GTPC_HAS_CONTROL_OTHER, GTP_IE_GSN_ADDRESS, put_control_other},
    {GTPC_HAS_MSISDN, GTP_IE_MSISDN, put_msisdn},
    {GTPC_HAS_QOS, GTP_IE_QOS, put_qos},
    {GTPC_HAS_RAT_TYPE, GTP_IE_RAT_TYPE, put_rat_type},
};

static int put_elements(uint8_t *bytes, size_t cap, const struct gtpc *in)
{
    uint8_t value[ELEMENT_MAX_OCTETS];
    int done = 0;
    for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
        if (!(in->has & elements[i].has))
            continue;
        int octets = elements[i].put(value, in);
        if (octets < 0)
            return octets;
        struct gtp_ie ie = {.type = elements[i].type, .octets = (uint16_t)octets, .value = value};
        octets = gtp_ie_encode(bytes + done, cap - (size_t)done, &ie);
        if (octets < 0)
            return octets;
        done += octets;
    }
    return done;
}

int gtpc_encode(uint8_t *bytes, size_t cap, const struct gtpc *in)
{
    uint32_t needs;
    if (!gtpc_needs(in->type, &needs) || (~in->has & needs))
        return ERR_RANGE;
    if (cap < GTPU_LONG_OCTETS)
        return ERR_NO_SPACE;
    int octets = put_elements(bytes + GTPU_LONG_OCTETS, cap - GTPU_LONG_OCTETS, in);
    if (octets < 0)
        return octets;
    struct gtpu header = {.type = in->type,
                          .teid = in->teid,
                          .flags = GTPU_S,
                          .seq = in->seq,
                          .payload_octets = (uint16_t)octets};
    int head = gtpu_encode(bytes, cap, &header);
    return head < 0 ? head : head + octets;
}
