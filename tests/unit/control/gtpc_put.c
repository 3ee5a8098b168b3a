/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/control/gtpc_put.h"

#include "dataplane/base/bytes.h"

#include <string.h>

enum { HEADER_OCTETS = 12, LENGTH_BEGINS = 8 };

static uint8_t *put_octet(uint8_t *at, uint8_t type, unsigned value)
{
    at[0] = type;
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put_teid(uint8_t *at, uint8_t type, uint32_t teid)
{
    at[0] = type;
    bytes_put_u32(at + 1, teid);
    return at + 5;
}

static uint8_t *put_long(uint8_t *at, uint8_t type, const uint8_t *value, size_t octets)
{
    at[0] = type;
    bytes_put_u16(at + 1, (uint16_t)octets);
    if (octets)
        memcpy(at + 3, value, octets);
    return at + 3 + octets;
}

static uint8_t *put_address(uint8_t *at, const struct gtpc_address *address)
{
    return put_long(at, 133, address->bytes, address->octets);
}

/* Of the IETF, with the addresses that are there. */
static uint8_t *put_end_user(uint8_t *at, const struct gtpc *in)
{
    uint8_t value[2 + 2 * sizeof(in->user_ipv6.bytes)] = {0xf1, in->pdp_type};
    memcpy(value + 2, in->user_ipv4.bytes, in->user_ipv4.octets);
    memcpy(value + 2 + in->user_ipv4.octets, in->user_ipv6.bytes, in->user_ipv6.octets);
    return put_long(at, 128, value, 2U + in->user_ipv4.octets + in->user_ipv6.octets);
}

/* ARP, and what is behind it. */
static uint8_t *put_qos(uint8_t *at, const struct gtpc *in)
{
    uint8_t value[256] = {in->arp};
    memcpy(value + 1, in->qos, in->qos_octets);
    return put_long(at, 135, value, 1U + in->qos_octets);
}

static uint8_t *put_short(uint8_t *at, const struct gtpc *in)
{
    if (in->has & GTPC_HAS_CAUSE)
        at = put_octet(at, 1, in->cause);
    if (in->has & GTPC_HAS_RECOVERY)
        at = put_octet(at, 14, in->recovery);
    if (in->has & GTPC_HAS_TEID_DATA)
        at = put_teid(at, 16, in->teid_data);
    if (in->has & GTPC_HAS_TEID_CONTROL)
        at = put_teid(at, 17, in->teid_control);
    if (in->has & GTPC_HAS_TEARDOWN)
        at = put_octet(at, 19, 0xfeU | in->teardown);
    if (in->has & GTPC_HAS_NSAPI)
        at = put_octet(at, 20, in->nsapi);
    return at;
}

int gtpc_put(uint8_t bytes[GTPC_PUT_OCTETS], const struct gtpc *in)
{
    uint8_t *at = put_short(bytes + HEADER_OCTETS, in);
    memset(bytes, 0, HEADER_OCTETS);
    if (in->has & GTPC_HAS_END_USER)
        at = put_end_user(at, in);
    if (in->has & GTPC_HAS_CONTROL_ADDRESS)
        at = put_address(at, &in->control);
    if (in->has & GTPC_HAS_USER_ADDRESS)
        at = put_address(at, &in->user);
    if (in->has & GTPC_HAS_CONTROL_OTHER)
        at = put_address(at, &in->control_other);
    if (in->has & GTPC_HAS_QOS)
        at = put_qos(at, in);
    bytes[0] = 0x32; /* version 1, GTP, with a number */
    bytes[1] = in->type;
    bytes_put_u16(bytes + 2, (uint16_t)(at - bytes - LENGTH_BEGINS));
    bytes_put_u32(bytes + 4, in->teid);
    bytes_put_u16(bytes + 8, in->seq);
    return (int)(at - bytes);
}
