/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compression of TCP/IPv4 headers (RFC 1144), as SNDCP carries it (TS 44.065 clause 6.5.2): the type of a
 * packet stands in PCOMP, not in its first octet.
 *
 *     VJ_UNCOMPRESSED   the packet with its slot in the protocol field; the checksum of IP fits protocol 6
 *     VJ_COMPRESSED     0 C I P S A W U | slot if C | TCP checksum, 2 | urgent pointer if U |
 *                       changes of window if W, acknowledgement if A, sequence number if S, IP ID if I
 *                       (else it grew by 1) | data
 *
 * A number is one octet of 1 to 255, or 0 and two octets. S.WU = 0x0b: sequence number and acknowledgement
 * grew by the data of the last packet; SAWU = 0x0f: the sequence number alone did.
 *
 * Changes that RFC 1144 does not carry make a packet VJ_UNCOMPRESSED: another TOS (so ECN in IP), TTL or DF
 * bit; ECE, CWR and reserved bits of TCP; any change of TCP's options. So do retransmissions, which repair
 * the peer's slot after a loss. Packets with options of IP are not compressed, nor are those with headers
 * above VJ_SENT_HEADER_OCTETS; the decompressor takes both.
 *
 * A loss between compressor and decompressor shifts the later packets of its connection until one is
 * VJ_UNCOMPRESSED. TCP's checksum finds most of them, not all: an acknowledgement of n octets that takes n
 * octets from the window leaves the sum as it was. vj_refresh_slot() repairs the slot of a known loss.
 */
#ifndef DATAPLANE_COMPRESSION_VJ_H
#define DATAPLANE_COMPRESSION_VJ_H

#include <stddef.h>
#include <stdint.h>

enum { VJ_MAX_SLOTS = 256, VJ_SENT_HEADER_OCTETS = 60, VJ_TAKEN_HEADER_OCTETS = 120 };

enum vj_type { VJ_IP, VJ_UNCOMPRESSED, VJ_COMPRESSED };

/* Why a packet is not decompressed. */
enum vj_error {
    VJ_MALFORMED = -1,  /* shorter than its fields, or no header of TCP/IPv4 */
    VJ_NO_SLOT = -2,    /* a slot that the peer did not agree on */
    VJ_EMPTY_SLOT = -3, /* VJ_COMPRESSED before any VJ_UNCOMPRESSED */
    VJ_TOSSED = -4,     /* without a slot, behind an error or a loss */
    VJ_CHECKSUM = -5,   /* of the IP header */
    VJ_TOO_LONG = -6,   /* more than 65535 octets with its header */
    VJ_NO_ROOM = -7,    /* for the header, in front of the packet */
};

struct vj_compressor;
struct vj_decompressor;

/* Octets of memory for 1 to VJ_MAX_SLOTS slots, to be aligned to 64. 16 slots: 1088 and 2112. */
size_t vj_compressor_octets(unsigned slots);
size_t vj_decompressor_octets(unsigned slots);

/* All slots are empty; the memory is the caller's. */
void vj_compressor_start(struct vj_compressor *c, unsigned slots);
void vj_decompressor_start(struct vj_decompressor *d, unsigned slots);

/*
 * Compresses an IP packet in place; the data stay where they are. Returns the octets taken off its front, 0
 * unless VJ_COMPRESSED. The slot is always sent (C), so that a loss in one connection does not end others.
 */
unsigned vj_compress(struct vj_compressor *c, uint8_t *packet, unsigned octets, enum vj_type *type);

/* The slot of the last packet that was VJ_UNCOMPRESSED or VJ_COMPRESSED. */
unsigned vj_last_slot(const struct vj_compressor *c);

/* Prefetches what another packet of the last one's connection needs. */
void vj_prefetch(const struct vj_compressor *c);

/* The next packet of the slot, or of every slot, becomes VJ_UNCOMPRESSED: packets behind the compressor are
 * lost. */
void vj_refresh_slot(struct vj_compressor *c, unsigned slot);
void vj_refresh(struct vj_compressor *c);

/*
 * Restores a packet that the peer sent as VJ_UNCOMPRESSED or VJ_COMPRESSED, in place; `room` octets in front
 * of it may be written. Returns the octets put in front, 0 of VJ_UNCOMPRESSED; enum vj_error, after which it
 * tosses packets without a slot. Octets behind the total length of VJ_UNCOMPRESSED stay.
 */
int vj_decompress(struct vj_decompressor *d, enum vj_type type, uint8_t *packet, unsigned octets,
                  unsigned room);

/* A packet from the compressor is lost: packets without a slot are tossed until one has a slot. */
void vj_toss(struct vj_decompressor *d);

#endif
