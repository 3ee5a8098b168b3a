/* SPDX-License-Identifier: BSD-3-Clause */
/* Captured frames of Gb as UDP datagrams for Wireshark: LLC frames in GSMTAP, and copies of the NS PDUs. */
#ifndef CONTROL_LIVE_CAPTURE_UDP_H
#define CONTROL_LIVE_CAPTURE_UDP_H

#include "dataplane/worker/tap.h"

#define LIVE_CAPTURE_UDP_PREFIX  "udp:"
#define LIVE_CAPTURE_UDP_NS_PORT 2157 /* at which Wireshark expects NS */

struct live_capture_udp {
    bool is_on;
    int gsmtap_fd, ns_fd; /* connected sockets; -1: not wanted */
};

/* Opens the sockets of "udp:gsmtap=ADDRESS,ns=ADDRESS", of which one may be missing. ADDRESS is 192.0.2.1,
 * 192.0.2.1:4729 or [2001:db8::1]:4729. NULL, or a message (static, or of strerror()). */
const char *live_capture_udp_open(struct live_capture_udp *udp, const char *text);
void live_capture_udp_close(struct live_capture_udp *udp);

/* Sends a frame; false: a socket did not take it. Dropped N-PDUs, which are no frames of Gb, are left out. */
bool live_capture_udp_send(const struct live_capture_udp *udp, const struct tap_record *record);

#endif
