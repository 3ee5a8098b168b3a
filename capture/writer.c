/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/writer.h"

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VERSION         2
#define HEADER_WORDS    4 /* of 32 bits */
#define TYPE_GB_LLC     8
#define ARFCN_AT        4
#define UPLINK_OF_ARFCN 0x40 /* in the high octet */

void gsmtap_llc_header(uint8_t out[GSMTAP_OCTETS], bool is_uplink)
{
    memset(out, 0, GSMTAP_OCTETS);
    out[0] = VERSION;
    out[1] = HEADER_WORDS;
    out[2] = TYPE_GB_LLC;
    out[ARFCN_AT] = is_uplink ? UPLINK_OF_ARFCN : 0;
}

const uint8_t *gsmtap_llc_of(const uint8_t *ns, size_t octets, size_t *llc_octets)
{
    uint16_t bvci;
    struct bssgp pdu;
    int offset = ns_unitdata_header_get(&bvci, ns, octets);
    if (offset < 0 || (size_t)offset >= octets ||
        (ns[offset] != BSSGP_UL_UNITDATA && ns[offset] != BSSGP_DL_UNITDATA) ||
        bssgp_decode(&pdu, ns + offset, octets - (size_t)offset) < 0)
        return NULL;
    *llc_octets = pdu.llc_pdu.octets;
    return pdu.llc_pdu.octets > 0 ? pdu.llc_pdu.at : NULL;
}

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

static void writer_put(struct capture_writer *w, const void *bytes, size_t octets)
{
    static const uint8_t zeros[4];
    if (fwrite(bytes, 1, octets, w->file) != octets ||
        fwrite(zeros, 1, padded(octets) - octets, w->file) != padded(octets) - octets)
        w->error = w->error ? w->error : errno; /* stdio sets it */
}

static void put_u32(struct capture_writer *w, uint32_t value)
{
    writer_put(w, &value, sizeof(value));
}

static void put_option(struct capture_writer *w, uint16_t code, const void *value, uint16_t octets)
{
    uint16_t head[2] = {code, octets};
    writer_put(w, head, sizeof(head));
    writer_put(w, value, octets);
}

static void put_section(struct capture_writer *w)
{
    const uint32_t block[] = {SECTION_HEADER, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28};
    writer_put(w, block, sizeof(block));
}

void capture_writer_add_interface(struct capture_writer *w, const char *name, uint16_t link_type)
{
    static const uint8_t nanoseconds = 9;
    size_t name_octets = strnlen(name, NAME_MAX_OCTETS);
    uint32_t octets = (uint32_t)(16 + 4 + padded(name_octets) + 4 + 4 + 4 + 4);
    uint16_t link[2] = {link_type, 0};

    put_u32(w, INTERFACE);
    put_u32(w, octets);
    writer_put(w, link, sizeof(link));
    put_u32(w, 0);
    put_option(w, OPTION_IF_NAME, name, (uint16_t)name_octets);
    put_option(w, OPTION_IF_TSRESOL, &nanoseconds, 1);
    put_u32(w, 0);
    put_u32(w, octets);
}

void capture_writer_begin(struct capture_writer *w, FILE *file, const char *interface_name)
{
    *w = (struct capture_writer){.file = file};
    put_section(w);
    capture_writer_add_interface(w, interface_name, CAPTURE_WRITER_ETHERNET);
}

int capture_writer_open(struct capture_writer *w, const char *path, const char *interface_name)
{
    *w = (struct capture_writer){0};
    FILE *file = fopen(path, "wb");
    if (!file)
        return errno;
    capture_writer_begin(w, file, interface_name);
    return 0;
}

/* Octets of a packet's options, their end included; 0: it has none. */
static size_t options_octets(const struct capture_writer_packet *packet, size_t comment_octets)
{
    size_t octets = (packet->comment ? 4 + padded(comment_octets) : 0) + (packet->direction ? 8 : 0);
    return octets ? octets + 4 : 0;
}

void capture_writer_put_packet(struct capture_writer *w, const struct capture_writer_packet *packet)
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
    writer_put(w, head, sizeof(head));
    writer_put(w, packet->octets, packet->kept_octets);
    if (packet->comment)
        put_option(w, OPTION_COMMENT, packet->comment, (uint16_t)comment_octets);
    if (packet->direction)
        put_option(w, OPTION_FLAGS, &flags, sizeof(flags));
    if (options)
        put_u32(w, 0);
    put_u32(w, block);
}

void capture_writer_put(struct capture_writer *w, int64_t at_ns, const uint8_t *frame, size_t octets)
{
    capture_writer_put_packet(
        w, &(struct capture_writer_packet){
               .at_ns = at_ns, .octets = frame, .kept_octets = octets, .octets_in_all = octets});
}

int capture_writer_close(struct capture_writer *w)
{
    if (!w->file)
        return 0;
    int error = fclose(w->file) != 0 ? errno : 0;
    w->file = NULL;
    return w->error ? w->error : error;
}
