/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/tables.h"

#include "control/live/live.h"
#include "control/live/restart.h"
#include "control/report/node_fields.h"

#define TABLE(name, each_, rows, sentence) FIELD_INSIDE(LIST, name, 0, rows, sentence, .each = each_)

const struct field live_tables[] = {
    TABLE("node", show_node_each, show_node, "The node: N-PDUs, frames, mobiles."),
    TABLE("nse", show_gb_each_nsvc, show_gb_nsvcs, "NS-VCs of each NSE."),
    TABLE("bvc", show_gb_each_bvc, show_gb_bvcs, "Cells (BVCs) and their flow control."),
    TABLE("link", show_flows_each_link, show_flows_links, "Gb links of the NSEs: queue, bucket, rates."),
    TABLE("class", show_flows_each_class, show_flows_classes, "Traffic classes of the node: queue, rates."),
    TABLE("cell_class", show_flows_each_cell, show_flows_cells,
          "N-PDUs of each traffic class in each cell, since the node started."),
    TABLE("cell_drops", show_flows_each_drop, show_flows_drops,
          "N-PDUs dropped in each cell, by traffic class and reason."),
    TABLE("ms", show_sessions_each_mobile, show_sessions_mobiles, "Mobiles."),
    TABLE("pdp", show_sessions_each_context, show_sessions_contexts, "Active PDP contexts."),
    TABLE("gtpc", show_sessions_each_gtpc, show_sessions_gtpc,
          "PDP contexts that the node requests of GGSNs by GTP-C."),
    TABLE("drops", show_workers_each_drop, show_workers_drops, "Frames and N-PDUs dropped, by reason."),
    TABLE("handled", show_workers_each_handled, show_workers_handled,
          "Frames that were answered or taken by the control core, by kind."),
    TABLE("llc", show_node_each_llc, llc_fields_counts, "LLC frames that the control plane takes."),
    TABLE("unhandled", show_node_each_unhandled, llc_fields_unhandled,
          "Messages of mobiles on SAPI 1 and 7 that nothing handles."),
    TABLE("workers", show_workers_each, show_workers, "Workers."),
    TABLE("aqm", show_workers_each_aqm, show_workers_aqm,
          "Answers of the AQM schemes, by traffic class and hook."),
    TABLE("pacing", show_node_each_pacing, worker_fields_pacing_counts,
          "TCP of each worker's mobiles: windows lowered, ACKs held (docs/ack-pacing.md)."),
    TABLE("acknowledged", show_node_each_acknowledged, worker_fields_abm_counts,
          "LLC in acknowledged mode, at each worker: links, frames, repetitions."),
    TABLE("counts", show_gb_each_count, show_gb_counts, "Events counted by the Gb control plane."),
    TABLE("control", show_control_each, show_control, "Counters of the control core."),
    TABLE("neighbours", show_links_each_neighbour, show_links_neighbours, "Next hops on the links."),
    TABLE("ports", show_links_each_port, show_links_ports,
          "The ports: link, queues, offloads, frames, and those that the ports lost."),
    TABLE("port_counts", show_links_each_port_count, show_links_port_counts,
          "Counters of the ports' drivers (xstats)."),
    TABLE("subscribers", show_sessions_each_subscriber, show_sessions_subscribers,
          "Phones (docs/phones.md)."),
    TABLE("phone_counts", show_sessions_each_event, show_sessions_events,
          "Messages, procedures and reject causes of phones."),
    TABLE("paths", show_node_each_path, path_fields, "GTP-U paths that contexts use or used."),
    TABLE("gtpc_counts", show_links_each_gtpc_counts, show_links_gtpc_counts, "Events of GTP-C."),
    TABLE("capture", show_links_each_capture, show_links_capture, "The capture that runs, or the last one."),
    FIELD_END,
};

/* --- orders --- */

static const char *stop_capture(void *record, const char *unused_parameters)
{
    struct live *live = record;
    bool is_on = live->capture.is_on;
    (void)unused_parameters;
    live_capture_stop(live);
    return is_on ? NULL : "no capture is running";
}

static const char *restart_control(void *record, const char *unused_parameters)
{
    return live_restart_begin(record, CORE_RESTART_ORDER);
}

static const char *start_capture(void *record, const char *parameters)
{
    return live_capture_start(record, parameters);
}

static bool is_capture_pending(const void *record)
{
    return live_capture_is_pending(record);
}

const struct telemetry_order live_tables_orders[] = {
    {"restart_control", "Restarts control, while the workers forward", restart_control, NULL},
    {"capture_start", "Starts a capture. Parameters: TLLI,BVCI,COUNT,FILE", start_capture, NULL},
    {"capture_stop", "Stops the capture", stop_capture, is_capture_pending},
    {NULL, NULL, NULL, NULL},
};

/* --- metrics --- */

/* Tables in the order of the answer. A label names an object as long as it exists; states may change. */
const struct metrics_table live_tables_metrics[] = {
    {"node", "node", NULL, "version"},
    {"control", "control", NULL, NULL},
    {"workers", "worker", "worker", NULL},
    {"ports", "port", "side,device", "driver,link,spread,offloads,vlan"},
    {"port_counts", "driver", "side,name", NULL},
    {"drops", "drops", "side,of,reason", NULL},
    {"handled", "handled", "side,kind", NULL},
    {"llc", "llc", NULL, NULL},
    {"unhandled", "unhandled", "sapi,protocol,message", NULL},
    {"nse", "nsvc", "nsei,nsvci,address", "state,test"},
    {"link", "link", "nsei", NULL},
    {"bvc", "cell", "nsei,bvci", "state,usable"},
    {"class", "class", "class", NULL},
    {"cell_class", "cell_class", "nsei,bvci,class", NULL},
    {"cell_drops", "cell_drops", "nsei,bvci,class,reason", NULL},
    {"aqm", "aqm", "class,scheme,scope,hook", NULL},
    {"pacing", "pacing", "worker", NULL},
    {"paths", "path", "sgsn_address,ggsn_address", "state"},
    {"gtpc_counts", "gtpc", NULL, NULL},
    {"counts", "signalling", "name", NULL},
    {"phone_counts", "phones", "name", NULL},
    {"ms", "mobile", "tlli", "state"},
    {NULL, NULL, NULL, NULL},
};
