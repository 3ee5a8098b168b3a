/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures made octet by octet in memory, of either byte order. */
#ifndef TESTS_UNIT_CAPTURE_FILE_KIT_H
#define TESTS_UNIT_CAPTURE_FILE_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_KIT_MAX 65536

enum { FILE_KIT_MICROSECONDS = 0xa1b2c3d4, FILE_KIT_NANOSECONDS = 0xa1b23c4d };
enum {
    FILE_KIT_SECTION = 0x0a0d0d0a,
    FILE_KIT_INTERFACE = 1,
    FILE_KIT_OLD = 2,
    FILE_KIT_SIMPLE = 3,
    FILE_KIT_ENHANCED = 6
};

struct file_kit {
    bool is_big;
    size_t octets;
    uint8_t bytes[FILE_KIT_MAX];
};

/* Numbers in the file's byte order, and octets as they are. */
void file_kit_u16(struct file_kit *f, uint16_t value);
void file_kit_u32(struct file_kit *f, uint32_t value);
void file_kit_put(struct file_kit *f, const void *bytes, size_t octets);

/* The head of pcap, snap length 65535. */
void file_kit_pcap(struct file_kit *f, uint32_t magic, uint32_t link_type);

/* A packet of pcap whose octets are all `fill`. */
void file_kit_record(struct file_kit *f, uint32_t s, uint32_t rest, uint32_t octets, uint8_t fill);

/* Begins a block of pcapng, and ends it: fills up to four octets, writes its length at both ends. */
size_t file_kit_begin(struct file_kit *f, uint32_t type);
void file_kit_end(struct file_kit *f, size_t begin);

/* Whole blocks: a section of this byte order; an interface without options; a packet whose octets are all
 * `fill`. */
void file_kit_section(struct file_kit *f, bool is_big);
void file_kit_interface(struct file_kit *f, uint16_t link_type, uint32_t snap_octets);
void file_kit_enhanced(struct file_kit *f, uint32_t interface, uint64_t stamp, uint32_t octets, uint8_t fill);

#endif
