/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks as in the IETF draft "PCAP Now Generic (pcapng) Capture File Format", in the byte order of this
 * machine. */
#include "sim/pcapng.h"

#include <errno.h>
#include <string.h>

#define SECTION_HEADER    0x0a0d0d0a
#define INTERFACE         1
#define ENHANCED_PACKET   6
#define OPTION_COMMENT    1
#define OPTION_FLAGS      2
#define OPTION_IF_NAME    2
#define OPTION_IF_TSRESOL 9
#define NAME_MAX_OCTETS   64
#define COMMENT_MAX       256

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

void pcapng_add_interface(struct pcapng *p, const char *name, uint16_t link_type)
{
    static const uint8_t nanoseconds = 9;
    size_t name_octets = strnlen(name, NAME_MAX_OCTETS);
    uint32_t octets = (uint32_t)(16 + 4 + padded(name_octets) + 4 + 4 + 4 + 4);
    uint16_t link[2] = {link_type, 0};

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
    pcapng_add_interface(p, interface_name, PCAPNG_ETHERNET);
    return 0;
}

/* Octets of a packet's options, their end included; 0: it has none. */
static size_t options_octets(const struct pcapng_packet *packet, size_t comment_octets)
{
    size_t octets = (packet->comment ? 4 + padded(comment_octets) : 0) + (packet->direction ? 8 : 0);
    return octets ? octets + 4 : 0;
}

void pcapng_write_packet(struct pcapng *p, const struct pcapng_packet *packet)
{
    uint64_t at = (uint64_t)packet->at_ns;
    uint32_t flags = packet->direction;
    size_t comment_octets = packet->comment ? strnlen(packet->comment, COMMENT_MAX) : 0;
    size_t options = options_octets(packet, comment_octets);
    uint32_t block = (uint32_t)(32 + padded(packet->kept_octets) + options);
    const uint32_t head[] = {ENHANCED_PACKET,
                             block,
                             packet->interface,
                             (uint32_t)(at >> 32),
                             (uint32_t)at,
                             (uint32_t)packet->kept_octets,
                             (uint32_t)packet->octets_in_all};
    put(p, head, sizeof(head));
    put(p, packet->octets, packet->kept_octets);
    if (packet->comment)
        put_option(p, OPTION_COMMENT, packet->comment, (uint16_t)comment_octets);
    if (packet->direction)
        put_option(p, OPTION_FLAGS, &flags, sizeof(flags));
    if (options)
        put_u32(p, 0);
    put_u32(p, block);
}

void pcapng_write(struct pcapng *p, int64_t at_ns, const uint8_t *frame, size_t octets)
{
    pcapng_write_packet(p,
                        &(struct pcapng_packet){
                            .at_ns = at_ns, .octets = frame, .kept_octets = octets, .octets_in_all = octets});
}

int pcapng_close(struct pcapng *p)
{
    if (!p->file)
        return 0;
    int failed = fclose(p->file) != 0 || p->has_failed;
    p->file = NULL;
    return failed ? EIO : 0;
}
