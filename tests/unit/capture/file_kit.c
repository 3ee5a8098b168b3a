/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/capture/file_kit.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"

#include <string.h>

static uint8_t *extend(struct file_kit *f, size_t octets)
{
    assert_true(octets <= FILE_KIT_MAX - f->octets);
    f->octets += octets;
    return f->bytes + f->octets - octets;
}

void file_kit_u16(struct file_kit *f, uint16_t value)
{
    bytes_put_u16(extend(f, 2), f->is_big ? value : __builtin_bswap16(value));
}

void file_kit_u32(struct file_kit *f, uint32_t value)
{
    bytes_put_u32(extend(f, 4), f->is_big ? value : __builtin_bswap32(value));
}

void file_kit_put(struct file_kit *f, const void *bytes, size_t octets)
{
    memcpy(extend(f, octets), bytes, octets);
}

void file_kit_pcap(struct file_kit *f, uint32_t magic, uint32_t link_type)
{
    file_kit_u32(f, magic);
    file_kit_u16(f, 2);
    file_kit_u16(f, 4);
    file_kit_u32(f, 0);
    file_kit_u32(f, 0);
    file_kit_u32(f, 65535);
    file_kit_u32(f, link_type);
}

void file_kit_record(struct file_kit *f, uint32_t s, uint32_t rest, uint32_t octets, uint8_t fill)
{
    file_kit_u32(f, s);
    file_kit_u32(f, rest);
    file_kit_u32(f, octets);
    file_kit_u32(f, octets);
    memset(extend(f, octets), fill, octets);
}

size_t file_kit_begin(struct file_kit *f, uint32_t type)
{
    size_t begin = f->octets;
    file_kit_u32(f, type);
    file_kit_u32(f, 0);
    return begin;
}

void file_kit_end(struct file_kit *f, size_t begin)
{
    memset(extend(f, -(f->octets - begin) & 3), 0, 0);
    uint32_t octets = (uint32_t)(f->octets - begin) + 4;
    file_kit_u32(f, octets);
    bytes_put_u32(f->bytes + begin + 4, f->is_big ? octets : __builtin_bswap32(octets));
}

void file_kit_section(struct file_kit *f, bool is_big)
{
    f->is_big = is_big;
    size_t begin = file_kit_begin(f, FILE_KIT_SECTION);
    file_kit_u32(f, 0x1a2b3c4d);
    file_kit_u16(f, 1);
    file_kit_u16(f, 0);
    file_kit_u32(f, UINT32_MAX);
    file_kit_u32(f, UINT32_MAX);
    file_kit_end(f, begin);
}

void file_kit_interface(struct file_kit *f, uint16_t link_type, uint32_t snap_octets)
{
    size_t begin = file_kit_begin(f, FILE_KIT_INTERFACE);
    file_kit_u16(f, link_type);
    file_kit_u16(f, 0);
    file_kit_u32(f, snap_octets);
    file_kit_end(f, begin);
}

void file_kit_enhanced(struct file_kit *f, uint32_t interface, uint64_t stamp, uint32_t octets, uint8_t fill)
{
    size_t begin = file_kit_begin(f, FILE_KIT_ENHANCED);
    file_kit_u32(f, interface);
    file_kit_u32(f, (uint32_t)(stamp >> 32));
    file_kit_u32(f, (uint32_t)stamp);
    file_kit_u32(f, octets);
    file_kit_u32(f, octets);
    memset(extend(f, octets), fill, octets);
    file_kit_end(f, begin);
}
