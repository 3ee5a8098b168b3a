/* SPDX-License-Identifier: BSD-3-Clause */
/* analysis.json of `gbflow analyze`: its members in their order. */
#include "analyze/gb_links.h"
#include "analyze/gb_sndcp.h"
#include "analyze/gi_result.h"
#include "app/analyze/analyze.h"
#include "control/base/json_stream.h"
#include "control/base/utf8.h"
#include "control/base/whole_file.h"
#include "dataplane/wire/llc.h"

#include <math.h>

/* A distribution in analysis.json. */

enum { CDF_POINTS = 200 };

static void analyze_json_data(struct json_stream *s, const struct gi_result *r);

static void put_cdf(struct json_stream *s, const struct gi_spread *spread, double factor)
{
    int64_t last = -1;
    json_stream_array(s, "cdf");
    for (unsigned i = 1; i <= CDF_POINTS && spread->count; i++) {
        int64_t value = gi_spread_quantile(spread, (double)i / CDF_POINTS);
        if (value == last && i < CDF_POINTS)
            continue;
        last = value;
        json_stream_array(s, NULL);
        json_stream_number(s, NULL, (double)value * factor);
        json_stream_number(s, NULL, (double)i / CDF_POINTS);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_bar(struct json_stream *s, double start, uint64_t count)
{
    if (count == 0)
        return;
    json_stream_array(s, NULL);
    json_stream_number(s, NULL, start);
    json_stream_count(s, NULL, count);
    json_stream_end(s);
}

static void put_histogram(struct json_stream *s, const struct gi_spread *spread, double factor, double width)
{
    uint64_t count = 0;
    double bar = 0;
    json_stream_number(s, "bar_width", width);
    json_stream_array(s, "bars");
    for (unsigned i = 0; i < GI_SPREAD_CLASSES; i++) {
        if (spread->classes[i] == 0)
            continue;
        double at = floor((double)gi_spread_value(i) * factor / width);
        if (at > bar) {
            put_bar(s, bar * width, count);
            bar = at;
            count = 0;
        }
        count += spread->classes[i];
    }
    put_bar(s, bar * width, count);
    json_stream_end(s);
}

/* Quantiles, and a histogram with bars of this width. factor: from the spread's unit to the report's. */
static void analyze_json_spread(struct json_stream *s, const char *key, const struct gi_spread *spread,
                                double factor, double width)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p5", 0.05}, {"p25", 0.25}, {"p50", 0.5}, {"p75", 0.75}, {"p95", 0.95}};
    if (spread->count == 0) {
        json_stream_null(s, key);
        return;
    }
    json_stream_object(s, key);
    json_stream_count(s, "count", spread->count);
    json_stream_number(s, "mean", gi_spread_mean(spread) * factor);
    json_stream_number(s, "min", (double)spread->least * factor);
    for (unsigned i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
        json_stream_number(s, quantiles[i].name,
                           (double)gi_spread_quantile(spread, quantiles[i].share) * factor);
    json_stream_number(s, "max", (double)spread->most * factor);
    put_cdf(s, spread, factor);
    put_histogram(s, spread, factor, width);
    json_stream_end(s);
}

#define SCHEMA  "gbflow-analysis/1"
#define NS      1e-9
#define WIDTH_S 0.1 /* of a histogram's bars */

static void put_input(struct json_stream *s, const struct analyze *run)
{
    const struct capture_reader_counts *in = &run->counts;
    const struct capture_timeline *time = &run->timeline;
    const struct gi_counts *c = &run->analysis->counts;
    json_stream_object(s, "capture");
    json_stream_count(s, "frames", in->frames);
    json_stream_count(s, "octets", in->octets);
    json_stream_number(s, "start_s", (double)time->first_ns * NS);
    json_stream_number(s, "duration_s", (double)(time->last_ns - time->first_ns) * NS);
    json_stream_count(s, "cut_short", in->cut_short);
    json_stream_count(s, "clock_steps", time->steps);
    json_stream_count(s, "no_time", in->no_time);
    json_stream_bool(s, "is_complete", run->broken == 0);
    json_stream_text(s, "error", run->error);
    json_stream_count(s, "tcp", c->tcp);
    json_stream_count(s, "other_packets", c->others);
    json_stream_count(s, "headless", c->headless);
    json_stream_count(s, "other_frames", c->other_frames);
    json_stream_count(s, "malformed", c->malformed);
    uint64_t closed = 0;
    for (unsigned i = 0; i < CAPTURE_TUNNELS; i++)
        closed += c->closed[i];
    json_stream_count(s, "closed_tunnels", closed);
    json_stream_count(s, "unassigned", c->unassigned);
    json_stream_count(s, "no_length", c->no_length);
    json_stream_count(s, "no_room", run->analysis->table.refused + run->analysis->users.refused);
    json_stream_object(s, "gtp");
    json_stream_count(s, "packets", run->analysis->tunnel.packets);
    json_stream_count(s, "fragments", run->analysis->tunnel.fragments);
    json_stream_count(s, "incomplete", run->analysis->tunnel.incomplete);
    json_stream_count(s, "unreadable", run->analysis->tunnel.unreadable);
    json_stream_count(s, "signalling", c->signalling);
    json_stream_end(s);
    json_stream_end(s);
}

static void put_limits(struct json_stream *s, const struct gi_limits *limits)
{
    unsigned count;
    const struct gi_limits_row *rows = gi_limits_rows(&count);
    json_stream_object(s, "thresholds");
    for (unsigned i = 0; i < count; i++)
        json_stream_number(s, rows[i].name, gi_limits_get(limits, &rows[i]));
    json_stream_end(s);
}

static void put_connections(struct json_stream *s, const struct gi_result *r)
{
    json_stream_count(s, "connections", r->connections);
    json_stream_object(s, "connections_of");
    json_stream_count(s, "opened_by_mobile", r->by_mobile);
    json_stream_count(s, "opened_by_server", r->by_server);
    json_stream_count(s, "opening_not_seen", r->without_setup);
    json_stream_count(s, "undecided", r->undecided);
    json_stream_count(s, "with_data", r->with_data);
    json_stream_end(s);
}

/* A node over the leaves of some branches; with_background: 0, 1, or both (2). */
static void put_node(struct json_stream *s, const char *key, const struct gi_result *r, unsigned branches,
                     unsigned with_background)
{
    uint64_t counts[2] = {0, 0}, samples = 0;
    double sum_ns = 0;
    for (unsigned i = 0; i < 2U * GI_BRANCH_COUNT; i++) {
        const struct gi_leaf *leaf = &r->tree[i / 2][i % 2];
        if (!(branches >> (i / 2) & 1) || (with_background < 2 && i % 2 != with_background))
            continue;
        counts[i % 2] += leaf->count;
        samples += leaf->setup_ns.count;
        sum_ns += leaf->setup_ns.sum;
    }
    uint64_t count = counts[0] + counts[1];
    json_stream_object(s, key);
    json_stream_count(s, "count", count);
    json_stream_count(s, "setup_count", samples);
    json_stream_number(s, "setup_s_mean", samples ? sum_ns / (double)samples * NS : NAN);
    json_stream_number(s, "background_fraction", count ? (double)counts[1] / (double)count : NAN);
    json_stream_end(s);
}

static void put_tree(struct json_stream *s, const struct gi_result *r)
{
    static const struct {
        const char *name;
        unsigned branches;
    } nodes[] = {
        {"all", (1U << GI_BRANCH_COUNT) - 1},
        {"optimal", 1U << GI_BRANCH_OPTIMAL},
        {"slight", 1U << GI_BRANCH_SLIGHT},
        {"no_response", 1U << GI_BRANCH_NO_RESPONSE | 1U << GI_BRANCH_REFUSED},
        {"no_response_silent", 1U << GI_BRANCH_NO_RESPONSE},
        {"no_response_refused", 1U << GI_BRANCH_REFUSED},
        {"serious", 1U << GI_BRANCH_RESET | 1U << GI_BRANCH_SILENT},
        {"serious_reset", 1U << GI_BRANCH_RESET},
        {"serious_silent", 1U << GI_BRANCH_SILENT},
    };
    static const char *const endings[] = {"_alone", "_background", ""};
    char key[64];
    json_stream_object(s, "tree");
    for (unsigned i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        for (unsigned kind = 3; kind-- > 0;) {
            snprintf(key, sizeof(key), "%s%s", nodes[i].name, endings[kind]);
            put_node(s, key, r, nodes[i].branches, kind);
        }
    }
    json_stream_end(s);
}

static void put_setup(struct json_stream *s, const struct gi_result *r)
{
    static const char *const names[2][2] = {{"optimal_alone", "optimal_background"},
                                            {"slight_alone", "slight_background"}};
    json_stream_object(s, "setup_s");
    analyze_json_spread(s, "all", &r->setup_ns, NS, WIDTH_S);
    for (unsigned i = 0; i < 4; i++)
        analyze_json_spread(s, names[i / 2][i % 2], &r->tree[i / 2][i % 2].setup_ns, NS, WIDTH_S);
    json_stream_end(s);
}

static void put_round_trips(struct json_stream *s, const struct gi_result *r)
{
    json_stream_object(s, "rtt_s");
    analyze_json_spread(s, "internet", &r->internet_rtt_ns[GI_TIME_ALL], NS, WIDTH_S);
    analyze_json_spread(s, "access", &r->access_rtt_ns[GI_TIME_ALL], NS, WIDTH_S);
    analyze_json_spread(s, "internet_peak", &r->internet_rtt_ns[GI_TIME_PEAK], NS, WIDTH_S);
    analyze_json_spread(s, "access_peak", &r->access_rtt_ns[GI_TIME_PEAK], NS, WIDTH_S);
    analyze_json_spread(s, "internet_off_peak", &r->internet_rtt_ns[GI_TIME_QUIET], NS, WIDTH_S);
    analyze_json_spread(s, "access_off_peak", &r->access_rtt_ns[GI_TIME_QUIET], NS, WIDTH_S);
    analyze_json_spread(s, "access_loaded", &r->loaded_rtt_ns, NS, WIDTH_S);
    json_stream_end(s);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* Packets lost on either side, and those that could be lost there. packets: with data, seen. */
static void put_sides(struct json_stream *s, uint64_t internet, uint64_t access, uint64_t packets)
{
    json_stream_number(s, "internet", share(internet, packets + internet));
    json_stream_count(s, "internet_lost", internet);
    json_stream_count(s, "internet_of", packets + internet);
    json_stream_number(s, "access", share(access, packets));
    json_stream_count(s, "access_lost", access);
    json_stream_count(s, "access_of", packets);
}

static void put_mobile(struct json_stream *s, const struct gi_user *u)
{
    char text[GI_PACKET_ADDRESS_CHARS];
    json_stream_object(s, gi_packet_address_text(u->address, text));
    json_stream_count(s, "connections", u->connections);
    json_stream_count(s, "packets", u->packets);
    json_stream_count(s, "downlink_octets", u->down_octets);
    json_stream_count(s, "uplink_octets", u->up_octets);
    if (u->rates_bps.count) {
        json_stream_object(s, "channel_rate_bps");
        json_stream_number(s, "median", gi_users_sketch_median(&u->rates_bps));
        json_stream_count(s, "count", u->rates_bps.count);
        json_stream_end(s);
    } else {
        json_stream_null(s, "channel_rate_bps");
    }
    json_stream_object(s, "loss");
    put_sides(s, u->internet_lost, u->access_lost, u->data_packets);
    json_stream_end(s);
    json_stream_end(s);
}

static void put_mobiles(struct json_stream *s, const struct gi_users *users)
{
    json_stream_object(s, "mobiles");
    for (uint32_t i = 0; i < users->pool.touched; i++)
        put_mobile(s, gi_users_at(users, i));
    json_stream_end(s);
}

/* Of one direction. */
static void put_frames(struct json_stream *s, const char *key, const struct gb_frames *f)
{
    json_stream_object(s, key);
    json_stream_count(s, "i_frames", f->frames);
    json_stream_count(s, "octets", f->octets);
    json_stream_count(s, "repeated", f->repeated);
    json_stream_count(s, "repeated_octets", f->repeated_octets);
    json_stream_number(s, "repeated_share", share(f->repeated, f->frames));
    json_stream_count(s, "needless", f->needless);
    json_stream_count(s, "late", f->late);
    json_stream_count(s, "confirmed", f->confirmed);
    json_stream_count(s, "missed_by_capture", f->missed);
    json_stream_count(s, "taken_back", f->taken_back);
}

static void put_links_frames(struct json_stream *s, const struct gb_links *g)
{
    static const char *const names[GB_WAYS] = {"downlink", "uplink"};
    for (unsigned way = 0; way < GB_WAYS; way++) {
        struct gb_frames sum = gb_links_sum(g, (enum gb_way)way);
        put_frames(s, names[way], &sum);
        analyze_json_spread(s, "confirm_s", &g->confirm_ns[way], NS, WIDTH_S);
        json_stream_end(s);
    }
}

static void put_link(struct json_stream *s, const struct gb_link *l)
{
    char text[32];
    snprintf(text, sizeof(text), "%08x/%u", l->tlli, l->sapi);
    json_stream_object(s, text);
    json_stream_count(s, "established", l->established);
    json_stream_count(s, "refused", l->refused);
    json_stream_count(s, "released", l->released);
    put_frames(s, "downlink", &l->frames[GB_DOWNLINK]);
    json_stream_end(s);
    put_frames(s, "uplink", &l->frames[GB_UPLINK]);
    json_stream_end(s);
    json_stream_end(s);
}

static void put_signals(struct json_stream *s, const struct gb_links *g)
{
    static const struct {
        const char *name;
        enum llc_command command;
    } u_frames[] = {
        {"sabm", LLC_SABM}, {"ua", LLC_UA},     {"disc", LLC_DISC},
        {"dm", LLC_DM},     {"frmr", LLC_FRMR}, {"xid", LLC_XID},
    };
    static const char *const s_frames[] = {"rr", "ack", "rnr", "sack"};
    json_stream_count(s, "ui_frames", g->ui_frames);
    for (unsigned i = 0; i < sizeof(u_frames) / sizeof(u_frames[0]); i++)
        json_stream_count(s, u_frames[i].name, g->u_frames[u_frames[i].command]);
    for (unsigned i = 0; i < sizeof(s_frames) / sizeof(s_frames[0]); i++)
        json_stream_count(s, s_frames[i], g->s_frames[i]);
}

/* --- SNDCP --- */

/* llc_octets 0: not known. */
static void put_kind(struct json_stream *s, const char *key, const struct compression_counts *c,
                     uint64_t llc_octets)
{
    uint64_t saved = c->octets_before - c->octets_after;
    json_stream_object(s, key);
    json_stream_count(s, "npdus", c->n_pdus);
    json_stream_count(s, "shorter", c->compressed);
    json_stream_count(s, "full", c->full);
    json_stream_count(s, "octets_before", c->octets_before);
    json_stream_count(s, "octets_after", c->octets_after);
    json_stream_count(s, "octets_saved", saved);
    json_stream_number(s, "saved_share", share(saved, llc_octets));
    json_stream_end(s);
}

static void put_reasons(struct json_stream *s, const char *key, const char *const *names,
                        const uint64_t *counts, unsigned reasons)
{
    json_stream_object(s, key);
    for (unsigned i = 0; i < reasons; i++)
        json_stream_count(s, names[i], counts[i]);
    json_stream_end(s);
}

static void put_n_pdus(struct json_stream *s, const char *key, const struct gb_n_pdus *n)
{
    static const char *const unread[GB_UNREAD_REASONS] = {"ciphered", "cut", "damaged", "malformed"};
    static const char *const lost[GB_LOST_REASONS] = {"incomplete", "no_entity", "tossed", "header",
                                                      "data",       "checksum",  "no_room"};
    uint64_t plain_octets = n->lost[GB_NO_ENTITY] ? 0 : n->llc_octets + n->octets - n->gb_octets;
    json_stream_object(s, key);
    json_stream_count(s, "llc_octets", n->llc_octets);
    if (plain_octets)
        json_stream_count(s, "saved_of_octets", plain_octets);
    else
        json_stream_null(s, "saved_of_octets");
    json_stream_count(s, "npdus", n->n_pdus);
    json_stream_count(s, "octets_before", n->octets);
    json_stream_count(s, "octets_after", n->gb_octets);
    json_stream_count(s, "compressed", n->compressed);
    json_stream_count(s, "shorter", n->shorter);
    json_stream_count(s, "octets_unknown", n->unknown_octets);
    put_kind(s, "rfc1144", &n->kinds[COMPRESSION_RFC1144], plain_octets);
    put_kind(s, "v42bis", &n->kinds[COMPRESSION_V42BIS], plain_octets);
    json_stream_object(s, "would_be");
    put_kind(s, "all", &n->would_save.all, plain_octets);
    put_kind(s, "rfc1144", &n->would_save.kinds[COMPRESSION_RFC1144], plain_octets);
    put_kind(s, "v42bis", &n->would_save.kinds[COMPRESSION_V42BIS], plain_octets);
    json_stream_count(s, "no_room", n->would_no_room);
    json_stream_end(s);
    put_reasons(s, "frames_not_read", unread, n->unread, GB_UNREAD_REASONS);
    put_reasons(s, "npdus_lost", lost, n->lost, GB_LOST_REASONS);
    json_stream_end(s);
}

static void put_sndcp(struct json_stream *s, const struct gb_sndcp *sndcp)
{
    const struct gb_entities *e = &sndcp->entities;
    json_stream_object(s, "compression");
    json_stream_object(s, "entities");
    json_stream_count(s, "proposed", e->proposals);
    json_stream_count(s, "rfc1144", e->agreed[COMPRESSION_RFC1144]);
    json_stream_count(s, "v42bis", e->agreed[COMPRESSION_V42BIS]);
    json_stream_count(s, "changed", e->changed);
    json_stream_count(s, "refused", e->refused);
    json_stream_count(s, "no_room", e->no_room);
    json_stream_count(s, "unknown", e->unknown);
    json_stream_end(s);
    put_n_pdus(s, "downlink", &sndcp->ways[GB_DOWNLINK]);
    put_n_pdus(s, "uplink", &sndcp->ways[GB_UPLINK]);
    json_stream_end(s);
}

static void put_llc(struct json_stream *s, const struct gb_links *g)
{
    if (g->packets == 0) {
        json_stream_null(s, "llc");
        return;
    }
    json_stream_object(s, "llc");
    json_stream_count(s, "ns_packets", g->packets);
    json_stream_count(s, "cut", g->cut);
    json_stream_count(s, "links", g->pool.touched);
    json_stream_count(s, "no_room", g->refused);
    put_signals(s, g);
    put_links_frames(s, g);
    put_sndcp(s, &g->sndcp);
    json_stream_object(s, "links_of");
    for (uint32_t i = 0; i < g->pool.touched; i++)
        put_link(s, gb_links_at(g, i));
    json_stream_end(s);
    json_stream_end(s);
}

bool analyze_json_write(const struct analyze *run, const char *path)
{
    const struct gi_result *r = &run->analysis->result;
    struct json_stream s = {.file = whole_file_open(path)};
    if (!s.file) {
        utf8_printf(stderr, "gbflow analyze: %s cannot be written\n", path);
        return false;
    }
    json_stream_begin(&s, SCHEMA);
    put_input(&s, run);
    put_limits(&s, &run->options->limits);
    put_connections(&s, r);
    put_tree(&s, r);
    put_setup(&s, r);
    put_round_trips(&s, r);
    analyze_json_data(&s, r);
    put_mobiles(&s, &run->analysis->users);
    put_llc(&s, &run->analysis->links);
    json_stream_end(&s);
    bool is_good = whole_file_close(s.file, path) == 0;
    if (!is_good)
        utf8_printf(stderr, "gbflow analyze: %s cannot be written\n", path);
    return is_good;
}

#define WIDTH_BPS 1000 /* of a histogram's bars */

static void put_moments(struct json_stream *s, const char *key, const struct gi_spread_moments *m)
{
    json_stream_object(s, key);
    json_stream_count(s, "count", m->count);
    json_stream_number(s, "mean", m->count ? m->mean : NAN);
    json_stream_number(s, "deviation", m->count > 1 ? gi_spread_moments_deviation(m) : NAN);
    json_stream_end(s);
}

static void put_loss(struct json_stream *s, const struct gi_result *r)
{
    const struct gi_loss *l = &r->loss;
    json_stream_object(s, "loss");
    put_sides(s, l->internet, l->access, l->packets);
    json_stream_count(s, "data_packets", l->packets);
    json_stream_count(s, "retransmitted", l->retransmitted);
    json_stream_count(s, "spurious", l->spurious);
    json_stream_count(s, "reordered", l->late);
    json_stream_count(s, "missed_by_capture", l->missed);
    json_stream_count(s, "window_probes", l->window_probes);
    json_stream_end(s);
}

static void put_bottleneck(struct json_stream *s, const struct gi_result *r)
{
    json_stream_object(s, "bottleneck");
    json_stream_number(s, "none", share(r->bottleneck[GI_BOTTLENECK_NONE], r->with_data));
    json_stream_number(s, "access", share(r->bottleneck[GI_BOTTLENECK_ACCESS], r->with_data));
    json_stream_number(s, "internet", share(r->bottleneck[GI_BOTTLENECK_INTERNET], r->with_data));
    json_stream_count(s, "connections", r->with_data);
    json_stream_end(s);
}

static void put_throughput(struct json_stream *s, const struct gi_result *r)
{
    static const char *const bins[] = {"below 1 %", "1 to 2 %", "2 to 3 %", "above 3 %"};
    json_stream_object(s, "single");
    analyze_json_spread(s, "throughput_bps", &r->throughput_bps, 1, WIDTH_BPS);
    analyze_json_spread(s, "goodput_bps", &r->goodput_bps, 1, WIDTH_BPS);
    json_stream_array(s, "by_loss");
    for (unsigned i = 0; i < GI_RESULT_LOSS_BINS; i++) {
        json_stream_object(s, NULL);
        json_stream_text(s, "loss", bins[i]);
        put_moments(s, "throughput_bps", &r->loss_bins[i].throughput_bps);
        put_moments(s, "goodput_bps", &r->loss_bins[i].goodput_bps);
        json_stream_end(s);
    }
    json_stream_end(s);
    json_stream_end(s);
}

static void put_parallel(struct json_stream *s, const struct gi_result *r)
{
    static const char *const thirds[] = {"background_below_1_3", "background_1_3_to_2_3",
                                         "background_above_2_3"};
    json_stream_object(s, "user_throughput_bps");
    for (unsigned i = 0; i < GI_RESULT_THIRDS; i++)
        analyze_json_spread(s, thirds[i], &r->user_bps[i], 1, WIDTH_BPS);
    json_stream_array(s, "own_share");
    for (unsigned i = 0; i < GI_RESULT_SHARE_BINS; i++)
        json_stream_count(s, NULL, r->shares[i]);
    json_stream_end(s);
    json_stream_end(s);
}

static void put_cluster(struct json_stream *s, const struct gi_result *r, unsigned number)
{
    unsigned window = number / 8, sack = number / 4 % 2, mss = number / 2 % 2, timestamp = number % 2;
    const struct gi_spread_moments *m = &r->cluster_bps[window][sack][mss][timestamp];
    if (m->count == 0)
        return;
    json_stream_object(s, NULL);
    json_stream_text(s, "window", gi_result_level_name((enum gi_level)window));
    json_stream_bool(s, "sack", sack);
    json_stream_text(s, "mss", mss ? "high" : "low");
    json_stream_bool(s, "timestamp", timestamp);
    put_moments(s, "goodput_bps", m);
    json_stream_end(s);
}

static void put_clusters(struct json_stream *s, const struct gi_result *r)
{
    json_stream_array(s, "clusters");
    for (unsigned i = 0; i < GI_LEVEL_COUNT * 8U; i++)
        put_cluster(s, r, i);
    json_stream_end(s);
}

static void put_table_1(struct json_stream *s, const struct gi_result *r)
{
    json_stream_object(s, "table_1");
    json_stream_count(s, "connections", r->by_mobile);
    json_stream_number(s, "sack", share(r->sack, r->by_mobile));
    json_stream_number(s, "timestamp", share(r->timestamp, r->by_mobile));
    json_stream_number(s, "mss_low", share(r->mss[GI_LEVEL_LOW], r->by_mobile));
    json_stream_number(s, "mss_high", share(r->mss[GI_LEVEL_HIGH], r->by_mobile));
    json_stream_number(s, "window_low", share(r->window[GI_LEVEL_LOW], r->by_mobile));
    json_stream_number(s, "window_medium", share(r->window[GI_LEVEL_MEDIUM], r->by_mobile));
    json_stream_number(s, "window_high", share(r->window[GI_LEVEL_HIGH], r->by_mobile));
    json_stream_end(s);
}

static void put_table_3(struct json_stream *s, const struct gi_result *r)
{
    json_stream_object(s, "table_3");
    put_moments(s, "mss_low", &r->mss_bps[0]);
    put_moments(s, "mss_high", &r->mss_bps[1]);
    put_moments(s, "sack", &r->sack_bps[1]);
    put_moments(s, "no_sack", &r->sack_bps[0]);
    put_moments(s, "timestamp", &r->timestamp_bps[1]);
    put_moments(s, "no_timestamp", &r->timestamp_bps[0]);
    put_moments(s, "window_low", &r->window_bps[GI_LEVEL_LOW]);
    put_moments(s, "window_medium", &r->window_bps[GI_LEVEL_MEDIUM]);
    put_moments(s, "window_high", &r->window_bps[GI_LEVEL_HIGH]);
    put_moments(s, "overall", &r->overall_bps);
    json_stream_end(s);
}

/* The parts of analysis.json about channel rates, losses and throughput, for analyze_json_write(). */
static void analyze_json_data(struct json_stream *s, const struct gi_result *r)
{
    analyze_json_spread(s, "channel_rate_bps", &r->rate_bps, 1, WIDTH_BPS);
    put_loss(s, r);
    put_bottleneck(s, r);
    put_throughput(s, r);
    put_parallel(s, r);
    put_clusters(s, r);
    put_table_1(s, r);
    put_table_3(s, r);
}
