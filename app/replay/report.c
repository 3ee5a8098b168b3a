/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/report.h"

#include "control/report/totals.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <arpa/inet.h>
#include <stdio.h>

static const char *dotted(uint32_t ip, char *out)
{
    struct in_addr in = {.s_addr = htonl(ip)};
    return inet_ntop(AF_INET, &in, out, INET_ADDRSTRLEN);
}

static void print_drops(const uint64_t *drops)
{
    const char *comma = "";
    for (int i = 0; i < DROP_COUNT; i++) {
        if (drops[i] == 0 || !drop_is_npdu((enum drop)i))
            continue;
        printf("%s%s %lu", comma, drop_name((enum drop)i), (unsigned long)drops[i]);
        comma = ", ";
    }
    printf("%s\n", *comma ? "" : "-");
}

static void print_session(const struct session *session, struct replay_session *row)
{
    char address[INET_ADDRSTRLEN];
    printf("%-15s  %08x  %-14s  %7lu  %7lu  %10lu  ", dotted(session->address, address), session->teid,
           qclass_name(session->qclass), (unsigned long)row->npdu_in, (unsigned long)row->npdu_out,
           (unsigned long)row->octets_out);
    if (row->sojourns.count == 0) {
        printf("%8s  %8s  ", "-", "-");
    } else {
        printf("%8.3f  %8.3f  ", (double)samples_quantile_ns(&row->sojourns, 50) / MOMENT_SECOND,
               (double)samples_quantile_ns(&row->sojourns, 95) / MOMENT_SECOND);
    }
    print_drops(row->drops);
}

static void print_learning(const struct replay *r)
{
    const struct gtpc_learn *learn = &r->learn;
    if (!r->node.config.mobiles.are_learned)
        return;
    printf("GTP-C: %lu messages, %u sessions learned", (unsigned long)learn->messages,
           r->node.sessions.count);
    if (learn->malformed)
        printf(", %lu messages malformed", (unsigned long)learn->malformed);
    if (learn->unfollowed)
        printf(", %lu exchanges not followed (updates, tunnels without TEID or address)",
               (unsigned long)learn->unfollowed);
    if (r->node.sessions.refused)
        printf(", %lu sessions refused (limits)", (unsigned long)r->node.sessions.refused);
    printf("\n");
}

static void print_frames(const struct replay *r)
{
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    const char *colon = ": ";

    printf("Gn: %lu frames read, %lu held N-PDUs in %lu pieces more, others",
           (unsigned long)r->feed.capture.frames, (unsigned long)w.npdu_in,
           (unsigned long)(w.gn_merged + w.gn_held));
    for (int i = 0; i < DROP_FIRST_NPDU; i++) {
        if (w.gn_drops[i] == 0)
            continue;
        printf("%s%s %lu", colon, drop_name((enum drop)i), (unsigned long)w.gn_drops[i]);
        colon = ", ";
    }
    printf("%s\n", *colon == ':' ? ": none" : "");
    if (r->feed.no_buffer + r->feed.too_long > 0)
        printf("Gn: lost before the worker: no buffer %lu, too long %lu\n", (unsigned long)r->feed.no_buffer,
               (unsigned long)r->feed.too_long);
}

void replay_report_print(struct replay *r)
{
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    struct totals t = totals_of_all(r->node.workers, r->node.worker_count);

    printf("%-15s  %-8s  %-14s  %7s  %7s  %10s  %8s  %8s  %s\n", "mobile", "TEID", "class", "in", "out",
           "octets", "p50 s", "p95 s", "dropped");
    for (uint32_t i = 0; i < r->stats.count; i++)
        print_session(&r->node.sessions.list[i], &r->stats.sessions[i]);
    printf("\nN-PDUs: in %lu = out %lu + dropped %lu + queued %lu; ", (unsigned long)t.in,
           (unsigned long)t.out, (unsigned long)t.dropped, (unsigned long)t.queued);
    print_drops(w.gn_drops);
    printf("Gb: %lu LLC frames sent, %lu received by the BSS\n", (unsigned long)w.llc_frames,
           (unsigned long)r->far.delivered);
    print_learning(r);
    print_frames(r);
}
