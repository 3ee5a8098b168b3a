/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/analyze/analyze.h"
#include "app/analyze/names.h"

#include "capture/reader.h"

#include <inttypes.h>

#define MOBILES_SHOWN 20
#define UNASSIGNED_OF 100 /* a warning is printed beyond one unassigned packet in so many frames */

static void print_warnings(const struct analyze *run)
{
    const struct capture_reader_counts *in = &run->reader.counts;
    const struct gi_analysis *a = run->analysis;
    if (run->timeline.steps)
        fprintf(stderr,
                "gbflow analyze: the clock of the captures stepped %" PRIu64
                " times; times are corrected to never decrease\n",
                run->timeline.steps);
    if (in->unknown_links)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " frames with unsupported link types were ignored; supported: %s\n",
                in->unknown_links, capture_link_names());
    if (a->counts.unassigned > in->frames / UNASSIGNED_OF)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " packets were ignored: which of their addresses is the mobile's is "
                "unknown; give --mobile PREFIX\n",
                a->counts.unassigned);
    if (a->table.refused || a->users.refused)
        fprintf(stderr,
                "gbflow analyze: %" PRIu64
                " packets were ignored: a table is full; raise --set connections=N, --set mobiles=N\n",
                a->table.refused + a->users.refused);
}

static void print_tree(const struct gi_result *r)
{
    puts("\nset-up               alone  background  mean s");
    for (unsigned i = 0; i < GI_BRANCH_COUNT; i++) {
        const struct gi_leaf *leaf = r->tree[i];
        uint64_t samples = leaf[0].setup_ns.count + leaf[1].setup_ns.count;
        printf("  %-15s %8" PRIu64 "  %10" PRIu64, analyze_branch_name((enum gi_branch)i), leaf[0].count,
               leaf[1].count);
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
    char text[ANALYZE_ADDRESS_OCTETS];
    puts("\nmobile            connections   octets down  channel kbit/s  periods");
    for (uint32_t i = 0; i < users->pool.touched && i < MOBILES_SHOWN; i++) {
        const struct gi_user *u = gi_users_at(users, i);
        printf("%-17s %11" PRIu64 "  %12" PRIu64, analyze_address(u->address, text), u->connections,
               u->down_octets);
        if (u->rates_bps.count)
            printf("  %14.1f  %7u\n", gi_sketch_median(&u->rates_bps) / 1000, u->rates_bps.count);
        else
            puts("               -        0");
    }
    if (users->pool.touched > MOBILES_SHOWN)
        printf("... and %u more\n", users->pool.touched - MOBILES_SHOWN);
}

/* Table III of the paper beside. */
static void print_options(const struct gi_result *r)
{
    const struct {
        const char *name;
        const struct gi_moments *bps;
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
    puts("\nsingle bulk connections       count  mean kbit/s  the paper's");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        printf("  %-24s %8" PRIu64 "  %11.2f  %11.2f\n", rows[i].name, rows[i].bps->count,
               rows[i].bps->mean / 1000, rows[i].paper_bps / 1000);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

void analyze_print(const struct analyze *run)
{
    const struct capture_reader_counts *in = &run->reader.counts;
    const struct gi_result *r = &run->analysis->result;
    print_warnings(run);
    printf("%" PRIu64 " frames in %.1f s, %" PRIu64 " TCP connections (%" PRIu64
           " opened by mobiles), %u mobiles\n",
           in->frames, (double)(run->timeline.last_ns - run->timeline.first_ns) * 1e-9, r->connections,
           r->by_mobile, run->analysis->users.pool.touched);
    print_tree(r);
    puts("\n                              count        p50        p95");
    print_spread("internet RTT s", &r->internet_rtt_ns[GI_TIME_ALL], 1e-9);
    print_spread("access RTT s", &r->access_rtt_ns[GI_TIME_ALL], 1e-9);
    print_spread("access RTT under load s", &r->loaded_rtt_ns, 1e-9);
    print_spread("channel rate kbit/s", &r->rate_bps, 1e-3);
    print_spread("single goodput kbit/s", &r->goodput_bps, 1e-3);
    printf("\nloss: Internet %.2f %%, access %.2f %% of %" PRIu64 " data packets\n",
           percent(r->loss.internet, r->loss.packets + r->loss.internet),
           percent(r->loss.access, r->loss.packets), r->loss.packets);
    printf("bottleneck: none %.0f %%, access %.0f %%, Internet %.0f %% of %" PRIu64
           " connections with data\n",
           percent(r->bottleneck[GI_BOTTLENECK_NONE], r->with_data),
           percent(r->bottleneck[GI_BOTTLENECK_ACCESS], r->with_data),
           percent(r->bottleneck[GI_BOTTLENECK_INTERNET], r->with_data), r->with_data);
    print_options(r);
    print_mobiles(&run->analysis->users);
}
