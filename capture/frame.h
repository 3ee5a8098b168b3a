/* SPDX-License-Identifier: BSD-3-Clause */
/* One frame of a capture. */
#ifndef CAPTURE_FRAME_H
#define CAPTURE_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* captured <= wire_octets, unless a function's comment differs. */
struct capture_frame {
    int64_t at_ns;        /* since 1970-01-01, at least 0 */
    const uint8_t *bytes; /* owned by the reader; valid until its next call */
    size_t captured;      /* octets in the capture, at most the snap length */
    size_t wire_octets;   /* octets on the wire */
    int link_type;        /* as pcap_datalink() returns it (DLT_...) */
};

#endif
