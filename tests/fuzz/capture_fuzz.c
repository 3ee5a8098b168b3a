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
static void check_strip(struct capture_frame frame)
{
    const struct capture_frame whole = frame;
    if (!capture_link_strip(&frame))
        return;
    FUZZ_CHECK(capture_link_is_known(whole.link_type));
    FUZZ_CHECK(frame.bytes + frame.captured == whole.bytes + whole.captured);
    FUZZ_CHECK(whole.captured - frame.captured == whole.wire_octets - frame.wire_octets);
}

/* Of Ethernet, as it was or nothing; the same octets behind another header. */
static void check_ethernet(struct capture_frame frame)
{
    static uint8_t made[ROOM];
    const struct capture_frame whole = frame;
    capture_link_to_ethernet(&frame, made, ROOM);
    if (whole.link_type == DLT_EN10MB) {
        FUZZ_CHECK(frame.bytes == whole.bytes && frame.captured == whole.captured);
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
