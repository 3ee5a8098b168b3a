/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/reader.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <string.h>

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
                capture_source_is_gzip(&r->source) ? " (decompressed)" : "", r->packets,
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

static void count(struct capture_reader *r, const struct capture_frame *frame, struct capture_link link)
{
    struct capture_reader_counts *c = &r->counts;
    r->packets++;
    c->frames++;
    c->octets += frame->wire_octets;
    c->cut_short += frame->captured < frame->wire_octets;
    c->no_time += frame->has_no_time;
    if (link.end == CAPTURE_LINK_IP || (link.end == CAPTURE_LINK_PROTOCOL && link.type == ETHER_TYPE_ARP))
        return;
    if (link.end != CAPTURE_LINK_UNKNOWN) {
        capture_unread_put(&c->unread, link, 1);
        return;
    }
    c->unknown_links++;
    r->unknown_link = frame->link_type;
}

void capture_reader_counts_add(struct capture_reader_counts *sum, const struct capture_reader_counts *more)
{
    sum->frames += more->frames;
    sum->octets += more->octets;
    sum->cut_short += more->cut_short;
    sum->no_time += more->no_time;
    sum->unknown_links += more->unknown_links;
    capture_unread_add(&sum->unread, &more->unread);
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
    struct capture_frame ip = *frame;
    struct capture_link link = capture_link_strip(&ip);
    if (link.end == CAPTURE_LINK_IP)
        capture_link_correct(frame, &ip);
    count(r, frame, link);
    return true;
}

int capture_reader_percent(const struct capture_reader *r)
{
    return capture_source_percent(&r->source);
}
