/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a capture file (pcap or pcapng, through libpcap) as Ethernet frames in virtual time. */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPTURE_ERROR_OCTETS 300
#define CAPTURE_MAX_OCTETS   65550

/* The longest silence. A clock that leaps further was set: forwards it counts as this, backwards as nothing.
 */
#define CAPTURE_MAX_GAP_NS INT64_C(86400000000000)

struct pcap;

struct capture {
    struct pcap *pcap;
    int link_type;
    uint64_t frames;      /* read so far */
    uint64_t cut_short;   /* of them, shorter than they were on the wire (snap length) */
    int64_t leapt_ns;     /* cut out of gaps so far */
    uint64_t clock_steps; /* timestamps before the one of the frame before, or out of all distance to it */
    int64_t last_ns;
    int64_t file_octets; /* of the whole file, 0 when not known */
    bool is_broken;      /* it ended with an error; what came before was read */
    char error[CAPTURE_ERROR_OCTETS];
    uint8_t made[CAPTURE_MAX_OCTETS]; /* a frame with an Ethernet header of ours */
};

struct capture_frame {
    int64_t at_ns;
    const uint8_t *bytes; /* until the next read */
    size_t octets;
};

/*
 * Opens a capture of Ethernet, raw IP or Linux cooked frames; the latter two get an Ethernet header. 0, or -1
 * with the reason in error.
 */
int capture_open(struct capture *c, const char *path);
void capture_close(struct capture *c);

/* The next frame; false at the end, also when the file is damaged there (is_broken, error). */
bool capture_next(struct capture *c, struct capture_frame *frame);

/* How much of the file has been read, in percent; -1 when not known. */
int capture_percent(const struct capture *c);

#endif
