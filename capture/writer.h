/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer of a capture as pcapng (draft-ietf-opsawg-pcapng) with nanosecond timestamps, in the machine's
 * byte order: one section, named interfaces. libpcap writes only pcap, which has no interface names,
 * directions and comments.
 */
#ifndef CAPTURE_WRITER_H
#define CAPTURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* GSMTAP version 2: a header of 16 octets in front of a frame in a UDP datagram, which Wireshark decodes at
 * port 4729. Only the type LLC of GPRS (8) is written. */

#define GSMTAP_PORT   4729
#define GSMTAP_OCTETS 16

/* Writes the header of an LLC frame. */
void gsmtap_llc_header(uint8_t out[GSMTAP_OCTETS], bool is_uplink);

/* The LLC frame in an NS PDU with UL-UNITDATA or DL-UNITDATA; NULL: there is none. */
const uint8_t *gsmtap_llc_of(const uint8_t *ns, size_t octets, size_t *llc_octets);

struct capture_writer {
    FILE *file;
    int error; /* errno of the first write that failed; 0: none did */
};
/* Link types. */
#define CAPTURE_WRITER_ETHERNET 1
#define CAPTURE_WRITER_RAW_IP   101 /* packets begin with an IP header */

/* Creates the file, with one Ethernet interface of this name (index 0). 0, or a positive errno. */
int capture_writer_open(struct capture_writer *w, const char *path, const char *interface_name);

/* The same into an open stream, which capture_writer_close() closes. */
void capture_writer_begin(struct capture_writer *w, FILE *file, const char *interface_name);

/* Writes one frame of interface 0. capture_writer_close() reports failures. */
void capture_writer_put(struct capture_writer *w, int64_t at_ns, const uint8_t *frame, size_t octets);

/* Describes one more interface; their indices count up. */
void capture_writer_add_interface(struct capture_writer *w, const char *name, uint16_t link_type);

enum capture_direction { CAPTURE_UNKNOWN, CAPTURE_IN, CAPTURE_OUT };

struct capture_writer_packet {
    uint32_t interface;
    int64_t at_ns;
    const uint8_t *octets;
    size_t kept_octets, octets_in_all;
    const char *comment; /* NULL: none; at most 256 octets of it are written */
    enum capture_direction direction;
};

/* Writes one packet of any interface, with its comment and direction. */
void capture_writer_put_packet(struct capture_writer *w, const struct capture_writer_packet *packet);

/* Closes the file. 0, or the positive errno of the first write that failed. No effect if it is not open. */
int capture_writer_close(struct capture_writer *w);

#endif
