/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture file of any format through the reader, and each frame through the link layers and the two times
 * that programs put it on.
 */
#include "capture/reader.h"
#include "dataplane/base/moment.h"
#include "tests/fuzz/fuzz.h"

#include <pcap/dlt.h>

#define DAY_NS (86400 * MOMENT_SECOND)

enum { ROOM = 2000, ETHERNET = 14 };

/* Octets can be read up to the last one: the sanitizer looks. */
static unsigned sum_of(const uint8_t *bytes, size_t octets)
{
    unsigned sum = 0;
    for (size_t i = 0; i < octets; i++)
        sum += bytes[i];
    return sum;
}

/* What is left is the end of the frame; of the header as much went on the wire as is there. */
static void check_end(const struct capture_frame *whole, const struct capture_frame *left)
{
    FUZZ_CHECK(left->bytes + left->captured == whole->bytes + whole->captured);
    FUZZ_CHECK(whole->captured - left->captured == whole->wire_octets - left->wire_octets);
}

/* The headers in front of IP, then those of all tunnels. */
static void check_strip(struct capture_frame frame)
{
    const struct capture_frame whole = frame;
    struct capture_link link = capture_link_strip(&frame);
    FUZZ_CHECK((link.end == CAPTURE_LINK_UNKNOWN) != capture_link_is_known(whole.link_type));
    check_end(&whole, &frame);
    if (link.end != CAPTURE_LINK_IP)
        return;
    FUZZ_CHECK(link.type == 0x0800 || link.type == 0x86dd);
    struct capture_frame longer = whole;
    capture_link_correct(&longer, &frame);
    FUZZ_CHECK(longer.wire_octets >= whole.wire_octets && longer.captured == whole.captured);
    for (size_t captured = frame.captured; capture_link_open_tunnel(&frame).is_open;
         captured = frame.captured) {
        check_end(&whole, &frame);
        FUZZ_CHECK(frame.captured < captured && frame.captured > 0);
    }
}

/* Of Ethernet, as it was or nothing; the same octets behind another header. */
static void check_ethernet(struct capture_frame frame)
{
    static uint8_t made[ROOM];
    const struct capture_frame whole = frame;
    capture_link_to_ethernet(&frame, made, ROOM);
    if (frame.bytes == whole.bytes && frame.captured > 0) {
        FUZZ_CHECK(whole.link_type == DLT_EN10MB && frame.captured == whole.captured);
        return;
    }
    FUZZ_CHECK(frame.captured == 0 || (frame.captured >= ETHERNET && frame.captured <= ROOM));
    if (frame.captured == 0)
        return;
    size_t octets = frame.captured - ETHERNET;
    FUZZ_CHECK(octets <= whole.captured && frame.link_type == DLT_EN10MB);
    FUZZ_CHECK(memcmp(made + ETHERNET, whole.bytes + whole.captured - octets, octets) == 0);
}

static void check_time(struct capture_timeline *t, int64_t at_ns)
{
    int64_t last_ns = t->last_ns;
    int64_t put_ns = capture_timeline_put(t, at_ns);
    FUZZ_CHECK(put_ns >= last_ns && put_ns == t->last_ns && put_ns <= CAPTURE_TIMELINE_LAST_NS);
}

static void check_counts(const struct capture_reader *r, uint64_t frames, unsigned sum)
{
    FUZZ_CHECK(r->counts.frames == frames && r->packets == frames);
    FUZZ_CHECK(r->counts.unknown_links <= frames && r->counts.cut_short <= frames);
    struct capture_unread_list list = {0};
    capture_unread_list_links(&list, &r->counts.unread);
    FUZZ_CHECK(list.frames + r->counts.unknown_links <= frames &&
               (list.frames > 0) == (list.text[0] != '\0'));
    FUZZ_CHECK(r->is_broken == (r->error[0] != '\0'));
    FUZZ_CHECK(frames > 0 || sum == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct capture_reader reader = {0};
    struct capture_timeline analysed = {.back_ns = MOMENT_SECOND, .silence_ns = DAY_NS, .set_ns = DAY_NS};
    struct capture_timeline replayed = {.back_ns = DAY_NS, .silence_ns = DAY_NS};
    struct capture_frame frame;
    uint8_t *copy = fuzz_copy(bytes, len);
    uint64_t frames = 0;
    unsigned sum = 0;
    if (capture_reader_open_memory(&reader, copy, len) < 0) {
        FUZZ_CHECK(reader.error[0] != '\0');
        free(copy);
        return 0;
    }
    for (; capture_reader_next(&reader, &frame); frames++) {
        FUZZ_CHECK(frame.at_ns >= 0 && frame.captured <= frame.wire_octets);
        sum += sum_of(frame.bytes, frame.captured);
        check_strip(frame);
        check_ethernet(frame);
        check_time(&analysed, frame.at_ns);
        check_time(&replayed, frame.at_ns);
    }
    check_counts(&reader, frames, sum);
    capture_reader_close(&reader);
    free(copy);
    return 0;
}
