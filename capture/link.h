/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link layers of captures, by the link types of libpcap (DLT_...): Ethernet II, Linux cooked (SLL and SLL2),
 * loopback of BSD, raw IP.
 */
#ifndef CAPTURE_LINK_H
#define CAPTURE_LINK_H

#include "capture/frame.h"

#include <stdbool.h>

/* Whether frames of a link type, as pcap_datalink() gives it, can be decoded. */
bool capture_link_is_known(int link_type);

/* The names of the supported link layers, for a message. */
const char *capture_link_names(void);

/* Removes the link header and all VLAN tags (IEEE 802.1Q and 802.1ad). False, with the frame unusable: no IP
 * packet follows the header, or a part of the header is missing. */
bool capture_link_strip(struct capture_frame *frame);

/*
 * Replaces the link header by an Ethernet header, in `made` (room in octets). An Ethernet frame is not
 * changed. If a part of the link header is missing, the link type is not supported or the frame has no room,
 * the frame becomes empty (captured and wire_octets are 0).
 */
void capture_link_to_ethernet(struct capture_frame *frame, uint8_t *made, size_t room);

#endif
