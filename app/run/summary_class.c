/* SPDX-License-Identifier: BSD-3-Clause */
/* Traffic classes and mobiles of a run. */
#include "app/run/summary.h"

#include "control/report/node_fields.h"

#define DELAY                                                                                                \
    "Delay: from the sender's emission of an IP packet until the mobile's IP layer has all of it; of "       \
    "N-PDUs delivered "                                                                                      \
    "after the warm-up."
#define GOODPUT                                                                                              \
    "Payload delivered in order to applications after the warm-up, divided by the whole time after the "     \
    "warm-up, idle time included."
#define NPDU_IN  "Downlink N-PDUs received from Gn."
#define NPDU_OUT "N-PDUs whose last segment was handed to NS."
#define DROPS    "N-PDUs dropped in the SGSN, by reason."

/* --- classes --- */

struct class_record {
    struct run_class class;
    struct quantiles delays, sojourns, page_times;
    double page_mean_bps;
};

void summary_each_class(const void *record, struct field_sink *sink)
{
    struct run *r = ((const struct summary *)record)->run;
    for (int i = 0; i < QCLASS_COUNT; i++) {
        struct run_class *class = &r->classes.of[i];
        if (class->mobiles == 0)
            continue;
        struct summary_page_times times = summary_page_times(r, i);
        const struct class_record row = {
            .class = *class,
            .delays = quantiles_of(&class->delays),
            .sojourns = quantiles_of(&class->sojourns),
            .page_times = quantiles_of(&times.times),
            .page_mean_bps = times.finished ? times.rate_sum_bps / (double)times.finished : NAN,
        };
        field_put(sink, qclass_name((enum qclass)i), &row);
        samples_free(&times.times);
    }
}

#define CLASS(kind, name, unit, member, sentence)                                                            \
    FIELD(struct class_record, kind, name, unit, member, sentence)

static const struct field goodputs[] = {
    CLASS(GAUGE, "per_user_mean", "bit/s", class.goodput_mean_bps, "total divided by the number of mobiles."),
    CLASS(GAUGE, "total", "bit/s", class.goodput_total_bps, GOODPUT),
    CLASS(GAUGE, "page_mean", "bit/s", page_mean_bps,
          "Mean over finished pages of page octets divided by page time; null without a finished page."),
    FIELD_END,
};

static const struct field fairness[] = {
    CLASS(GAUGE, "worst_user", "ratio", class.worst_user,
          "Smallest goodput of a mobile divided by the mean goodput of all."),
    CLASS(GAUGE, "jain", "ratio", class.jain,
          "Jain's index of the mobiles' goodputs: 1 if all n are equal, 1/n if one mobile has all."),
    FIELD_END,
};

const struct field summary_classes[] = {
    CLASS(GAUGE, "mobiles", "mobiles", class.mobiles, "Mobiles of the class."),
    CLASS(COUNTER, "npdu_in", "N-PDUs", class.npdu_in, NPDU_IN),
    CLASS(COUNTER, "npdu_out", "N-PDUs", class.npdu_out, NPDU_OUT),
    CLASS(COUNTER, "marks", "N-PDUs", class.marks,
          "N-PDUs of npdu_out on which the SGSN's AQM scheme set CE (RFC 3168)."),
    CLASS(COUNTER, "octets_out", "octets", class.octets_out,
          "Octets of N-PDUs whose last segment was handed to NS after the warm-up."),
    CLASS(GAUGE, "share", "ratio", class.share,
          "octets_out divided by octets_out of all classes; 0 if nothing was sent."),
    FIELD_COUNTERS(struct class_record, "drops", "N-PDUs", class.drops, drop_fields_npdus, DROPS),
    FIELD_INSIDE(OBJECT, "delay_s", offsetof(struct class_record, delays), quantiles_whole, DELAY),
    FIELD_INSIDE(
        OBJECT, "sojourn_s", offsetof(struct class_record, sojourns), quantiles_whole,
        "Time in the SGSN: from arrival on Gn until the last segment is handed to NS, after the warm-up."),
    FIELD_INSIDE(OBJECT, "goodput_bps", 0, goodputs, "Goodput of the class's mobiles."),
    FIELD_INSIDE(
        OBJECT, "page_time_s", offsetof(struct class_record, page_times), quantiles_pages,
        "Page time of pages begun after the warm-up; an unfinished page counts with its age at the end."),
    FIELD_INSIDE(OBJECT, "fairness", 0, fairness, "How evenly the class's mobiles share the goodput."),
    FIELD_END,
};

/* --- mobiles --- */

struct mobile_record {
    const char *name, *class;
    struct run_mobile_stats stats;
    struct quantiles delays;
    double goodput_bps;
};

void summary_each_mobile(const void *record, struct field_sink *sink)
{
    struct run *r = ((const struct summary *)record)->run;
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        struct run_mobile *mobile = &r->mobiles[i];
        const struct mobile_record row = {
            .name = mobile->config->name,
            .class = qclass_name(mobile->config->qclass),
            .stats = mobile->stats,
            .delays = quantiles_of(&mobile->stats.delays),
            .goodput_bps = (double)mobile->stats.goodput_octets * 8 / seconds,
        };
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
    FIELD_COUNTERS(struct mobile_record, "drops", "N-PDUs", stats.drops, drop_fields_npdus, DROPS),
    FIELD_INSIDE(OBJECT, "delay_s", offsetof(struct mobile_record, delays), quantiles_whole, DELAY),
    MOBILE(GAUGE, "goodput_bps", "bit/s", goodput_bps, GOODPUT),
    FIELD_END,
};
