/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/capture_feed.h"

#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <stdio.h>

/* The longest gap between two frames. */
#define CAPTURE_FEED_SILENCE_NS INT64_C(86400000000000)

/* The sum of gaps that are longer than CAPTURE_FEED_SHORT_NS. */
#define CAPTURE_FEED_SILENCES_NS (31 * CAPTURE_FEED_SILENCE_NS)
#define CAPTURE_FEED_SHORT_NS    INT64_C(60000000000)

/* No frame has a supported link type: 0 frames would look like an empty capture. */
static int ggsn_refuse(struct capture_feed *f)
{
    struct capture_reader *r = &f->reader;
    snprintf(r->error, sizeof(r->error),
             "all %" PRIu64 " packets have unsupported link types, the last one %d; supported are: %s",
             r->counts.unknown_links, r->unknown_link, capture_link_names());
    capture_feed_close(f);
    return -1;
}

int capture_feed_open(struct capture_feed *f, const char *path)
{
    f->reader = (struct capture_reader){0};
    f->timeline =
        (struct capture_timeline){.back_ns = CAPTURE_FEED_SILENCE_NS, .silence_ns = CAPTURE_FEED_SILENCE_NS};
    f->silences_ns = 0;
    f->frames = f->cut_short = 0;
    f->has_frame = false;
    if (capture_reader_open(&f->reader, path) < 0)
        return -1;
    capture_feed_next(f);
    return f->has_frame || f->reader.counts.unknown_links == 0 ? 0 : ggsn_refuse(f);
}

void capture_feed_close(struct capture_feed *f)
{
    capture_reader_close(&f->reader);
    f->has_frame = false;
}

int64_t capture_feed_due_ns(const struct capture_feed *f)
{
    return f->has_frame ? f->frame.at_ns : MOMENT_NEVER;
}

/* The time of a frame in virtual time. */
static int64_t place(struct capture_feed *f, int64_t at_ns)
{
    int64_t before_ns = f->timeline.has_begun ? f->timeline.last_ns : MOMENT_NEVER;
    int64_t now = capture_timeline_put(&f->timeline, at_ns);
    if (before_ns < now - CAPTURE_FEED_SHORT_NS)
        f->silences_ns += now - before_ns;
    if (f->silences_ns > CAPTURE_FEED_SILENCES_NS)
        f->timeline.silence_ns = CAPTURE_FEED_SHORT_NS;
    return now;
}

void capture_feed_next(struct capture_feed *f)
{
    struct capture_frame *frame = &f->frame;
    do
        f->has_frame = capture_reader_next(&f->reader, frame);
    while (f->has_frame && !capture_link_is_known(frame->link_type));
    if (!f->has_frame)
        return;
    f->frames++;
    f->cut_short += frame->captured < frame->wire_octets;
    frame->at_ns = place(f, frame->at_ns);
    capture_link_to_ethernet(frame, f->made, CAPTURE_FEED_MAX_OCTETS);
}
