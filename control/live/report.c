/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of `gbflow serve`: its text and its JSON. */
#include "control/live/live.h"

#include "control/base/command.h"
#include "control/live/tables.h"
#include "control/report/field.h"
#include "control/report/node_fields.h"

#include <stdio.h>

static void print_drops(const char *where, const uint64_t *drops, bool is_handled)
{
    const char *colon = ": ";
    printf("%s %s", where, is_handled ? "answered or taken by control" : "dropped");
    for (int i = DROP_NONE + 1; i < DROP_COUNT; i++) {
        if (drops[i] == 0 || drop_is_handled((enum drop)i) != is_handled)
            continue;
        printf("%s%s %lu", colon, drop_name((enum drop)i), (unsigned long)drops[i]);
        colon = ", ";
    }
    printf("%s\n", *colon == ':' ? ": nothing" : "");
}

void live_report_print(const struct live *live)
{
    const struct node *node = &live->node;
    const struct worker_stats w = totals_stats(node->workers, node->worker_count);
    struct totals t = totals_of_all(node->workers, node->worker_count);

    printf("downlink N-PDUs: in %lu = out %lu + dropped %lu + queued %lu%s\n", (unsigned long)t.in,
           (unsigned long)t.out, (unsigned long)t.dropped, (unsigned long)t.queued,
           t.is_conserved ? "" : " (not accounted for: a defect)");
    printf("uplink N-PDUs: %lu in %lu segments\n", (unsigned long)w.ul_npdu_out,
           (unsigned long)w.ul_segments);
    printf("Gn: %lu frames; Gb: %lu frames, %lu LLC frames sent, %lu NS PDUs to control\n",
           (unsigned long)w.gn_frames, (unsigned long)w.gb_frames, (unsigned long)w.llc_frames,
           (unsigned long)w.punted);
    print_drops("Gn", w.gn_drops, false);
    print_drops("Gb", w.gb_drops, false);
    print_drops("Gn", w.gn_drops, true);
    print_drops("Gb", w.gb_drops, true);
}

/* --- JSON --- */

#define SCHEMA "gbflow-serve/3"

struct report {
    const char *schema, *version;
    struct node_fields node;
    const struct live *live;
    int64_t duration_ns;
};

/* Frames on the Gn and Gb ports. */
static const struct field gn_frames[] = {
    WORKER_FIELD(struct report, "received", node.stats, gn_frames),
    FIELD_COUNTERS(struct report, "drops", "frames", node.stats.gn_drops, drop_fields_lost,
                   "Frames from Gn dropped, by reason."),
    FIELD_COUNTERS(struct report, "handled", "frames", node.stats.gn_drops, drop_fields_handled,
                   "Frames from Gn that were answered or taken by the control core, by kind."),
    FIELD_END,
};

static const struct field gb_frames[] = {
    WORKER_FIELD(struct report, "received", node.stats, gb_frames),
    FIELD_COUNTERS(struct report, "drops", "frames", node.stats.gb_drops, drop_fields_lost,
                   "Frames from Gb dropped, by reason."),
    FIELD_COUNTERS(struct report, "handled", "frames", node.stats.gb_drops, drop_fields_handled,
                   "Frames from Gb that were answered or taken by the control core, by kind."),
    WORKER_FIELD(struct report, "signalling_lost", node.stats, gb_signalling_lost),
    FIELD_END,
};

static void put_neighbours(const struct report *report, enum msg_port port, struct field_sink *sink)
{
    field_put(sink, NULL, &report->live->links.sides[port].neighbours);
}

static void put_control(const void *record, struct field_sink *sink)
{
    show_node_each_control(((const struct report *)record)->live, sink);
}

static void put_gn_neighbours(const void *record, struct field_sink *sink)
{
    put_neighbours(record, MSG_PORT_GN, sink);
}

static void put_gb_neighbours(const void *record, struct field_sink *sink)
{
    put_neighbours(record, MSG_PORT_GB, sink);
}

static void put_ports(const void *record, struct field_sink *sink)
{
    show_links_each_port(((const struct report *)record)->live, sink);
}

LUA_ROWS(gtpc_counts);

LUA_ROWS_RECORD(gtpc_counts, gtpc_count, &((const struct report *)record)->live->node.core)

#define COUNT(name, member, sentence) FIELD(struct neighbour, COUNTER, name, "frames", member, sentence)

static const struct field neighbours[] = {
    COUNT("arp_answers", arp_answers, "ARP Replies and Neighbour Advertisements sent."),
    COUNT("echo_answers", echo_answers, "ICMP and ICMPv6 Echo Replies sent."),
    COUNT("ignored", ignored, "ARP, ICMP and ICMPv6 frames that needed no answer of the node."),
    FIELD_END,
};

const struct field live_report[] = {
    FIELDS_OF_ORIGIN(struct report, SCHEMA),
    FIELD_INSIDE(OBJECT, "npdu", offsetof(struct report, node.totals), worker_fields_npdus,
                 "Downlink N-PDUs: in = out + dropped + queued."),
    FIELD_COUNTERS(struct report, "drops", "N-PDUs", node.stats.gn_drops, drop_fields_npdus,
                   "Downlink N-PDUs dropped, by reason."),
    WORKER_FIELD(struct report, "llc_frames", node.stats, llc_frames),
    WORKER_FIELD(struct report, "uplink_npdus", node.stats, ul_npdu_out),
    FIELD_INSIDE(OBJECT, "gn_frames", 0, gn_frames, "Frames on the Gn port."),
    FIELD_INSIDE(OBJECT, "gb_frames", 0, gb_frames, "Frames on the Gb port."),
    FIELD_ROWS(offsetof(struct report, node), node_fields),
    FIELD_ROWS(offsetof(struct report, node), node_fields_signalling),
    FIELD_ROWS(offsetof(struct report, node), worker_fields_pacing),
    FIELD_ROWS(offsetof(struct report, node), worker_fields_layers),
    FIELD_INSIDE(OBJECT, "control", 0, show_node_control, "Counters of the control core.",
                 .each = put_control),
    FIELD_INSIDE(OBJECT, "gn_neighbours", 0, neighbours, "ARP, Neighbour Discovery and Echo on Gn.",
                 .each = put_gn_neighbours),
    FIELD_INSIDE(OBJECT, "gb_neighbours", 0, neighbours, "ARP, Neighbour Discovery and Echo on Gb.",
                 .each = put_gb_neighbours),
    FIELD_INSIDE(LIST, "ports", 0, show_links_ports, "Frames on the ports, and those that the ports lost.",
                 .each = put_ports),
    FIELD_INSIDE(OBJECT, "gtpc", 0, gtpc_counts_rows, "Events of GTP-C towards GGSNs.",
                 .each = gtpc_counts_each),
    FIELD(struct report, GAUGE, "duration_s", "seconds", duration_ns, "Time since the start."),
    FIELD_END,
};

bool live_report_write(const struct live *live, const char *path)
{
    const struct report report = {
        .schema = SCHEMA,
        .version = command_version(),
        .node = node_fields_of(&live->node),
        .live = live,
        .duration_ns = clock_counter_ns(&live->clock),
    };
    return field_json_write(live_report, &report, path);
}
