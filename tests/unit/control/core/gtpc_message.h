/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C messages in frames, made octet by octet, without the codecs. */
#ifndef TESTS_UNIT_CONTROL_CORE_GTPC_MESSAGE_H
#define TESTS_UNIT_CONTROL_CORE_GTPC_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One message on the wire. Zero fields: nothing special. */
struct gtpc_message {
    uint8_t type, from, to;
    uint16_t seq;
    uint32_t teid;  /* of the header */
    uint8_t cause;  /* of a response; 0: accepted */
    uint8_t nsapi;  /* 0: 5 */
    uint8_t mobile; /* last digit of the IMSI */
    uint8_t
        tunnel; /* its TEIDs: 0x10 + this for the SGSN's data, 0x20 for its control, 0x30, 0x40 the GGSN's */
    bool is_teardown, is_ipv6, has_no_data_teid,
        is_over_ipv6; /* the last: between 2001::x, signalling, too */
    uint8_t host;     /* with is_ipv6: last octet of its address for user traffic, 0: no address */
};

struct gtpc_message_bytes {
    uint8_t at[256];
    size_t octets;
};

/* Writes the Ethernet frame with a message, between 10.0.0.x or 2001::x. */
void gtpc_message_build(struct gtpc_message_bytes *frame, const struct gtpc_message *m);

#endif
