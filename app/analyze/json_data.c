/* SPDX-License-Identifier: BSD-3-Clause */
/* analysis.json: channel rates, losses, throughput, clusters. */
#include "app/analyze/analyze.h"
#include "app/analyze/json_spread.h"
#include "app/analyze/names.h"

#include <math.h>

#define WIDTH_BPS 1000 /* of a histogram's bars */

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

static void put_moments(struct json_stream *s, const char *key, const struct gi_moments *m)
{
    json_stream_object(s, key);
    json_stream_count(s, "count", m->count);
    json_stream_number(s, "mean", m->count ? m->mean : NAN);
    json_stream_number(s, "deviation", m->count > 1 ? gi_moments_deviation(m) : NAN);
    json_stream_end(s);
}

static void put_loss(struct json_stream *s, const struct gi_result *r)
{
    const struct gi_loss *l = &r->loss;
    json_stream_object(s, "loss");
    json_stream_number(s, "internet", share(l->internet, l->packets + l->internet));
    json_stream_number(s, "access", share(l->access, l->packets));
    json_stream_count(s, "data_packets", l->packets);
    json_stream_count(s, "internet_lost", l->internet);
    json_stream_count(s, "access_lost", l->access);
    json_stream_count(s, "retransmitted", l->retransmitted);
    json_stream_count(s, "spurious", l->spurious);
    json_stream_count(s, "reordered", l->late);
    json_stream_count(s, "missed_by_capture", l->missed);
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
    const struct gi_moments *m = &r->cluster_bps[window][sack][mss][timestamp];
    if (m->count == 0)
        return;
    json_stream_object(s, NULL);
    json_stream_text(s, "window", analyze_level_name((enum gi_level)window));
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

void analyze_json_data(struct json_stream *s, const struct gi_result *r)
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
