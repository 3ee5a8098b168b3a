/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/analyze/analyze.h"

#include "analyze/gi_analysis.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_result.h"
#include "capture/reader.h"
#include "control/base/command.h"
#include "control/base/report.h"
#include "control/base/utf8.h"
#include "control/base/whole_file.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void analyze_print(const struct analyze *run);

#define PROGRESS_FRAMES 65536
#define HAVE_TIMES      "capture with Enhanced Packet Blocks, as tcpdump and dumpcap do"

/* Captures of several receive queues have frames out of order; a step of more than a day is one of the clock.
 */
#define BACK_NS    MOMENT_SECOND
#define SILENCE_NS (86400 * MOMENT_SECOND)

static void show_progress(struct analyze *run)
{
    int count = run->options->capture_count, sum = 0;
    for (int i = 0; i < count; i++) {
        int percent = run->inputs[i].has_next ? capture_reader_percent(&run->inputs[i].reader) : 100;
        if (percent < 0)
            return;
        sum += percent;
    }
    if (sum / count == run->percent || !isatty(STDERR_FILENO))
        return;
    run->percent = sum / count;
    fprintf(stderr, "\r%3d %%", run->percent);
}

static void hide_progress(struct analyze *run)
{
    if (run->percent >= 0)
        fputs("\r      \r", stderr);
    run->percent = -1;
}

static void warn_of_damage(struct analyze *run, const struct analyze_input *in)
{
    run->broken++;
    memcpy(run->error, in->reader.error, sizeof(run->error));
    hide_progress(run);
    utf8_printf(stderr, "gbflow analyze: warning: %s: %s; packets before it are analysed\n", in->path,
                run->error);
}

/* The next frame of a capture, which is closed at its end. */
static void analyze_advance(struct analyze *run, struct analyze_input *in)
{
    in->has_next = capture_reader_next(&in->reader, &in->next);
    if (in->has_next)
        return;
    capture_reader_counts_add(&run->counts, &in->reader.counts);
    if (in->reader.is_broken)
        warn_of_damage(run, in);
    capture_reader_close(&in->reader);
}

/* False: a capture cannot be opened, or has no time to begin with. */
static bool open_captures(struct analyze *run)
{
    for (int i = 0; i < run->options->capture_count; i++) {
        struct analyze_input *in = &run->inputs[i];
        in->path = run->options->captures[i];
        if (capture_reader_open(&in->reader, in->path) < 0) {
            utf8_printf(stderr, "gbflow analyze: %s: %s\n", in->path, in->reader.error);
            return false;
        }
        analyze_advance(run, in);
        if (in->has_next && in->next.has_no_time) {
            utf8_printf(
                stderr,
                "gbflow analyze: %s: packet 1 has no time: it is a Simple Packet Block of pcapng; " HAVE_TIMES
                "\n",
                in->path);
            return false;
        }
    }
    return true;
}

/* Those that are still open. */
static void close_captures(struct analyze *run)
{
    for (int i = 0; i < run->options->capture_count; i++)
        capture_reader_close(&run->inputs[i].reader);
    free(run->inputs);
}

/* Of the captures the one with the earliest next frame, of several with the same time the first; NULL: all
 * have ended. */
static struct analyze_input *earliest(struct analyze *run)
{
    struct analyze_input *first = NULL;
    for (int i = 0; i < run->options->capture_count; i++) {
        struct analyze_input *in = &run->inputs[i];
        if (in->has_next && (!first || in->next.at_ns < first->next.at_ns))
            first = in;
    }
    return first;
}

static bool read_all(struct analyze *run)
{
    struct analyze_input *in;
    if (!open_captures(run))
        return false;
    for (uint64_t frames = 1; (in = earliest(run)) != NULL; frames++) {
        in->next.at_ns = capture_timeline_put(&run->timeline, in->next.at_ns);
        gi_analysis_frame(run->analysis, in->next);
        if (frames % PROGRESS_FRAMES == 0)
            show_progress(run);
        analyze_advance(run, in);
    }
    hide_progress(run);
    gi_analysis_finish(run->analysis);
    return true;
}

/* NULL, with a line on stderr: the file cannot be written. */
static FILE *open_csv(const char *path)
{
    FILE *file = whole_file_make_folder_for(path) ? whole_file_open(path) : NULL;
    if (!file)
        utf8_printf(stderr, "gbflow analyze: %s cannot be written\n", path);
    return file;
}

static bool open_files(struct analyze *run)
{
    const struct analyze_options *o = run->options;
    if (o->connections) {
        if (!(run->connections = open_csv(o->connections)))
            return false;
        analyze_csv_head(run->connections);
        run->analysis->on_end = analyze_csv_row;
        run->analysis->to = run->connections;
    }
    if (o->periods) {
        if (!(run->periods = open_csv(o->periods)))
            return false;
        analyze_csv_period_head(run->periods);
        run->analysis->on_period = analyze_csv_period;
        run->analysis->periods_to = run->periods;
    }
    if (o->exchanges) {
        if (!(run->exchanges = open_csv(o->exchanges)))
            return false;
        analyze_csv_exchange_head(run->exchanges);
        if (!gi_analysis_want_exchanges(run->analysis, analyze_csv_exchange, run->exchanges)) {
            fputs("gbflow analyze: out of memory\n", stderr);
            return false;
        }
    }
    return true;
}

static bool close_csv(FILE *file, const char *path)
{
    if (!file)
        return true;
    bool is_good = whole_file_close(file, path) == 0;
    if (!is_good)
        utf8_printf(stderr, "gbflow analyze: %s cannot be written\n", path);
    return is_good;
}

static bool close_files(struct analyze *run)
{
    bool is_good = close_csv(run->connections, run->options->connections);
    is_good = close_csv(run->periods, run->options->periods) && is_good;
    return close_csv(run->exchanges, run->options->exchanges) && is_good;
}

static bool write_folder(const struct analyze *run)
{
    const struct analyze_options *o = run->options;
    char path[PATH_MAX];
    if (!o->out)
        return true;
    if (snprintf(path, sizeof(path), "%s/analysis.json", o->out) >= (int)sizeof(path)) {
        fputs("gbflow analyze: the path is too long\n", stderr);
        return false;
    }
    return whole_file_make_folder(o->out) && whole_file_drop_link(path) && analyze_json_write(run, path) &&
           (!o->has_report || report_make("analyze", o->out, o->is_svg));
}

static bool write_all(struct analyze *run)
{
    const struct analyze_options *o = run->options;
    if (o->json && !(whole_file_make_folder_for(o->json) && analyze_json_write(run, o->json)))
        return false;
    return write_folder(run);
}

int analyze_run(const struct analyze_options *options)
{
    struct analyze run = {
        .options = options,
        .timeline = {.back_ns = BACK_NS, .silence_ns = SILENCE_NS, .set_ns = SILENCE_NS},
        .percent = -1,
    };
    run.inputs = calloc((size_t)options->capture_count, sizeof(*run.inputs));
    run.analysis = run.inputs ? gi_analysis_new(&options->limits, &options->told) : NULL;
    if (!run.analysis) {
        fputs("gbflow analyze: out of memory\n", stderr);
        free(run.inputs);
        return COMMAND_FAILED;
    }
    bool is_good = open_files(&run) && read_all(&run);
    is_good = close_files(&run) && is_good;
    if (is_good)
        analyze_print(&run);
    is_good = is_good && write_all(&run);
    gi_analysis_free(run.analysis);
    close_captures(&run);
    return is_good ? COMMAND_OK : COMMAND_FAILED;
}

#define MOBILES_SHOWN 20
#define UNASSIGNED_OF 100 /* a warning is printed beyond one unassigned packet in so many frames */

/* Frames whose link type is not supported have a warning of their own. */
static void warn_of_unread(const struct analyze *run)
{
    const struct gi_analysis *a = run->analysis;
    struct capture_unread_list list = {0};
    struct capture_unread unread = run->counts.unread;
    capture_unread_add(&unread, &a->counts.inner);
    capture_unread_list_links(&list, &unread);
    capture_unread_list_put(&list, a->counts.malformed, "with an IP header that is cut or malformed");
    capture_unread_list_put(&list, a->counts.headless, "with a TCP or UDP header that is cut or malformed");
    for (unsigned i = 0; i < CAPTURE_TUNNELS; i++) {
        char what[80];
        snprintf(what, sizeof(what),
                 "in a tunnel (%s) whose packet cannot be reached: cut, in fragments, or no IP",
                 capture_link_tunnel_name((enum capture_tunnel_kind)i));
        capture_unread_list_put(&list, a->counts.closed[i], what);
    }
    capture_unread_list_put(&list, a->tunnel.unreadable, "of GTP without a readable packet of a user");
    capture_unread_list_put(&list, a->tunnel.incomplete, "of GTP in IP fragments that are not complete");
    if (capture_unread_are_many(&list, run->counts.frames))
        fprintf(stderr, "gbflow analyze: warning: %" PRIu64 " of %" PRIu64 " frames could not be read: %s\n",
                list.frames, run->counts.frames, list.text);
}

static void print_warnings(const struct analyze *run)
{
    const struct capture_reader_counts *in = &run->counts;
    const struct gi_analysis *a = run->analysis;
    warn_of_unread(run);
    if (run->timeline.steps)
        fprintf(stderr,
                "gbflow analyze: the clock of the captures stepped %" PRIu64
                " times; times are corrected to never decrease\n",
                run->timeline.steps);
    if (in->no_time)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " packets have no time (Simple Packet Blocks of pcapng) and got that of the packet before "
                "them; " HAVE_TIMES "\n",
                in->no_time);
    if (in->unknown_links)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " frames with unsupported link types were ignored; supported: %s\n",
                in->unknown_links, capture_link_names());
    if (a->counts.unassigned > in->frames / UNASSIGNED_OF)
        fprintf(stderr, "gbflow analyze: %" PRIu64 " packets were ignored: %s\n", a->counts.unassigned,
                a->told.count
                    ? "neither or both of their addresses are in a prefix of --mobile; give the mobiles' "
                      "prefixes alone"
                    : "which of their addresses is the mobile's is unknown; give --mobile PREFIX");
    if (a->counts.no_length)
        fprintf(
            stderr,
            "gbflow analyze: %" PRIu64
            " packets have no length in the IP header, as a network card was to segment them; the record's "
            "length is taken, and each may be several packets on the wire; capture with segmentation off: "
            "ethtool -K DEV tso off gso off gro off\n",
            a->counts.no_length);
    if (a->links.cut)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " packets of Gb were ignored: they are cut in front of the end of LLC's header; capture 128 "
                "octets or more of each frame\n",
                a->links.cut);
    if (a->links.refused)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " LLC frames were ignored: the table of links is full; raise --set links=N\n",
                a->links.refused);
    if (a->table.refused || a->users.refused)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " packets were ignored: a table is full; raise --set connections=N, --set mobiles=N\n",
                a->table.refused + a->users.refused);
}

static void print_tree(const struct gi_result *r)
{
    puts("\nset-up               alone  background       n  mean s");
    for (unsigned i = 0; i < GI_BRANCH_COUNT; i++) {
        const struct gi_leaf *leaf = r->tree[i];
        uint64_t samples = leaf[0].setup_ns.count + leaf[1].setup_ns.count;
        printf("  %-15s %8" PRIu64 "  %10" PRIu64, gi_result_branch_name((enum gi_branch)i), leaf[0].count,
               leaf[1].count);
        printf("  %6" PRIu64, samples);
        if (samples)
            printf("  %6.3f\n", (leaf[0].setup_ns.sum + leaf[1].setup_ns.sum) / (double)samples * 1e-9);
        else
            puts("       -");
    }
}

static void print_spread(const char *name, const struct gi_spread *s, double factor)
{
    if (s->count)
        printf("  %-24s %8" PRIu64 "  %9.3f  %9.3f\n", name, s->count,
               (double)gi_spread_quantile(s, 0.5) * factor, (double)gi_spread_quantile(s, 0.95) * factor);
}

static void print_mobiles(const struct gi_users *users)
{
    char text[GI_PACKET_ADDRESS_CHARS];
    puts("\nmobile            connections   octets down  channel p50 kbit/s  periods");
    for (uint32_t i = 0; i < users->pool.touched && i < MOBILES_SHOWN; i++) {
        const struct gi_user *u = gi_users_at(users, i);
        printf("%-17s %11" PRIu64 "  %12" PRIu64, gi_packet_address_text(u->address, text), u->connections,
               u->down_octets);
        if (u->rates_bps.count)
            printf("  %18.1f  %7u\n", gi_users_sketch_median(&u->rates_bps) / 1000, u->rates_bps.count);
        else
            puts("                   -        0");
    }
    if (users->pool.touched > MOBILES_SHOWN)
        printf("... and %u more\n", users->pool.touched - MOBILES_SHOWN);
}

/* Table III of the paper beside. */
static void print_options(const struct gi_result *r)
{
    const struct {
        const char *name;
        const struct gi_spread_moments *bps;
        double paper_bps;
    } rows[] = {
        {"MSS low", &r->mss_bps[0], 20048.52},
        {"MSS high", &r->mss_bps[1], 24936.86},
        {"SACK", &r->sack_bps[1], 25425.25},
        {"no SACK", &r->sack_bps[0], 23136.50},
        {"timestamps", &r->timestamp_bps[1], 25342.24},
        {"no timestamps", &r->timestamp_bps[0], 24049.16},
        {"window low", &r->window_bps[GI_LEVEL_LOW], 22542.80},
        {"window medium", &r->window_bps[GI_LEVEL_MEDIUM], 25723.40},
        {"window high", &r->window_bps[GI_LEVEL_HIGH], 24383.82},
        {"all", &r->overall_bps, 24233.09},
    };
    if (r->overall_bps.count == 0)
        return;
    puts("\nsingle bulk connections           n  mean kbit/s  the paper's kbit/s");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        printf("  %-24s %8" PRIu64 "  %11.2f  %18.2f\n", rows[i].name, rows[i].bps->count,
               rows[i].bps->mean / 1000, rows[i].paper_bps / 1000);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Of one direction; a dash for times without a confirmation. */
static void print_frames(const char *name, const struct gb_frames *f, const struct gi_spread *confirm_ns)
{
    printf("  %-9s %10" PRIu64 "%10" PRIu64 "%11.2f%10" PRIu64 "%11" PRIu64, name, f->frames, f->repeated,
           percent(f->repeated, f->frames), f->needless, f->confirmed);
    if (confirm_ns->count)
        printf("%8.3f%8.3f\n", (double)gi_spread_quantile(confirm_ns, 0.5) * 1e-9,
               (double)gi_spread_quantile(confirm_ns, 0.95) * 1e-9);
    else
        puts("       -       -");
}

static void print_links(const struct gb_links *g)
{
    static const char *const names[GB_WAYS] = {"downlink", "uplink"};
    if (g->pool.touched == 0) {
        printf("\nLLC: %" PRIu64 " NS packets, %" PRIu64 " UI frames, none in acknowledged mode\n",
               g->packets, g->ui_frames);
        return;
    }
    printf("\nLLC in acknowledged mode, SAPIs of mobiles: %u\n", g->pool.touched);
    puts("             I frames  repeated  repeated %  needless  confirmed  p50 s  p95 s");
    for (unsigned way = 0; way < GB_WAYS; way++) {
        struct gb_frames f = gb_links_sum(g, (enum gb_way)way);
        print_frames(names[way], &f, &g->confirm_ns[way]);
    }
}

/* llc_octets 0: not known. */
static void print_kind(const char *way, const char *kind, const struct compression_counts *c,
                       uint64_t llc_octets)
{
    uint64_t saved = c->octets_before - c->octets_after;
    char share[32] = "       -";
    if (!c->n_pdus)
        return;
    if (llc_octets)
        snprintf(share, sizeof(share), "%8.2f %12" PRIu64, percent(saved, llc_octets), llc_octets);
    printf("  %-9s %-15s %9" PRIu64 " %9" PRIu64 " %12" PRIu64 " %12" PRIu64 " %11" PRIu64 " %s\n", way, kind,
           (uint64_t)c->n_pdus, (uint64_t)c->compressed, c->octets_before, c->octets_after, saved, share);
}

static void print_n_pdus(const char *way, const struct gb_n_pdus *n)
{
    const struct compression_counts all = {.n_pdus = (uint32_t)n->n_pdus,
                                           .compressed = (uint32_t)n->shorter,
                                           .octets_before = n->octets,
                                           .octets_after = n->gb_octets};
    uint64_t unknown = n->lost[GB_NO_ENTITY], lost = 0, unread = 0;
    uint64_t plain_octets = unknown ? 0 : n->llc_octets + n->octets - n->gb_octets;
    print_kind(way, "all", &all, plain_octets);
    print_kind(way, "RFC 1144", &n->kinds[COMPRESSION_RFC1144], plain_octets);
    print_kind(way, "V.42bis", &n->kinds[COMPRESSION_V42BIS], plain_octets);
    print_kind(way, "all would", &n->would_save.all, plain_octets);
    print_kind(way, "RFC 1144 would", &n->would_save.kinds[COMPRESSION_RFC1144], plain_octets);
    print_kind(way, "V.42bis would", &n->would_save.kinds[COMPRESSION_V42BIS], plain_octets);
    if (unknown)
        printf("  %-9s entities unknown: %" PRIu64 " compressed N-PDUs, %" PRIu64
               " octets, not in the rows above; what they saved is unknown\n",
               way, unknown, n->unknown_octets);
    for (unsigned i = 0; i < GB_UNREAD_REASONS; i++)
        unread += n->unread[i];
    for (unsigned i = 0; i < GB_LOST_REASONS; i++)
        lost += n->lost[i];
    if (lost + unread)
        printf("  %-9s %" PRIu64 " N-PDUs lost, %" PRIu64 " LLC frames not read (%" PRIu64 " ciphered)\n",
               way, lost, unread, n->unread[GB_CIPHERED]);
}

static void print_sndcp(const struct gb_sndcp *s)
{
    uint64_t agreed = s->entities.agreed[COMPRESSION_RFC1144] + s->entities.agreed[COMPRESSION_V42BIS];
    printf("\nSNDCP compression: %" PRIu64 " entities agreed on, %" PRIu64 " refused\n", agreed,
           s->entities.refused);
    if (s->entities.unknown)
        puts("  Entities of some mobiles are unknown: the capture lacks their XID, or began after it");
    puts("                                N-PDUs   shorter       octets        after       saved    LLC %    "
         "of octets");
    print_n_pdus("downlink", &s->ways[GB_DOWNLINK]);
    print_n_pdus("uplink", &s->ways[GB_UPLINK]);
}

/* A share has no value without packets. */
static void print_part(uint64_t part, uint64_t whole, const char *noun)
{
    printf("%" PRIu64 " of %" PRIu64 "%s", part, whole, noun);
    if (whole)
        printf(" (%.2f %%)", percent(part, whole));
}

/* Packets that were lost in front of the monitor were sent beside those that it saw; behind it only these
 * could be lost. */
static void print_loss(const struct gi_loss *l)
{
    fputs("\nloss: Internet ", stdout);
    print_part(l->internet, l->packets + l->internet, " data packets");
    fputs(", access ", stdout);
    print_part(l->access, l->packets, "");
    putchar('\n');
}

static void print_tcp(const struct gi_result *r)
{
    print_tree(r);
    puts("\n                                  n        p50        p95");
    print_spread("internet RTT s", &r->internet_rtt_ns[GI_TIME_ALL], 1e-9);
    print_spread("access RTT s", &r->access_rtt_ns[GI_TIME_ALL], 1e-9);
    print_spread("access RTT under load s", &r->loaded_rtt_ns, 1e-9);
    print_spread("channel rate kbit/s", &r->rate_bps, 1e-3);
    print_spread("single goodput kbit/s", &r->goodput_bps, 1e-3);
    print_loss(&r->loss);
    printf("bottleneck: none %.0f %%, access %.0f %%, Internet %.0f %% of %" PRIu64
           " connections with data\n",
           percent(r->bottleneck[GI_BOTTLENECK_NONE], r->with_data),
           percent(r->bottleneck[GI_BOTTLENECK_ACCESS], r->with_data),
           percent(r->bottleneck[GI_BOTTLENECK_INTERNET], r->with_data), r->with_data);
    print_options(r);
}

/* Prints the table on standard output. */
static void analyze_print(const struct analyze *run)
{
    const struct capture_reader_counts *in = &run->counts;
    const struct gi_result *r = &run->analysis->result;
    print_warnings(run);
    uint32_t mobiles = run->analysis->users.pool.touched;
    printf("%" PRIu64 " frame%s in %.1f s, %" PRIu64 " TCP connection%s (%" PRIu64
           " opened by mobiles), %u mobile%s\n",
           in->frames, words_plural(in->frames),
           (double)(run->timeline.last_ns - run->timeline.first_ns) * 1e-9, r->connections,
           words_plural(r->connections), r->by_mobile, mobiles, words_plural(mobiles));
    if (r->connections || run->analysis->links.packets == 0)
        print_tcp(r);
    if (run->analysis->links.packets) {
        print_links(&run->analysis->links);
        print_sndcp(&run->analysis->links.sndcp);
    }
    if (run->analysis->users.pool.touched || run->analysis->links.packets == 0)
        print_mobiles(&run->analysis->users);
}
