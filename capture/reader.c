/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/reader.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <string.h>

#ifndef DLT_LINUX_SLL2
#define DLT_LINUX_SLL2 276
#endif

enum { TAG_OCTETS = 4, TYPE_SERVICE_VLAN = 0x88a8, NO_TYPE = -1 };

/* Link headers. type_offset: of the EtherType; NO_TYPE: an IP packet follows, whose version gives the type.
 */
static const struct header {
    int link_type;
    int octets, type_offset;
} headers[] = {
    {DLT_EN10MB, ETHER_OCTETS, 12}, {DLT_RAW, 0, NO_TYPE},  {DLT_LINUX_SLL, 16, 14}, {DLT_LINUX_SLL2, 20, 0},
    {DLT_NULL, 4, NO_TYPE},         {DLT_LOOP, 4, NO_TYPE}, {DLT_IPV4, 0, NO_TYPE},  {DLT_IPV6, 0, NO_TYPE},
};

static const struct header *header_of(int link_type)
{
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (headers[i].link_type == link_type)
            return &headers[i];
    return NULL;
}

bool capture_link_is_known(int link_type)
{
    return header_of(link_type) != NULL;
}

const char *capture_link_names(void)
{
    return "Ethernet, raw IP, loopback, Linux cooked";
}

static void skip(struct capture_frame *frame, int octets)
{
    frame->bytes += octets;
    frame->captured -= (size_t)octets;
    frame->wire_octets -= (size_t)octets;
}

static uint16_t type_of(const struct capture_frame *frame, const struct header *header)
{
    if (header->type_offset != NO_TYPE)
        return bytes_get_u16(frame->bytes + header->type_offset);
    bool is_ipv6 = frame->captured > (size_t)header->octets && frame->bytes[header->octets] >> 4 == 6;
    return is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4;
}

bool capture_link_strip(struct capture_frame *frame)
{
    const struct header *header = header_of(frame->link_type);
    if (!header || frame->captured < (size_t)header->octets)
        return false;
    uint16_t type = type_of(frame, header);
    skip(frame, header->octets);
    while (type == ETHER_TYPE_VLAN || type == TYPE_SERVICE_VLAN) {
        if (frame->captured < TAG_OCTETS)
            return false;
        type = bytes_get_u16(frame->bytes + 2);
        skip(frame, TAG_OCTETS);
    }
    return type == ETHER_TYPE_IPV4 || type == ETHER_TYPE_IPV6;
}

void capture_link_to_ethernet(struct capture_frame *frame, uint8_t *made, size_t room)
{
    const struct header *header = header_of(frame->link_type);
    if (header && header->link_type == DLT_EN10MB)
        return;
    if (!header || frame->captured < (size_t)header->octets ||
        frame->captured - (size_t)header->octets + ETHER_OCTETS > room) {
        frame->captured = frame->wire_octets = 0;
        return;
    }
    struct ether ether = {.type = type_of(frame, header)};
    skip(frame, header->octets);
    ether_encode(made, ETHER_OCTETS, &ether);
    memcpy(made + ETHER_OCTETS, frame->bytes, frame->captured);
    frame->bytes = made;
    frame->captured += ETHER_OCTETS;
    frame->wire_octets += ETHER_OCTETS;
    frame->link_type = DLT_EN10MB;
}

static void reader_advance(struct capture_timeline *t, int64_t gap_ns)
{
    t->last_ns = moment_min(moment_add(t->last_ns, gap_ns), CAPTURE_TIMELINE_LAST_NS);
}

int64_t capture_timeline_put(struct capture_timeline *t, int64_t at_ns)
{
    if (!t->has_begun) {
        t->has_begun = true;
        t->first_ns = t->last_ns = moment_min(at_ns, CAPTURE_TIMELINE_LAST_NS);
        return t->last_ns;
    }
    __int128_t gap_ns = (__int128_t)at_ns - t->leapt_ns - t->last_ns;
    if (gap_ns > t->silence_ns || gap_ns < -(__int128_t)t->back_ns) {
        reader_advance(t, gap_ns > 0 ? t->set_ns : 0);
        t->leapt_ns = at_ns - t->last_ns;
        t->steps++;
    } else if (gap_ns < 0) {
        t->steps++;
    } else {
        reader_advance(t, (int64_t)gap_ns);
    }
    return t->last_ns;
}

/* Always -1. */
__attribute__((format(printf, 2, 3))) static int reader_fail(struct capture_reader *r, const char *format,
                                                             ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(r->error, sizeof(r->error), format, values);
    va_end(values);
    return -1;
}

/* --- beginning and end --- */

static int refuse_link(struct capture_reader *r)
{
    int link = r->pcap.link_type;
    const char *name = pcap_datalink_val_to_name(link);
    capture_reader_close(r);
    return reader_fail(r, "link type %d (%s) is not supported; supported are: %s", link,
                       name ? name : "unknown", capture_link_names());
}

/* Compressed formats that the source does not decompress. */
static const char *compressor_of(const uint8_t head[CAPTURE_SOURCE_HEAD])
{
    static const struct {
        uint8_t head[CAPTURE_SOURCE_HEAD], octets;
        const char *name;
    } rows[] = {
        {{0x28, 0xb5, 0x2f, 0xfd}, 4, "zstd"},
        {{0xfd, '7', 'z', 'X'}, 4, "xz"},
        {{'B', 'Z', 'h'}, 3, "bzip2"},
        {{0x04, 0x22, 0x4d, 0x18}, 4, "lz4"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (memcmp(rows[i].head, head, rows[i].octets) == 0)
            return rows[i].name;
    return NULL;
}

/* The file's head is not that of a capture, or is truncated. */
static int reader_refuse(struct capture_reader *r, FILE *file, const char *reason)
{
    const char *broken = capture_source_error(&r->source), *compressor = compressor_of(r->source.head);
    if (broken)
        reader_fail(r, "cannot be read: %s", broken);
    else if (r->source.head_octets == 0)
        reader_fail(r, "empty file; a capture is pcap or pcapng, plain or gzip");
    else if (compressor)
        reader_fail(r, "compressed by %s; supported is gzip: decompress the file first", compressor);
    else
        reader_fail(r, "not a pcap or pcapng file, or damaged at its beginning: %s", reason);
    fclose(file);
    return -1;
}

static int reader_begin(struct capture_reader *r, FILE *file)
{
    const char *reason = NULL;
    r->is_broken = false;
    r->packets = 0;
    if (!file)
        return reader_fail(r, "cannot be opened: %s", strerror(errno));
    if (capture_pcapng_is(r->source.head))
        reason = capture_pcapng_open(&r->pcapng, file);
    else if ((reason = capture_pcap_open(&r->pcap, file)) == NULL &&
             !capture_link_is_known(r->pcap.link_type))
        return refuse_link(r);
    if (!reason)
        return 0;
    reader_refuse(r, file, reason);
    capture_pcapng_fini(&r->pcapng);
    return -1;
}

int capture_reader_open(struct capture_reader *r, const char *path)
{
    return reader_begin(r, capture_source_open(&r->source, path));
}

int capture_reader_open_memory(struct capture_reader *r, const uint8_t *bytes, size_t octets)
{
    return reader_begin(r, capture_source_open_memory(&r->source, bytes, octets));
}

void capture_reader_close(struct capture_reader *r)
{
    if (r->pcapng.file)
        fclose(r->pcapng.file);
    capture_pcapng_fini(&r->pcapng);
    capture_pcap_close(&r->pcap);
}

/* --- frames --- */

/* The offset is that of the malformed block in pcapng, and that up to which libpcap has read in pcap. */
static void say_damage(struct capture_reader *r, const char *reason)
{
    const char *broken = capture_source_error(&r->source);
    uint64_t at = r->pcap.pcap ? capture_pcap_at(&r->pcap) : r->pcapng.at;
    reader_fail(r, "damaged at octet %" PRIu64 "%s, after %" PRIu64 " packets: %s", at,
                capture_source_is_compressed(&r->source) ? " (decompressed)" : "", r->packets,
                broken ? broken : reason);
}

/* A gzip stream that is truncated between two packets looks like the end of the file to libpcap. */
static void reader_end(struct capture_reader *r, const char *reason)
{
    r->is_broken = reason || capture_source_error(&r->source);
    r->error[0] = '\0';
    if (r->is_broken)
        say_damage(r, reason);
}

static void count(struct capture_reader *r, const struct capture_frame *frame)
{
    struct capture_reader_counts *c = &r->counts;
    r->packets++;
    c->frames++;
    c->octets += frame->wire_octets;
    c->cut_short += frame->captured < frame->wire_octets;
    /* pcap has one link type, which was checked. */
    if (r->pcapng.file && !capture_link_is_known(frame->link_type)) {
        c->unknown_links++;
        r->unknown_link = frame->link_type;
    }
}

bool capture_reader_next(struct capture_reader *r, struct capture_frame *frame)
{
    const char *reason = NULL;
    int rc = r->pcap.pcap ? capture_pcap_next(&r->pcap, frame, &reason)
                          : capture_pcapng_next(&r->pcapng, frame, &reason);
    if (rc != 1) {
        reader_end(r, reason);
        return false;
    }
    if (frame->wire_octets < frame->captured)
        frame->wire_octets = frame->captured;
    count(r, frame);
    return true;
}

int capture_reader_percent(const struct capture_reader *r)
{
    return capture_source_percent(&r->source);
}
