/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the IP packet begins in a frame of a capture, for each kind of link that is read. */
#ifndef ANALYZE_GI_FRAME_H
#define ANALYZE_GI_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Octets of a frame: `captured` of them are there, `wire_octets` there were. */
struct gi_frame {
    int64_t at_ns;
    const uint8_t *bytes;
    size_t captured, wire_octets;
};

/* link_type as pcap_datalink() says it. */
bool gi_frame_is_known(int link_type);

/* The names of the links, for a message. */
const char *gi_frame_links(void);

/* Cuts off the link's header, with all VLAN tags. False: no IP packet follows it, or it is not all there. */
bool gi_frame_strip(struct gi_frame *frame, int link_type);

#endif
