/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks as in the IETF draft "PCAP Now Generic (pcapng) Capture File Format", in the byte order of this
 * machine. */
#include "sim/pcapng.h"

#include <errno.h>
#include <string.h>

#define SECTION_HEADER    0x0a0d0d0a
#define INTERFACE         1
#define ENHANCED_PACKET   6
#define LINKTYPE_ETHERNET 1
#define OPTION_IF_NAME    2
#define OPTION_IF_TSRESOL 9
#define NAME_MAX_OCTETS   64

static size_t padded(size_t octets)
{
    return (octets + 3) & ~(size_t)3;
}

static void put(struct pcapng *p, const void *bytes, size_t octets)
{
    static const uint8_t zeros[4];
    if (fwrite(bytes, 1, octets, p->file) != octets ||
        fwrite(zeros, 1, padded(octets) - octets, p->file) != padded(octets) - octets)
        p->has_failed = true;
}

static void put_u32(struct pcapng *p, uint32_t value)
{
    put(p, &value, sizeof(value));
}

static void put_option(struct pcapng *p, uint16_t code, const void *value, uint16_t octets)
{
    uint16_t head[2] = {code, octets};
    put(p, head, sizeof(head));
    put(p, value, octets);
}

static void put_section(struct pcapng *p)
{
    const uint32_t block[] = {SECTION_HEADER, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28};
    put(p, block, sizeof(block));
}

static void put_interface(struct pcapng *p, const char *name)
{
    static const uint8_t nanoseconds = 9;
    size_t name_octets = strnlen(name, NAME_MAX_OCTETS);
    uint32_t octets = (uint32_t)(16 + 4 + padded(name_octets) + 4 + 4 + 4 + 4);
    uint16_t link[2] = {LINKTYPE_ETHERNET, 0};

    put_u32(p, INTERFACE);
    put_u32(p, octets);
    put(p, link, sizeof(link));
    put_u32(p, 0);
    put_option(p, OPTION_IF_NAME, name, (uint16_t)name_octets);
    put_option(p, OPTION_IF_TSRESOL, &nanoseconds, 1);
    put_u32(p, 0);
    put_u32(p, octets);
}

int pcapng_open(struct pcapng *p, const char *path, const char *interface_name)
{
    *p = (struct pcapng){.file = fopen(path, "wb")};
    if (!p->file)
        return errno;
    put_section(p);
    put_interface(p, interface_name);
    return 0;
}

void pcapng_write(struct pcapng *p, int64_t at_ns, const uint8_t *frame, size_t octets)
{
    uint64_t at = (uint64_t)at_ns;
    uint32_t block = (uint32_t)(32 + padded(octets));
    const uint32_t head[] = {ENHANCED_PACKET,  block,           0, (uint32_t)(at >> 32), (uint32_t)at,
                             (uint32_t)octets, (uint32_t)octets};
    put(p, head, sizeof(head));
    put(p, frame, octets);
    put_u32(p, block);
}

int pcapng_close(struct pcapng *p)
{
    if (!p->file)
        return 0;
    int failed = fclose(p->file) != 0 || p->has_failed;
    p->file = NULL;
    return failed ? EIO : 0;
}
