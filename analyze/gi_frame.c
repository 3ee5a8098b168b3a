/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_frame.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"

#include <pcap/dlt.h>

enum {
    LOOPBACK_OCTETS = 4,
    COOKED_OCTETS = 16,
    COOKED2_OCTETS = 20,
    TAG_OCTETS = 4,
    TYPE_SERVICE_VLAN = 0x88a8
};

#ifndef DLT_LINUX_SLL2
#define DLT_LINUX_SLL2 276
#endif

bool gi_frame_is_known(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
    case DLT_NULL:
    case DLT_LOOP:
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
        return true;
    default:
        return false;
    }
}

const char *gi_frame_links(void)
{
    return "Ethernet, raw IP, loopback, Linux cooked";
}

static bool skip(struct gi_frame *frame, size_t octets)
{
    if (frame->captured < octets)
        return false;
    frame->bytes += octets;
    frame->captured -= octets;
    frame->wire_octets -= octets;
    return true;
}

/* Tags and then IP, or not, behind a header that ended with this type. */
static bool is_ip(struct gi_frame *frame, uint16_t type)
{
    while (type == ETHER_TYPE_VLAN || type == TYPE_SERVICE_VLAN) {
        if (frame->captured < TAG_OCTETS)
            return false;
        type = bytes_get_u16(frame->bytes + 2);
        skip(frame, TAG_OCTETS);
    }
    return type == ETHER_TYPE_IPV4 || type == ETHER_TYPE_IPV6;
}

/* A header of so many octets with the packet's type in two of them. */
static bool is_typed_ip(struct gi_frame *frame, size_t octets, size_t type_offset)
{
    if (frame->captured < octets)
        return false;
    uint16_t type = bytes_get_u16(frame->bytes + type_offset);
    skip(frame, octets);
    return is_ip(frame, type);
}

bool gi_frame_strip(struct gi_frame *frame, int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
        return is_typed_ip(frame, ETHER_OCTETS, 12);
    case DLT_LINUX_SLL:
        return is_typed_ip(frame, COOKED_OCTETS, 14);
    case DLT_LINUX_SLL2:
        return is_typed_ip(frame, COOKED2_OCTETS, 0);
    case DLT_NULL:
    case DLT_LOOP:
        return skip(frame, LOOPBACK_OCTETS);
    default:
        return gi_frame_is_known(link_type);
    }
}
