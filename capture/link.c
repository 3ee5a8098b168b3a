/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/link.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"

#include <pcap/dlt.h>

#ifndef DLT_LINUX_SLL2
#define DLT_LINUX_SLL2 276
#endif

enum { TAG_OCTETS = 4, TYPE_SERVICE_VLAN = 0x88a8, NO_TYPE = -1 };

/* Link headers. type_offset: of the EtherType; NO_TYPE: an IP packet follows, whose version gives the type.
 */
static const struct header {
    int link_type;
    int octets, type_offset;
} headers[] = {
    {DLT_EN10MB, ETHER_OCTETS, 12}, {DLT_RAW, 0, NO_TYPE},  {DLT_LINUX_SLL, 16, 14}, {DLT_LINUX_SLL2, 20, 0},
    {DLT_NULL, 4, NO_TYPE},         {DLT_LOOP, 4, NO_TYPE}, {DLT_IPV4, 0, NO_TYPE},  {DLT_IPV6, 0, NO_TYPE},
};

static const struct header *header_of(int link_type)
{
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (headers[i].link_type == link_type)
            return &headers[i];
    return NULL;
}

bool capture_link_is_known(int link_type)
{
    return header_of(link_type) != NULL;
}

const char *capture_link_names(void)
{
    return "Ethernet, raw IP, loopback, Linux cooked";
}

static void skip(struct capture_frame *frame, int octets)
{
    frame->bytes += octets;
    frame->captured -= (size_t)octets;
    frame->wire_octets -= (size_t)octets;
}

static uint16_t type_of(const struct capture_frame *frame, const struct header *header)
{
    if (header->type_offset != NO_TYPE)
        return bytes_get_u16(frame->bytes + header->type_offset);
    bool is_ipv6 = frame->captured > (size_t)header->octets && frame->bytes[header->octets] >> 4 == 6;
    return is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4;
}

bool capture_link_strip(struct capture_frame *frame)
{
    const struct header *header = header_of(frame->link_type);
    if (!header || frame->captured < (size_t)header->octets)
        return false;
    uint16_t type = type_of(frame, header);
    skip(frame, header->octets);
    while (type == ETHER_TYPE_VLAN || type == TYPE_SERVICE_VLAN) {
        if (frame->captured < TAG_OCTETS)
            return false;
        type = bytes_get_u16(frame->bytes + 2);
        skip(frame, TAG_OCTETS);
    }
    return type == ETHER_TYPE_IPV4 || type == ETHER_TYPE_IPV6;
}

void capture_link_to_ethernet(struct capture_frame *frame, uint8_t *made, size_t room)
{
    const struct header *header = header_of(frame->link_type);
    if (header && header->link_type == DLT_EN10MB)
        return;
    if (!header || frame->captured < (size_t)header->octets ||
        frame->captured - (size_t)header->octets + ETHER_OCTETS > room) {
        frame->captured = frame->wire_octets = 0;
        return;
    }
    struct ether ether = {.type = type_of(frame, header)};
    skip(frame, header->octets);
    ether_encode(made, ETHER_OCTETS, &ether);
    memcpy(made + ETHER_OCTETS, frame->bytes, frame->captured);
    frame->bytes = made;
    frame->captured += ETHER_OCTETS;
    frame->wire_octets += ETHER_OCTETS;
    frame->link_type = DLT_EN10MB;
}
