/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/replay.h"
#include "app/virtual/gb_far_side.h"

#include "app/replay/gtpc_learn.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "control/base/whole_file.h"
#include "control/sessions/node.h"
#include "control/sessions/sessions.h"
#include "control/report/totals.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/msg.h"
#include "sim/capture_feed.h"
#include "sim/loop.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void replay_stats_free(struct replay_stats *stats)
{
    for (uint32_t i = 0; i < stats->count; i++)
        samples_free(&stats->sessions[i].sojourns);
    free(stats->sessions);
    *stats = (struct replay_stats){0};
}

static void cover(struct replay_stats *stats, uint32_t count)
{
    if (count <= stats->count)
        return;
    stats->sessions = reallocarray(stats->sessions, count, sizeof(*stats->sessions));
    if (!stats->sessions) {
        fprintf(stderr, "gbflow: out of memory for the report\n");
        exit(1);
    }
    memset(stats->sessions + stats->count, 0, (count - stats->count) * sizeof(*stats->sessions));
    stats->count = count;
}

static void replay_take(struct replay_stats *stats, struct sessions *sessions, unsigned worker,
                        const struct trace_event *event)
{
    const struct session *session = sessions_of(sessions, worker, event->pdp, event->generation);
    if (!session) {
        stats->strays++;
        return;
    }
    cover(stats, sessions->count);
    struct replay_session *row = &stats->sessions[session - sessions->list];
    row->npdu_in++;
    if (event->reason != DROP_NONE) {
        row->drops[event->reason]++;
        return;
    }
    row->npdu_out++;
    row->octets_out += event->octets;
    samples_add(&row->sojourns, event->at_ns - event->arrival_ns);
}

/* Takes all events that are in a worker's trace. */
static void replay_stats_take(struct replay_stats *stats, struct sessions *sessions, unsigned worker,
                              struct rte_ring *trace)
{
    struct trace_event event;
    while (fate_trace_take(trace, &event))
        replay_take(stats, sessions, worker, &event);
}

/* Makes entries for sessions without an event; to be called before the reports. */
static void replay_stats_cover(struct replay_stats *stats, const struct sessions *sessions)
{
    cover(stats, sessions->count);
}

/* Virtual time before the first frame, in which Gb comes into service. */
#define LEAD_NS MOMENT_SECOND

/* --- actors --- */

static void show_progress(struct replay_feed *feed)
{
    int percent = capture_reader_percent(&feed->capture.reader);
    if (feed->percent < 0 || percent <= feed->percent)
        return;
    feed->percent = percent;
    fprintf(stderr, "\rreplay: %d %% of the capture", percent);
}

static void note_frame(struct replay_feed *feed)
{
    if (feed->capture.has_frame)
        feed->last_ns = feed->capture.frame.at_ns;
    show_progress(feed);
}

static void choose_port(struct replay *r)
{
    const struct capture_feed *capture = &r->feed.capture;
    if (capture->has_frame)
        r->port = gb_far_side_deal(&r->deal, capture->frame.bytes, capture->frame.captured);
}

/* Passes one due frame to its port. A session learned from it holds for the next frame and not for the one
 * before, also when their timestamps are equal. */
static int64_t feed_step(void *self, int64_t now)
{
    struct replay *r = self;
    struct replay_feed *feed = &r->feed;
    const struct capture_frame *frame = &feed->capture.frame;
    int64_t due_ns = capture_feed_due_ns(&feed->capture);

    if (due_ns > now)
        return due_ns;
    struct vport *port = &r->node.gn[r->port];
    int rc = vport_push(port, frame->bytes, frame->captured);
    if (rc == -EAGAIN)
        return now;
    feed->pushed += rc == 0;
    feed->no_buffer += rc == -ENOBUFS;
    feed->too_long += rc == -EMSGSIZE;
    if (r->node.config.mobiles.are_learned)
        gtpc_learn_frame(&r->learn, frame->bytes, frame->captured, now);
    capture_feed_next(&feed->capture);
    note_frame(feed);
    choose_port(r);
    return now;
}

static int64_t core_actor_step(void *self, int64_t now)
{
    return core_step(self, now);
}

static int64_t worker_actor_step(void *self, int64_t now)
{
    return worker_step(self, now);
}

/* Takes the workers' traces, and frees the frames that they send on Gn. */
static int64_t drain_step(void *self, int64_t now)
{
    struct replay *r = self;
    struct rte_mbuf *mbuf;

    for (unsigned i = 0; i < r->node.worker_count; i++) {
        while ((mbuf = vport_pull(&r->node.gn[i])))
            rte_pktmbuf_free(mbuf);
        replay_stats_take(&r->stats, &r->node.sessions, i, r->node.traces[i]);
    }
    return MOMENT_NEVER;
}

/* Whether the capture is read and either all N-PDUs have left or been dropped, or drain_ns is over. */
static bool is_done(void *arg, int64_t now)
{
    const struct replay *r = arg;
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    uint64_t gone = w.npdu_out;

    if (aqm_choices_failure(r->node.config.aqm))
        return true;
    if (r->feed.capture.has_frame)
        return false;
    if (now - r->feed.last_ns >= r->options->drain_ns)
        return true;
    for (int i = DROP_FIRST_NPDU; i < DROP_COUNT; i++)
        gone += w.gn_drops[i];
    return gone == w.npdu_in && w.gn_held == 0;
}

/* --- set-up and end --- */

static bool open_files(struct replay *r)
{
    const struct replay_options *o = r->options;
    struct replay_feed *feed = &r->feed;
    int rc;

    if (capture_feed_open(&feed->capture, o->in) < 0) {
        fprintf(stderr, "%s: %s\n", o->in, feed->capture.reader.error);
        return false;
    }
    if ((o->out && !whole_file_make_folder_for(o->out)) || (o->json && !whole_file_make_folder_for(o->json)))
        return false;
    if (o->out && (rc = capture_writer_open(&r->out, o->out, "gb")) != 0) {
        fprintf(stderr, "%s: %s\n", o->out, strerror(rc));
        return false;
    }
    feed->percent = isatty(STDERR_FILENO) ? 0 : -1;
    note_frame(feed);
    feed->first_ns = feed->last_ns;
    return true;
}

/* False, with a line on stderr: the run ended with a defect of the program. */
static bool is_sound(const struct replay *r, enum loop_end end)
{
    const char *wrong = NULL;
    if (end == LOOP_STUCK)
        wrong = "virtual time does not advance: an actor reports work at the same instant without end";
    else if (!totals_of_all(r->node.workers, r->node.worker_count).is_conserved)
        wrong = "in = out + dropped + queued does not hold";
    else if (totals_stats(r->node.workers, r->node.worker_count).trace_lost || r->far.wire.strays ||
             r->node.core.send_failures)
        wrong = "events of the trace were lost";
    if (wrong)
        fprintf(stderr, "gbflow: defect: %s\n", wrong);
    return !wrong;
}

/* Frames without IP by kind, and drops of frames that may hold packets of users; DROP_NOT_IP is among the
 * kinds. */
static void warn_of_unread(const struct replay *r)
{
    static const enum drop unreadable[] = {DROP_IP_MALFORMED,   DROP_IP_EXTENSION,    DROP_NOT_UDP,
                                           DROP_UDP_MALFORMED,  DROP_UDP_CHECKSUM,    DROP_TOO_LONG,
                                           DROP_FRAME_TOO_LONG, DROP_OTHER_VLAN,      DROP_FRAGMENT_LOST,
                                           DROP_GTPU_MALFORMED, DROP_GTPU_UNSUPPORTED};
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    const struct capture_reader_counts *read = &r->feed.capture.reader.counts;
    struct capture_unread_list list = {0};
    capture_unread_list_links(&list, &read->unread);
    for (unsigned i = 0; i < sizeof(unreadable) / sizeof(unreadable[0]); i++)
        capture_unread_list_put(&list, w.gn_drops[unreadable[i]], drop_name(unreadable[i]));
    capture_unread_list_put(&list, w.gn_held, "in incomplete IP fragments");
    capture_unread_list_put(&list, r->feed.too_long, "longer than a packet buffer");
    if (capture_unread_are_many(&list, read->frames))
        fprintf(stderr,
                "warning: %s: %lu of %lu frames could not be read: %s; docs/reference/drops.md has the "
                "reasons\n",
                r->options->in, (unsigned long)list.frames, (unsigned long)read->frames, list.text);
}

static void warn(const struct replay *r)
{
    const struct capture_feed *capture = &r->feed.capture;
    uint64_t unknown_links = capture->reader.counts.unknown_links;
    if (capture->reader.is_broken)
        fprintf(stderr, "warning: %s: %s; packets before it were replayed\n", r->options->in,
                capture->reader.error);
    if (unknown_links)
        fprintf(stderr, "warning: %s: %lu packets with unsupported link types were ignored; supported: %s\n",
                r->options->in, (unsigned long)unknown_links, capture_link_names());
    if (capture->cut_short)
        fprintf(stderr, "warning: %s: %lu frames are truncated by the capture's snap length\n",
                r->options->in, (unsigned long)capture->cut_short);
    warn_of_unread(r);
    uint64_t incomplete = gtpc_pieces_incomplete(&r->learn.pieces);
    if (incomplete)
        fprintf(stderr, "warning: %s: %lu GTP-C messages were not read: their IP fragments are incomplete\n",
                r->options->in, (unsigned long)incomplete);
    if (r->learn.messages && r->node.sessions.count == 0)
        fprintf(
            stderr,
            "warning: %s: %lu GTP-C messages create no session: none accepts a Create PDP Context Request "
            "that the capture has before it\n",
            r->options->in, (unsigned long)r->learn.messages);
    if (capture->timeline.steps)
        fprintf(stderr,
                "warning: %s: the clock of the capture stepped %lu times; times are corrected to never "
                "decrease\n",
                r->options->in, (unsigned long)capture->timeline.steps);
    if (r->node.core.refused)
        fprintf(stderr, "warning: workers rejected %lu control messages, the first: %s\n",
                (unsigned long)r->node.core.refused, msg_row(r->node.core.first_refused)->name);
    if (r->far.wire.bss_count == 0)
        fprintf(stderr, "warning: no BSS is emulated, so that no N-PDU leaves on Gb; set emulated_bss in the "
                        "configuration\n");
}

static int replay_finish(struct replay *r, enum loop_end end)
{
    bool is_good = is_sound(r, end);
    int rc = capture_writer_close(&r->out);

    if (r->feed.percent >= 0)
        fprintf(stderr, "\r%40s\r", "");
    const char *failure = aqm_choices_failure(r->node.config.aqm);
    if (failure) {
        fprintf(stderr, "gbflow replay: the AQM scheme failed, the replay ends without a report: %s\n",
                failure);
        return 1;
    }
    warn(r);
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", r->options->out, strerror(rc));
    replay_stats_cover(&r->stats, &r->node.sessions);
    replay_report_print(r);
    if (r->options->json && !replay_report_write(r, r->options->json))
        is_good = false;
    return is_good && rc == 0 ? 0 : 1;
}

static int replay_replay_run(struct replay *r)
{
    struct loop_actor actors[TEID_WORKERS + 5] = {
        {"feed", r, feed_step},
        {"control", &r->node.core, core_actor_step},
    };
    struct loop loop = {.actors = actors, .count = 2, .is_done = is_done, .arg = r};
    for (unsigned i = 0; i < r->node.worker_count; i++)
        actors[loop.count++] = (struct loop_actor){"worker", r->node.workers[i], worker_actor_step};
    actors[loop.count++] = (struct loop_actor){"mobiles", r, replay_mobiles_step};
    actors[loop.count++] = (struct loop_actor){"gb", &r->far.wire, gb_wire_step};
    actors[loop.count++] = (struct loop_actor){"drain", r, drain_step};

    r->start_ns = r->now = r->feed.first_ns - LEAD_NS;
    core_start(&r->node.core, r->now);
    return replay_finish(r, loop_run(&loop, &r->now, MOMENT_NEVER - 1));
}

static int start_and_run(struct replay *r)
{
    if (!open_files(r) || !node_start(&r->node))
        return 1;
    r->node.core.is_verbose = r->options->is_verbose;
    gtpc_learn_init(&r->learn, &r->node.sessions);
    r->deal = (struct deal){.workers = r->node.worker_count, .is_in_turn = r->options->is_unsteered};
    choose_port(r);
    const struct gb_far_side_options options = {.is_in_turn = r->options->is_unsteered,
                                                .ops = {.arg = r, .deliver = replay_mobiles_take}};
    if (!gb_far_side_new(&r->far, &r->node.config, r->node.gb, r->options->out ? &r->out : NULL, &options)) {
        fprintf(stderr, "gbflow: out of memory for the emulated BSS\n");
        return 1;
    }
    return replay_replay_run(r);
}

int replay_run(const struct replay_options *options)
{
    static struct replay r; /* too large for a stack */
    r = (struct replay){.options = options};
    if (!node_load(&r.node, options->node)) {
        node_free(&r.node);
        return 2;
    }
    int status = start_and_run(&r);
    gb_far_side_free(&r.far);
    replay_mobiles_free(&r.mobiles);
    capture_feed_close(&r.feed.capture);
    capture_writer_close(&r.out);
    replay_stats_free(&r.stats);
    unsigned lost = node_free(&r.node);
    if (lost > 0) {
        fprintf(stderr, "gbflow: defect: %u mbufs leaked\n", lost);
        status = 1;
    }
    return status;
}
