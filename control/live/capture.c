/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/capture.h"

#include "control/base/clock.h"
#include "control/live/live.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS       (MOMENT_SECOND / 200)
#define CAPTURE_ROUND TAP_RECORDS
#define COMMENT_CHARS 160

enum { INTERFACE_GB, INTERFACE_DROPPED };

/* --- one record --- */

static void put_comment(char *out, const struct tap_record *r)
{
    const char *class = qclass_name((enum qclass)r->qclass);
    double sojourn_ms = (double)r->sojourn_ns / 1e6;
    switch (r->kind) {
    case TAP_DOWN:
        snprintf(out, COMMENT_CHARS, "down: queue %s of TLLI %08x, NSAPI %u, sojourn %.3f ms, segment %u%s",
                 class, r->tlli, r->nsapi, sojourn_ms, r->segment, r->is_last ? ", the last" : "");
        break;
    case TAP_DROPPED:
        snprintf(out, COMMENT_CHARS, "dropped: %s; queue %s of TLLI %08x, NSAPI %u, sojourn %.3f ms",
                 drop_name((enum drop)r->reason), class, r->tlli, r->nsapi, sojourn_ms);
        break;
    default:
        snprintf(out, COMMENT_CHARS, r->kind == TAP_UP ? "up" : "signalling");
        break;
    }
}

static void write_record(struct live_capture *c, const struct tap_record *r)
{
    char comment[COMMENT_CHARS];
    put_comment(comment, r);
    struct capture_writer_packet packet = {
        .interface = r->kind == TAP_DROPPED ? INTERFACE_DROPPED : INTERFACE_GB,
        .at_ns = r->at_ns + c->since_1970_ns,
        .octets = r->octets,
        .kept_octets = r->kept_octets,
        .octets_in_all = r->frame_octets,
        .comment = comment,
        .direction = r->kind == TAP_UP ? CAPTURE_IN : CAPTURE_OUT,
    };
    capture_writer_put_packet(&c->out, &packet);
    c->packets++;
}

/* The worker whose tap has the oldest record; NULL: all taps are empty. */
static struct tap *oldest(const struct live_capture *c)
{
    struct tap *found = NULL;
    for (unsigned i = 0; i < TEID_WORKERS; i++) {
        const struct tap_record *record = c->taps[i] ? tap_get(c->taps[i]) : NULL;
        if (record && (!found || record->at_ns < tap_get(found)->at_ns))
            found = c->taps[i];
    }
    return found;
}

static bool is_complete(const struct live_capture *c)
{
    return c->wanted > 0 && c->packets >= c->wanted;
}

static void write_all(struct live_capture *c)
{
    /* Takes at most as many records as a ring holds, so that control can do its other work. */
    struct tap *tap = oldest(c);
    for (unsigned i = 0; i < CAPTURE_ROUND && tap && !is_complete(c); i++, tap = oldest(c)) {
        write_record(c, tap_get(tap));
        tap_done(tap);
    }
}

/* --- beginning and end --- */

static bool has_taps(struct live *live)
{
    struct live_capture *c = &live->capture;
    for (unsigned i = 0; i < live->worker_count; i++) {
        struct msg msg = {.type = MSG_TAP};
        if (c->taps[i])
            continue;
        msg.tap = c->taps[i] = calloc(1, sizeof(*msg.tap));
        if (!msg.tap)
            return false;
        core_request(&live->node.core, i, &msg);
    }
    return true;
}

static void switch_taps(struct live_capture *c, const struct tap_filter *filter)
{
    for (unsigned i = 0; i < TEID_WORKERS; i++)
        if (c->taps[i] && filter)
            tap_start(c->taps[i], filter);
        else if (c->taps[i])
            tap_stop(c->taps[i]);
}

const char *live_capture_start(struct live *live, const char *request)
{
    struct live_capture *c = &live->capture;
    struct tap_filter filter = {0};
    int used = 0;
    if (c->is_on)
        return "a capture is already running; stop it with gbflow capture --stop";
    if (!request ||
        sscanf(request, "%" SCNu32 ",%" SCNu16 ",%" SCNu64 ",%n", &filter.tlli, &filter.bvci, &c->wanted,
               &used) < 3 ||
        used == 0 || strlen(request + used) >= sizeof(c->path))
        return "not understood";
    if (!has_taps(live))
        return "no memory";
    snprintf(c->path, sizeof(c->path), "%s", request + used);
    int rc = capture_writer_open(&c->out, c->path, "gb");
    if (rc != 0)
        return strerror(rc);
    capture_writer_add_interface(&c->out, "dropped", CAPTURE_WRITER_RAW_IP);
    c->since_1970_ns = clock_wall_ns() - clock_counter_ns(&live->clock);
    c->packets = 0;
    c->is_on = true;
    switch_taps(c, &filter);
    return NULL;
}

static void finish(struct live *live)
{
    struct live_capture *c = &live->capture;
    char text[LIVE_CAPTURE_PATH_CHARS + COMMENT_CHARS];
    int rc = capture_writer_close(&c->out);
    c->is_on = false;
    snprintf(text, sizeof(text), "capture: %" PRIu64 " packets in %s%s%s", c->packets, c->path,
             rc ? ": " : "", rc ? strerror(rc) : "");
    core_tell(&live->node.core, "control", rc ? "warning" : "info", text);
}

void live_capture_stop(struct live *live)
{
    struct live_capture *c = &live->capture;
    if (!c->is_on)
        return;
    switch_taps(c, NULL);
    while (oldest(c) && !is_complete(c))
        write_all(c);
    finish(live);
}

int64_t live_capture_step(struct live *live, int64_t now)
{
    struct live_capture *c = &live->capture;
    if (!c->is_on)
        return MOMENT_NEVER;
    write_all(c);
    if (!is_complete(c))
        return oldest(c) ? now : now + LOOK_NS;
    live_capture_stop(live);
    return MOMENT_NEVER;
}

uint64_t live_capture_lost(const struct live_capture *c)
{
    uint64_t lost = 0;
    for (unsigned i = 0; i < TEID_WORKERS; i++)
        lost += c->taps[i] ? atomic_load(&c->taps[i]->lost) : 0;
    return lost;
}

void live_capture_close(struct live *live)
{
    struct live_capture *c = &live->capture;
    live_capture_stop(live);
    for (unsigned i = 0; i < TEID_WORKERS; i++) {
        free(c->taps[i]);
        c->taps[i] = NULL;
    }
}
