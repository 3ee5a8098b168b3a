/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic classes, groups and mobiles in summary.json. */
#include "app/run/summary.h"
#include "app/run/traffic.h"

#include <math.h>
#include <string.h>

#define DELAY                                                                                                \
    "Delay: from the sender's emission of an IP packet until the mobile's IP layer has all of it; of "       \
    "N-PDUs delivered "                                                                                      \
    "after the warm-up."
#define GOODPUT                                                                                              \
    "Payload delivered in order to applications after the warm-up, divided by the whole time after the "     \
    "warm-up, idle time included."
#define PAGE_TIME                                                                                            \
    "Page time of pages begun after the warm-up. An unfinished page is censored at its age: its share goes " \
    "to "                                                                                                    \
    "the pages that take longer (Kaplan-Meier)."
#define NPDU_IN  "Downlink N-PDUs received from Gn."
#define NPDU_OUT "N-PDUs whose last segment was handed to NS."
#define DROPS    "N-PDUs dropped in the SGSN, by reason."

/* --- what users wait for --- */

struct page_times summary_page_times(const struct scenario_run *r, const struct run_members *of,
                                     enum page_end end)
{
    struct page_times times = {0};
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        if (r->apps[i].config->ops->add_pages && run_series_is_member(of, r->apps[i].mobile))
            r->apps[i].config->ops->add_pages(&r->apps[i], end, &times);
    return times;
}

/* Likewise without the bag. */
static struct page_times_figures pages_of(const struct scenario_run *r, const struct run_members *of,
                                          enum page_end end)
{
    struct page_times times = summary_page_times(r, of, end);
    const struct page_times_figures figures = page_times_figures_of(&times);
    page_times_free(&times);
    return figures;
}

/* Round-trip time of senders. */
struct rtt {
    uint64_t samples;
    int64_t avg_ns, max_ns;
};

static struct rtt rtt_of(const struct scenario_run *r, const struct run_members *of)
{
    struct app_record_rtt rtt = {0};
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        struct app_record_tcp record;
        if (app->config->ops->record && run_series_is_member(of, app->mobile) &&
            app->config->ops->record(app, &record))
            app_record_rtt_add(&rtt, &record);
    }
    return (struct rtt){rtt.samples, app_record_rtt_avg_ns(&rtt), rtt.octets ? rtt.max_ns : MOMENT_NEVER};
}

/* Of all ping items of members, or of all request and script items. */
struct probes {
    uint64_t sent, answered;
    double answered_share, lost; /* NAN where nothing was sent */
    struct quantiles times;
};

static struct probes probes_of(const struct scenario_run *r, const struct run_members *of, bool is_ping)
{
    struct samples times = {0};
    struct probes all = {0};
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        uint32_t (*add)(const struct run_app *, struct samples *) =
            is_ping ? app->config->ops->add_pings : app->config->ops->add_answers;
        if (add && run_series_is_member(of, app->mobile))
            all.sent += add(app, &times);
    }
    all.answered = times.count;
    all.answered_share = all.sent ? (double)all.answered / (double)all.sent : NAN;
    all.lost = 1 - all.answered_share;
    all.times = quantiles_of(&times);
    samples_free(&times);
    return all;
}

/* Puts those of a mobile with items that have pages; the record is a const struct run_mobile *. */
static void each_mobile_pages(const void *record, struct field_sink *sink)
{
    const struct run_mobile *mobile = *(const struct run_mobile *const *)record;
    struct page_times times = {0};
    bool has_pages = false;
    for (uint32_t i = 0; i < mobile->config->traffic_count; i++) {
        const struct run_app *app = &mobile->run->apps[mobile->config->first_traffic + i];
        if (!app->config->ops->add_pages)
            continue;
        has_pages = true;
        app->config->ops->add_pages(app, PAGE_END_LAST, &times);
    }
    const struct page_times_figures figures = page_times_figures_of(&times);
    if (has_pages)
        field_put(sink, NULL, &figures);
    page_times_free(&times);
}

/* --- classes and groups --- */

struct class_record {
    struct run_sum sum;
    double share; /* of the octets of all mobiles */
    struct quantiles delays, sojourns;
    struct page_times_figures page_times, first_objects;
    double page_mean_bps, dropped;
    struct rtt rtt;
    struct probes pings, requests;
};

/* NAN where nothing was sent. */
static double dropped_of(const struct run_sum *sum)
{
    uint64_t drops = 0;
    for (int i = DROP_FIRST_NPDU; i < DROP_COUNT; i++)
        drops += sum->drops[i];
    return sum->npdu_out ? (double)drops / (double)sum->npdu_out : NAN;
}

static double share_of(const struct scenario_run *r, uint64_t octets)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        all += r->mobiles[i].stats.octets_out;
    return all > 0 ? (double)octets / (double)all : 0;
}

static void put_members(const struct scenario_run *r, const struct run_members *of, const char *name,
                        struct field_sink *sink)
{
    struct page_times times = summary_page_times(r, of, PAGE_END_LAST);
    struct class_record row = {
        .sum = run_series_sum(r, of),
        .delays = run_series_delays(r, of),
        .sojourns = run_series_sojourns(r, of),
        .page_times = page_times_figures_of(&times),
        .first_objects = pages_of(r, of, PAGE_END_FIRST),
        .page_mean_bps = page_times_rate_bps(&times),
        .rtt = rtt_of(r, of),
        .pings = probes_of(r, of, true),
        .requests = probes_of(r, of, false),
    };
    row.share = share_of(r, row.sum.octets_out);
    row.dropped = dropped_of(&row.sum);
    page_times_free(&times);
    if (row.sum.mobiles > 0)
        field_put(sink, name, &row);
}

void summary_each_class(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
    for (int i = 0; i < QCLASS_COUNT; i++) {
        const struct run_members of = {0, r->scenario.mobile_count, i};
        put_members(r, &of, n_pdu_qclass_name((enum qclass)i), sink);
    }
}

void summary_each_group(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; i < r->scenario.group_count; i++) {
        const struct scenario_config_group *group = &r->scenario.groups[i];
        const struct run_members of = {group->first, group->count, QCLASS_COUNT};
        put_members(r, &of, group->name, sink);
    }
}

static void each_class_requests(const void *record, struct field_sink *sink)
{
    const struct probes *requests = record;
    if (requests->sent > 0)
        field_put(sink, NULL, requests);
}

#define CLASS(kind, name, unit, member, sentence)                                                            \
    FIELD(struct class_record, kind, name, unit, member, sentence)

static const struct field goodputs[] = {
    CLASS(GAUGE, "per_user_mean", "bit/s", sum.goodput_mean_bps, "total divided by the number of mobiles."),
    CLASS(GAUGE, "total", "bit/s", sum.goodput_total_bps, GOODPUT),
    CLASS(
        GAUGE, "page_mean", "bit/s", page_mean_bps,
        "Mean over pages of page octets divided by page time, unfinished pages censored as in page_time_s; "
        "the share of pages that take longer than the longest finished one counts as 0 bit/s; null without a "
        "finished page."),
    FIELD_END,
};

static const struct field fairness[] = {
    CLASS(GAUGE, "users", "mobiles", sum.users,
          "Mobiles (1) with load, a traffic item other than ping that began, that (2) wait: after the "
          "warm-up an N-PDU "
          "left the SGSN, or was dropped, later than it came, or is still there. worst_user and jain are of "
          "these."),
    CLASS(GAUGE, "without_load", "mobiles", sum.without_load, "Mobiles that are no users by (1)."),
    CLASS(GAUGE, "without_wait", "mobiles", sum.without_wait,
          "Mobiles with load that are no users by (2): they were served all that came for them, at once."),
    CLASS(GAUGE, "worst_user", "ratio", sum.worst_user,
          "Smallest goodput of a user divided by the mean goodput of all users; null without goodput."),
    CLASS(GAUGE, "jain", "ratio", sum.jain,
          "Jain's index of the users' goodputs: 1 if all n are equal, 1/n if one user has all; null without "
          "goodput."),
    FIELD_END,
};

static const struct field rtts[] = {
    CLASS(COUNTER, "n", "samples", rtt.samples, "Samples."),
    CLASS(GAUGE, "avg", "seconds", rtt.avg_ns, "Mean of tcp[].rtt_s.avg, weighted by tcp[].octets."),
    CLASS(GAUGE, "max", "seconds", rtt.max_ns, "Largest value."),
    FIELD_END,
};

static const struct field requests_fields[] = {
    FIELD(struct probes, COUNTER, "sent", "requests", sent, "Requests, without repetitions."),
    FIELD(struct probes, COUNTER, "answered", "requests", answered,
          "Those whose answer came: of confirmable ones before they were given up."),
    FIELD(struct probes, GAUGE, "answered_share", "ratio", answered_share, "answered divided by sent."),
    FIELD_INSIDE(OBJECT, "answer_s", offsetof(struct probes, times), quantiles_whole,
                 "Answer time of answered (requests[].answer_s); null without one."),
    FIELD_END,
};

const struct field summary_classes[] = {
    CLASS(GAUGE, "mobiles", "mobiles", sum.mobiles, "Mobiles of the class or group."),
    CLASS(COUNTER, "npdu_in", "N-PDUs", sum.npdu_in, NPDU_IN),
    CLASS(COUNTER, "npdu_out", "N-PDUs", sum.npdu_out, NPDU_OUT),
    CLASS(COUNTER, "marks", "N-PDUs", sum.marks,
          "N-PDUs of npdu_out on which the SGSN's AQM scheme set CE (RFC 3168)."),
    CLASS(COUNTER, "octets_out", "octets", sum.octets_out,
          "Octets of N-PDUs whose last segment was handed to NS after the warm-up."),
    CLASS(GAUGE, "share", "ratio", share,
          "octets_out divided by octets_out of all mobiles; 0 if nothing was sent."),
    FIELD_COUNTERS(struct class_record, "drops", "N-PDUs", sum.drops, drop_fields_npdus, DROPS),
    CLASS(GAUGE, "dropped", "ratio", dropped,
          "N-PDUs dropped in the SGSN divided by npdu_out; null if nothing was sent."),
    FIELD_INSIDE(OBJECT, "delay_s", offsetof(struct class_record, delays), quantiles_whole, DELAY),
    FIELD_INSIDE(
        OBJECT, "sojourn_s", offsetof(struct class_record, sojourns), quantiles_whole,
        "Time in the SGSN: from arrival on Gn until the last segment is handed to NS, after the warm-up."),
    FIELD_INSIDE(OBJECT, "goodput_bps", 0, goodputs, "Goodput of its mobiles."),
    FIELD_INSIDE(OBJECT, "page_time_s", offsetof(struct class_record, page_times), page_times_fields,
                 PAGE_TIME),
    FIELD_INSIDE(OBJECT, "first_object_s", offsetof(struct class_record, first_objects), page_times_first,
                 "Time from the request of a page to the last octet of its main object (pages[].first_s); of "
                 "pages begun after the warm-up, censored as in page_time_s."),
    FIELD_INSIDE(OBJECT, "rtt_s", 0, rtts,
                 "Round-trip time that the senders of its connections measure (tcp[].rtt_s): what a "
                 "segment and its ACK wait for; of the whole run, the warm-up included; "
                 "null without a sample."),
    CLASS(COUNTER, "pings_sent", "messages", pings.sent,
          "ICMP Echo Requests that its mobiles sent in the whole run, the warm-up included."),
    CLASS(COUNTER, "pings_received", "messages", pings.answered, "ICMP Echo Replies received."),
    CLASS(GAUGE, "pings_lost", "ratio", pings.lost,
          "Requests without a reply by all requests: lost, or on their way at the end; null without a "
          "request."),
    FIELD_INSIDE(OBJECT, "ping_rtt_s", offsetof(struct class_record, pings.times), quantiles_ping,
                 "Round-trip time of answered requests of the whole run, the warm-up included; null without "
                 "one."),
    FIELD_INSIDE(OBJECT, "requests", offsetof(struct class_record, requests), requests_fields,
                 "All its request and script items: requests and exchanges begun after the warm-up.",
                 .each = each_class_requests, .is_optional = true, .when = "with request or script items"),
    FIELD_INSIDE(OBJECT, "fairness", 0, fairness, "How evenly its users share its goodput."),
    FIELD_END,
};

/* --- mobiles --- */

struct mobile_record {
    const char *name, *class;
    const struct run_mobile *mobile;
    struct run_mobile_stats stats;
    uint64_t drops[DROP_COUNT];
    struct quantiles delays;
    double goodput_bps;
};

void summary_each_mobile(const void *record, struct field_sink *sink)
{
    struct scenario_run *r = ((const struct summary *)record)->run;
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        struct run_mobile *mobile = &r->mobiles[i];
        struct mobile_record row = {
            .name = mobile->config->name,
            .class = n_pdu_qclass_name(mobile->config->qclass),
            .mobile = mobile,
            .stats = mobile->stats,
            .delays = quantiles_of(&mobile->stats.delays),
            .goodput_bps = (double)mobile->stats.goodput_octets * 8 / seconds,
        };
        if (mobile->stats.drops)
            memcpy(row.drops, mobile->stats.drops, sizeof(row.drops));
        field_put(sink, NULL, &row);
    }
}

#define MOBILE(kind, name, unit, member, sentence)                                                           \
    FIELD(struct mobile_record, kind, name, unit, member, sentence)

const struct field summary_mobiles[] = {
    MOBILE(LABEL, "mobile", "", name, "Name of the mobile."),
    MOBILE(LABEL, "class", "", class, "Its traffic class."),
    MOBILE(COUNTER, "npdu_in", "N-PDUs", stats.npdu_in, NPDU_IN),
    MOBILE(COUNTER, "npdu_out", "N-PDUs", stats.npdu_out, NPDU_OUT),
    FIELD_COUNTERS(struct mobile_record, "drops", "N-PDUs", drops, drop_fields_npdus, DROPS),
    FIELD_INSIDE(OBJECT, "delay_s", offsetof(struct mobile_record, delays), quantiles_whole, DELAY),
    MOBILE(GAUGE, "goodput_bps", "bit/s", goodput_bps, GOODPUT),
    FIELD_INSIDE(OBJECT, "page_time_s", offsetof(struct mobile_record, mobile), page_times_fields, PAGE_TIME,
                 .each = each_mobile_pages, .is_optional = true, .when = "with web items"),
    FIELD_END,
};
