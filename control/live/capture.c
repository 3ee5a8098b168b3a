/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/capture.h"

#include "control/base/clock.h"
#include "control/base/outlet.h"
#include "control/base/words.h"
#include "control/core/core_link.h"
#include "control/core/core.h"
#include "control/live/live.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_NS       (MOMENT_SECOND / 200)
#define CAPTURE_ROUND TAP_RECORDS
#define COMMENT_CHARS 160
#define ERROR_CHARS   128
#define BLOCK_OCTETS  1024 /* of a packet's block, more than besides the packet */
#define RING_OCTETS   (4u << 20)
#define END_MS        500 /* to write the ring at the end */
#define END_LOOK_MS   2

enum { INTERFACE_GB, INTERFACE_DROPPED, INTERFACE_GN };

/* Sides of guarded ports: the word before the path of a request, the comment on packets, and refusals of
 * TLLI, BVCI and UDP, and where no port has a guard. */
static const struct {
    const char *word, *comment, *mixed, *unguarded;
} sides[TAP_SIDES] = {
#include "control/esp/capture.def"
};

/* --- one record --- */

static void put_comment(char *out, const struct tap_record *r, enum tap_side side)
{
    const char *class = n_pdu_qclass_name((enum qclass)r->qclass);
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
    case TAP_PORT_IN:
    case TAP_PORT_OUT:
        snprintf(out, COMMENT_CHARS, "%s, %s", r->kind == TAP_PORT_IN ? "in" : "out", sides[side].comment);
        break;
    default:
        snprintf(out, COMMENT_CHARS, r->kind == TAP_UP ? "up" : "signalling");
        break;
    }
}

static uint32_t interface_of(const struct tap_record *r)
{
    if (r->kind == TAP_DROPPED)
        return INTERFACE_DROPPED;
    return r->kind >= TAP_PORT_IN && r->port == MSG_PORT_GN ? INTERFACE_GN : INTERFACE_GB;
}

/* A packet is written whole or not at all: half of one would end the file for its readers. */
static void write_record(struct live_capture *c, const struct tap_record *r)
{
    char comment[COMMENT_CHARS];
    if (c->udp.is_on) {
        *(live_capture_udp_send(&c->udp, r) ? &c->packets : &c->unwritten) += 1;
        return;
    }
    if (outlet_room(c->outlet) < (size_t)r->kept_octets + BLOCK_OCTETS) {
        c->unwritten++;
        return;
    }
    put_comment(comment, r, c->side);
    struct capture_writer_packet packet = {
        .interface = interface_of(r),
        .at_ns = r->at_ns + c->since_1970_ns,
        .octets = r->octets,
        .kept_octets = r->kept_octets,
        .octets_in_all = r->frame_octets,
        .comment = comment,
        .direction = r->kind == TAP_UP || r->kind == TAP_PORT_IN ? CAPTURE_IN : CAPTURE_OUT,
    };
    capture_writer_put_packet(&c->out, &packet);
    fflush(c->out.file);
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

/* The file cannot be written any longer: the disk is full, or the FIFO has lost its reader. */
static bool has_failed(const struct live_capture *c)
{
    return !c->udp.is_on && outlet_error(c->outlet) != 0;
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
        core_link_order(&live->node.core, i, &msg);
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

/* A new file that only its owner reads, or a FIFO with a reader; not a link to another file. */
static int open_file(const char *path)
{
    struct stat about;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd >= 0 || errno != EEXIST || lstat(path, &about) < 0 || !S_ISFIFO(about.st_mode))
        return fd;
    fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &about) < 0 || !S_ISFIFO(about.st_mode))) {
        close(fd);
        fd = -1;
        errno = EEXIST;
    }
    return fd;
}

/* Valid until the next call. */
static const char *error_text(int error)
{
    static char text[ERROR_CHARS];
    if (error == EEXIST)
        return "the file exists; delete it, or name another file";
    if (error == ENXIO)
        return "the FIFO has no reader; start the reader first";
    snprintf(text, sizeof(text), "FILE cannot be written: %s; the node opens it, with its rights",
             strerror(error));
    return text;
}

/* 0, or a positive errno. */
static int open_output(struct live_capture *c)
{
    c->fd = open_file(c->path);
    if (c->fd < 0)
        return errno;
    c->outlet = outlet_open(c->fd, RING_OCTETS);
    FILE *stream = c->outlet ? outlet_stream(c->outlet) : NULL;
    if (stream) {
        capture_writer_begin(&c->out, stream, "gb");
        return 0;
    }
    int error = errno;
    if (c->outlet)
        outlet_close(c->outlet, 0);
    close(c->fd);
    return error;
}

static bool is_udp(const char *path)
{
    return strncmp(path, LIVE_CAPTURE_UDP_PREFIX, strlen(LIVE_CAPTURE_UDP_PREFIX)) == 0;
}

/* NULL, or a message. */
static const char *open_any(struct live_capture *c)
{
    if (is_udp(c->path))
        return live_capture_udp_open(&c->udp, c->path);
    int rc = open_output(c);
    if (rc != 0)
        return error_text(rc);
    capture_writer_add_interface(&c->out, "dropped", CAPTURE_WRITER_RAW_IP);
    if (c->side != TAP_NO_SIDE)
        capture_writer_add_interface(&c->out, "gn", CAPTURE_WRITER_ETHERNET);
    return NULL;
}

/* --- captures that are over --- */

static struct live_capture_ending *free_place(struct live_capture *c)
{
    for (unsigned i = 0; i < LIVE_CAPTURE_ENDINGS; i++)
        if (!c->endings[i].outlet)
            return &c->endings[i];
    return NULL;
}

static bool is_regular(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static void begin_end(struct live *live)
{
    struct live_capture *c = &live->capture;
    struct live_capture_ending *ending = free_place(c); /* there was one when the capture began */
    ending->error = capture_writer_close(&c->out);
    ending->outlet = c->outlet;
    ending->fd = c->fd;
    ending->is_file = is_regular(c->fd);
    ending->packets = c->packets;
    ending->since_ns = clock_counter_ns(&live->clock);
    memcpy(ending->path, c->path, sizeof(ending->path));
    c->outlet = NULL;
}

bool live_capture_is_pending(const struct live *live)
{
    for (unsigned i = 0; i < LIVE_CAPTURE_ENDINGS; i++)
        if (live->capture.endings[i].outlet && live->capture.endings[i].is_file)
            return true;
    return false;
}

static void tell_end(struct live *live, uint64_t packets, const char *path, int error)
{
    char text[LIVE_CAPTURE_PATH_CHARS + COMMENT_CHARS];
    snprintf(text, sizeof(text), "capture: %" PRIu64 " packet%s in %s%s%s", packets, words_plural(packets),
             path, error ? ": " : "", error ? strerror(error) : "");
    core_log(&live->node.core, "control", error ? "warning" : "info", text);
}

/* False: it is still on its way. */
static bool look(struct live *live, struct live_capture_ending *ending, int64_t now)
{
    int error = outlet_error(ending->outlet);
    enum outlet_end end = outlet_end(ending->outlet, (now - ending->since_ns) * 1000 / MOMENT_SECOND, END_MS);
    if (end == OUTLET_ENDING)
        return false;
    if (end != OUTLET_HANGS)
        close(ending->fd);
    ending->outlet = NULL;
    if (error == 0 && end != OUTLET_WRITTEN)
        error = ETIMEDOUT;
    error = error ? error : ending->error;
    if (!live->capture.is_on)
        live->capture.error = error;
    tell_end(live, ending->packets, ending->path, error);
    return true;
}

static int64_t step_ends(struct live *live, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < LIVE_CAPTURE_ENDINGS; i++) {
        struct live_capture_ending *ending = &live->capture.endings[i];
        if (ending->outlet && !look(live, ending, now))
            next_ns = now + END_LOOK_MS * MOMENT_SECOND / 1000;
    }
    return next_ns;
}

static void wait_for_ends(struct live *live)
{
    while (step_ends(live, clock_counter_ns(&live->clock)) != MOMENT_NEVER)
        poll(NULL, 0, END_LOOK_MS);
}

/* --- */

/* A number in digits alone, not above `most`, with the comma behind it; *at moves behind that. */
static bool take_number(const char **at, uint64_t most, uint64_t *number)
{
    const char *begin = *at;
    for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
        unsigned digit = (unsigned)(**at - '0');
        if (*number > (most - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return *at > begin && *(*at)++ == ',';
}

/* The path behind a word for a side of guarded ports. */
static const char *read_side(const char *path, enum tap_side *side)
{
    for (*side = TAP_OUTSIDE; *side != TAP_NO_SIDE; --*side) {
        const char *word = sides[*side].word;
        if (word && strncmp(path, word, strlen(word)) == 0)
            return path + strlen(word);
    }
    return path;
}

/* The path in a request, whose numbers are stored; NULL: the request is wrong. */
static const char *read_request(const char *request, struct tap_filter *filter, uint64_t *wanted)
{
    uint64_t tlli, bvci;
    const char *at = request;
    if (!at || !take_number(&at, UINT32_MAX, &tlli) || !take_number(&at, UINT16_MAX, &bvci) ||
        !take_number(&at, UINT64_MAX, wanted))
        return NULL;
    at = read_side(at, &filter->side);
    if (!at[0] || strlen(at) >= LIVE_CAPTURE_PATH_CHARS)
        return NULL;
    filter->tlli = (uint32_t)tlli;
    filter->bvci = (uint16_t)bvci;
    return at;
}

const char *live_capture_start(struct live *live, const char *request)
{
    struct live_capture *c = &live->capture;
    struct tap_filter filter = {0};
    uint64_t wanted;
    if (c->is_on)
        return "a capture is already running; stop it with gbflow capture --stop";
    const char *path = read_request(request, &filter, &wanted);
    if (!path)
        return "the parameters are not TLLI,BVCI,COUNT,FILE with numbers of their range";
    if (filter.side != TAP_NO_SIDE && (filter.tlli || filter.bvci || is_udp(path)))
        return sides[filter.side].mixed;
    if (filter.side != TAP_NO_SIDE && !live->node.workers[0]->guards.ops)
        return sides[filter.side].unguarded;
    if (!free_place(c))
        return "the ends of the last captures are still being written; try again";
    if (!has_taps(live))
        return "no memory";
    snprintf(c->path, sizeof(c->path), "%s", path);
    c->wanted = wanted;
    c->side = filter.side;
    const char *wrong = open_any(c);
    if (wrong)
        return wrong;
    c->since_1970_ns = clock_wall_ns() - clock_counter_ns(&live->clock);
    c->packets = c->unwritten = 0;
    c->error = 0;
    c->is_on = true;
    switch_taps(c, &filter);
    return NULL;
}

void live_capture_stop(struct live *live)
{
    struct live_capture *c = &live->capture;
    if (!c->is_on)
        return;
    switch_taps(c, NULL);
    while (oldest(c) && !is_complete(c))
        write_all(c);
    c->is_on = false;
    if (!c->udp.is_on) {
        begin_end(live);
        return;
    }
    live_capture_udp_close(&c->udp);
    tell_end(live, c->packets, c->path, 0);
}

int64_t live_capture_step(struct live *live, int64_t now)
{
    struct live_capture *c = &live->capture;
    if (!c->is_on)
        return step_ends(live, now);
    write_all(c);
    if (!is_complete(c) && !has_failed(c))
        return moment_min(oldest(c) ? now : now + LOOK_NS, step_ends(live, now));
    live_capture_stop(live);
    return now;
}

uint64_t live_capture_lost(const struct live_capture *c)
{
    uint64_t lost = c->unwritten;
    for (unsigned i = 0; i < TEID_WORKERS; i++)
        lost += c->taps[i] ? atomic_load(&c->taps[i]->lost) : 0;
    return lost;
}

void live_capture_close(struct live *live)
{
    struct live_capture *c = &live->capture;
    live_capture_stop(live);
    wait_for_ends(live);
    for (unsigned i = 0; i < TEID_WORKERS; i++) {
        free(c->taps[i]);
        c->taps[i] = NULL;
    }
}
