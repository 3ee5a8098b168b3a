/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capture on request: writes the copies of frames in the workers' taps (worker/tap.h) to a pcapng file, with
 * a comment on each packet. Interface "gb" has frames of Gb, "dropped" the downlink IP packets that were
 * dropped, "gn" frames of Gn if the capture is one of guarded ports.
 */
#ifndef CONTROL_LIVE_CAPTURE_H
#define CONTROL_LIVE_CAPTURE_H

#include "capture/writer.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/tap.h"

#include <sys/socket.h>

/* Captured frames of Gb as UDP datagrams for Wireshark: LLC frames in GSMTAP, and copies of the NS PDUs. */

#define LIVE_CAPTURE_UDP_PREFIX  "udp:"
#define LIVE_CAPTURE_UDP_NS_PORT 2157 /* at which Wireshark expects NS */

/* Not connected: the next send() of a connected socket fails with the ICMP message about the datagram before,
 * and takes nothing. There is such a message for each datagram, as Wireshark binds no port. */
struct live_capture_udp_end {
    int fd; /* -1: not wanted */
    socklen_t address_octets;
    struct sockaddr_storage address;
};

struct live_capture_udp {
    bool is_on;
    struct live_capture_udp_end gsmtap, ns;
};

/* Opens the sockets of "udp:gsmtap=ADDRESS,ns=ADDRESS", of which one may be missing. ADDRESS is 192.0.2.1,
 * 192.0.2.1:4729 or [2001:db8::1]:4729. NULL, or a message (static, or of strerror()). */
const char *live_capture_udp_open(struct live_capture_udp *udp, const char *text);
void live_capture_udp_close(struct live_capture_udp *udp);

/* Sends a frame; false: a socket did not take it. Dropped N-PDUs, which are no frames of Gb, are left out. */
bool live_capture_udp_send(const struct live_capture_udp *udp, const struct tap_record *record);

#define LIVE_CAPTURE_PATH_CHARS 512

struct live;
struct outlet;

#define LIVE_CAPTURE_ENDINGS 4 /* captures that are over but not all written, and the present one */

/* A capture that is over, whose last octets are on their way to a slow file or FIFO. */
struct live_capture_ending {
    struct outlet *outlet; /* NULL: the place is free */
    int fd, error;
    bool is_file; /* not a FIFO */
    uint64_t packets;
    int64_t since_ns; /* of the node's clock */
    char path[LIVE_CAPTURE_PATH_CHARS];
};

struct live_capture {
    struct tap *taps[TEID_WORKERS]; /* of workers; NULL before the first capture */
    bool is_on;
    struct capture_writer out; /* into the outlet, so that a slow disk or reader does not stop control */
    struct outlet *outlet;
    struct live_capture_udp udp; /* on: frames are sent, not written */
    enum tap_side side;          /* of the present capture */
    int fd;
    int error;          /* errno that ended the last capture; 0: none */
    uint64_t unwritten; /* packets of this capture for which the outlet had no room */
    char path[LIVE_CAPTURE_PATH_CHARS];
    int64_t since_1970_ns; /* from the start of the node's clock back to 1970 */
    uint64_t wanted;       /* packets; 0: until it is stopped */
    uint64_t packets;      /* written to the present file, or the last one */
    struct live_capture_ending endings[LIVE_CAPTURE_ENDINGS];
};

/*
 * Starts a capture by "TLLI,BVCI,COUNT,PATH": numbers in base 10; TLLI or BVCI 0: all, COUNT 0: no limit.
 * A word of a side before PATH: the frames of guarded ports there.
 * PATH is a new file, made with mode 0600, or a FIFO that is read; no symbolic link. Or "udp:...": frames are
 * sent (capture_udp.c). Returns NULL, or an error text (static, or of strerror()).
 */
const char *live_capture_start(struct live *live, const char *request);

/* Ends the capture after writing all copies made so far, the last of them later. No effect without a capture.
 */
void live_capture_stop(struct live *live);

/* Whether a file (not a FIFO) of a capture that is over is not yet complete. */
bool live_capture_is_pending(const struct live *live);

/* Writes the copies in the taps, and looks after captures that are over; returns the next deadline,
 * MOMENT_NEVER without a capture. */
int64_t live_capture_step(struct live *live, int64_t now);

/* Frames of all captures that were not copied because a tap was full, and those of the last one for which its
 * file was too slow. */
uint64_t live_capture_lost(const struct live_capture *capture);

/* Ends the capture and frees everything; no worker may be in a step. */
void live_capture_close(struct live *live);

#endif
