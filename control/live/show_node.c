/* SPDX-License-Identifier: BSD-3-Clause */
/* --- the node --- */
#include "control/live/tables.h"

#include "control/base/command.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/lua/lua_host.h"
#include "control/report/node_fields.h"
#include "control/live/live.h"
#include "control/live/ports.h"

#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <string.h>

#define PORT_COUNTS 1024 /* of a driver, at most */

struct node_row {
    const char *version;
    int64_t uptime_ns;
    uint64_t mobiles, contexts;
    struct node_fields node;
};

void show_node_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_row row = {
        .version = command_version(),
        .uptime_ns = clock_counter_ns(&live->clock),
        .mobiles = live->node.sessions.mobile_count,
        .contexts = live->node.sessions.context_count,
        .node = node_fields_of(&live->node),
    };
    field_put(sink, NULL, &row);
}

#define NUMBER(name, number) WORKER_FIELD(struct node_row, name, node.stats, number)

const struct field show_node[] = {
    FIELD(struct node_row, LABEL, "version", "", version, "Version of gbflow that runs."),
    FIELD(struct node_row, GAUGE, "uptime_s", "seconds", uptime_ns, "Time since the start."),
    FIELD(struct node_row, GAUGE, "mobiles", "mobiles", mobiles, "Mobiles."),
    FIELD(struct node_row, GAUGE, "contexts", "PDP contexts", contexts,
          "PDP contexts, those over GTP-C included."),
    NUMBER("npdu_in", npdu_in),
    NUMBER("npdu_out", npdu_out),
    NUMBER("npdu_octets_out", npdu_octets_out),
    FIELD(struct node_row, COUNTER, "npdu_dropped", "N-PDUs", node.totals.dropped,
          "N-PDUs dropped, each counted once."),
    FIELD(struct node_row, GAUGE, "npdu_queued", "N-PDUs", node.totals.queued, "N-PDUs that wait now."),
    NUMBER("llc_frames", llc_frames),
    NUMBER("uplink_llc_frames", ul_llc_frames),
    NUMBER("uplink_npdus", ul_npdu_out),
    NUMBER("punted", punted),
    NUMBER("gn_echo_requests", gn_echo_requests),
    NUMBER("gn_echo_answered", gn_echo_answered),
    NUMBER("gn_echo_responses", gn_echo_responses),
    NUMBER("gn_error_indications", gn_error_indications),
    NUMBER("gn_tunnel_errors", gn_tunnel_errors),
    NUMBER("gn_rate_limited", gn_rate_limited),
    FIELD_END,
};

/* --- GTP-U paths --- */

void show_node_each_path(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    node_fields_each_path(&node, sink);
}

/* --- TCP --- */

void show_node_each_pacing(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    worker_fields_each_pacing(&node, sink);
}

/* --- LLC --- */

void show_node_each_acknowledged(const void *record, struct field_sink *sink)
{
    const struct node_fields node = {.node = &((const struct live *)record)->node};
    worker_fields_each_abm(&node, sink);
}

void show_node_each_llc(const void *record, struct field_sink *sink)
{
    node_fields_put_llc(&((const struct live *)record)->node.core.llc, sink);
}

void show_node_each_unhandled(const void *record, struct field_sink *sink)
{
    node_fields_put_unhandled(&((const struct live *)record)->node.core.llc, sink);
}

struct row {
    uint64_t restarts_order, restarts_errors, restarts_time, restarts_memory, restarts_failed, restart_us,
        records, record_octets, records_lost, adoption_errors, lua_errors, refused, unknown_tlli,
        send_failures, messages_lost, log_left_out, log_lost, unanswered, lua_octets, rx_buffers, tx_buffers,
        pass_most_us;
};

static uint64_t messages_lost(const struct core *core)
{
    uint64_t lost = core->mobility.lost;
    for (unsigned i = 0; i < core->workers; i++)
        lost += core->links[i].lost;
    return lost;
}

void show_control_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct core *core = &live->node.core;
    const struct core_restart *restart = &core->restart;
    const struct row row = {
        .lua_errors = core->lua_errors,
        .restarts_order = restart->counts[CORE_RESTART_ORDER],
        .restarts_errors = restart->counts[CORE_RESTART_ERRORS],
        .restarts_time = restart->counts[CORE_RESTART_TIME],
        .restarts_memory = restart->counts[CORE_RESTART_MEMORY],
        .restarts_failed = restart->failed,
        .restart_us = (uint64_t)restart->duration_ns / 1000,
        .records = restart->records.count,
        .record_octets = restart->records.octets,
        .records_lost = restart->records.lost,
        .adoption_errors = restart->adoption_errors,
        .refused = core->refused,
        .unknown_tlli = core->mobility.unknown_tlli,
        .send_failures = core->send_failures,
        .messages_lost = messages_lost(core),
        .log_left_out = live->log.left_out,
        .log_lost = outlet_stderr_lost(&live->output),
        .lua_octets = lua_host_octets(core->intents.L),
        .rx_buffers = rte_mempool_in_use_count(live->node.rx_pool),
        .tx_buffers = rte_mempool_in_use_count(live->node.tx_pool),
        .unanswered = core_link_unanswered(core),
        .pass_most_us = (uint64_t)live->pass_most_ns / 1000,
    };
    field_put(sink, NULL, &row);
}

#define COUNT(name, unit, sentence) FIELD(struct row, COUNTER, #name, unit, name, sentence)

const struct field show_control[] = {
    COUNT(lua_errors, "events", "Events that the control plane dropped because its Lua raised an error."),
    COUNT(restarts_order, "restarts", "Restarts of control by `gbflow restart-control`."),
    COUNT(restarts_errors, "restarts", "Restarts of control after 20 errors of Lua in a minute."),
    COUNT(restarts_time, "restarts",
          "Restarts of control after 3 calls beyond `limits.lua_call` in a minute."),
    COUNT(restarts_memory, "restarts",
          "Restarts of control after 3 calls beyond `limits.lua_memory` in a minute."),
    COUNT(restarts_failed, "restarts", "Restarts of control that found no memory; control stayed as it was."),
    FIELD(struct row, GAUGE, "restart_us", "microseconds", restart_us,
          "Time that the latest restart took from control, in which it answered no PDU; 0: there was none."),
    FIELD(struct row, GAUGE, "records", "records", records, "Records that a restart of control adopts."),
    FIELD(struct row, GAUGE, "record_octets", "octets", record_octets, "Memory of the records."),
    COUNT(records_lost, "records", "Records lost because memory was short."),
    COUNT(adoption_errors, "errors", "Errors of Lua while control adopted records."),
    COUNT(refused, "orders", "Orders that a worker refused, and intents of Lua that were wrong."),
    COUNT(unknown_tlli, "frames",
          "Uplink frames with a TLLI that no mobile has, and that no phone attaches with."),
    COUNT(send_failures, "PDUs", "PDUs of the control plane not sent because no packet buffer was free."),
    COUNT(messages_lost, "messages",
          "Messages to workers lost because their queue was full or memory was short."),
    COUNT(log_left_out, "lines", "Log lines dropped beyond `live.log_lines`."),
    FIELD(struct row, GAUGE, "unanswered", "orders", unanswered,
          "Orders to workers that the workers have not answered yet."),
    COUNT(log_lost, "writes", "Writes to stderr lost because its reader is too slow or has gone."),
    FIELD(struct row, GAUGE, "lua_octets", "octets", lua_octets,
          "Memory of the control plane's Lua, garbage included; `limits.lua_memory` is its limit."),
    FIELD(struct row, GAUGE, "rx_buffers", "buffers", rx_buffers,
          "Packet buffers in use of the pool for received frames and queued N-PDUs."),
    FIELD(struct row, GAUGE, "tx_buffers", "buffers", tx_buffers,
          "Packet buffers in use of the pool for frames that the node makes."),
    FIELD(
        struct row, GAUGE, "pass_most_us", "microseconds", pass_most_us,
        "Processor time of the longest pass of the control loop: the control thread answers between passes."),
    FIELD_END,
};

/* --- next hops --- */

struct neighbour_row {
    const char *side, *state;
    char address[NEIGHBOUR_IP_CHARS], mac[18]; /* mac "-": not known */
};

static void put_neighbour(struct field_sink *sink, enum msg_port port, const struct neighbour_entry *entry)
{
    const uint8_t *mac = entry->mac;
    struct neighbour_row row = {
        .side = port == MSG_PORT_GN ? "gn" : "gb", .state = neighbour_state_name(entry->state), .mac = "-"};
    neighbour_ip_print(&entry->ip, row.address);
    if (entry->has_mac)
        snprintf(row.mac, sizeof(row.mac), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
                 mac[4], mac[5]);
    field_put(sink, NULL, &row);
}

void show_links_each_neighbour(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned port = 0; port < MSG_PORTS; port++) {
        const struct neighbour *neighbours = &live->links.sides[port].neighbours;
        for (unsigned i = 0; i < neighbours->entry_count; i++)
            put_neighbour(sink, (enum msg_port)port, &neighbours->entries[i]);
    }
}

const struct field show_links_neighbours[] = {
    FIELD(struct neighbour_row, LABEL, "side", "", side, "gn or gb: the link."),
    FIELD(struct neighbour_row, LABEL, "address", "", address, "IP address of the next hop."),
    FIELD(struct neighbour_row, LABEL, "state", "", state,
          "asked, known, checked (asked again), silent (no answer), or static (configured)."),
    FIELD(struct neighbour_row, LABEL, "mac", "", mac, "MAC address of the next hop."),
    FIELD_END,
};

/* --- the capture --- */

struct capture_row {
    const char *state, *file, *error;
    uint64_t packets, lost;
};

void show_links_each_capture(const void *record, struct field_sink *sink)
{
    const struct live_capture *capture = &((const struct live *)record)->capture;
    const struct capture_row row = {
        .state = capture->is_on ? "on" : "off",
        .file = capture->path[0] ? capture->path : NULL,
        .error = capture->error ? strerror(capture->error) : NULL,
        .packets = capture->packets,
        .lost = live_capture_lost(capture),
    };
    field_put(sink, NULL, &row);
}

const struct field show_links_capture[] = {
    FIELD(struct capture_row, LABEL, "state", "", state, "on or off."),
    FIELD(struct capture_row, LABEL, "file", "", file, "File of the capture that runs, or of the last one."),
    FIELD(struct capture_row, COUNTER, "packets", "packets", packets, "Packets written to it."),
    FIELD(struct capture_row, COUNTER, "lost", "packets", lost,
          "Packets of all captures not written because a worker's ring was full or, in the last capture, its "
          "file "
          "too slow."),
    FIELD(struct capture_row, LABEL, "error", "", error, "Error that ended the last capture."),
    FIELD_END,
};

/* --- ports --- */

struct port_row {
    const char *side, *device, *driver, *link, *spread;
    char offloads[DEVICE_OFFLOADS_CHARS];
    char vlan[8];
    uint64_t speed_mbps, mtu, queues, downs, received, sent, missed, receive_errors, no_buffer, send_errors,
        lost;
};

static void put_port(struct field_sink *sink, const struct live *live, const struct live_port *port)
{
    struct rte_eth_stats stats = {0};
    uint16_t mtu_octets = 0;
    const struct device *device = &port->device;
    rte_eth_stats_get(device->id, &stats);
    rte_eth_dev_get_mtu(device->id, &mtu_octets);
    struct port_row row = {
        .side = port->side,
        .device = port->config->device,
        .driver = device_driver(device),
        .link = live_port_link_text(port),
        .speed_mbps = port->speed_mbps,
        .downs = port->downs,
        .mtu = mtu_octets,
        .queues = device->queues,
        .spread = device_spread_text(device->spread),
        .vlan = "none",
        .received = stats.ipackets,
        .sent = stats.opackets,
        .missed = stats.imissed,
        .receive_errors = stats.ierrors,
        .no_buffer = stats.rx_nombuf,
        .send_errors = stats.oerrors,
        .lost = live_port_lost(port, &live->node),
    };
    device_offloads_text(&device->plan, row.offloads);
    if (device->vlan)
        snprintf(row.vlan, sizeof(row.vlan), "%u", device->vlan);
    field_put(sink, NULL, &row);
}

void show_links_each_port(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    put_port(sink, live, &live->ports.gn);
    put_port(sink, live, &live->ports.gb);
}

#define PORT(name, sentence) FIELD(struct port_row, COUNTER, #name, "frames", name, sentence)

const struct field show_links_ports[] = {
    FIELD(struct port_row, LABEL, "side", "", side, "gn or gb: the port."),
    FIELD(struct port_row, LABEL, "device", "", device, "DPDK device of the port."),
    FIELD(struct port_row, LABEL, "driver", "", driver, "DPDK driver of the device."),
    FIELD(struct port_row, LABEL, "link", "", link,
          "up or down, or gone: the interface; starting: not up yet since the start. While it is down, "
          "N-PDUs wait."),
    FIELD(struct port_row, GAUGE, "speed_mbps", "Mbit/s", speed_mbps, "Speed of the link; 0: not known."),
    FIELD(struct port_row, COUNTER, "link_downs", "times", downs, "Times that the link went down."),
    FIELD(struct port_row, GAUGE, "mtu", "octets", mtu, "Longest IP packet that the driver is set to."),
    FIELD(struct port_row, GAUGE, "queues", "queues", queues,
          "Queues in each direction, one for each worker."),
    FIELD(struct port_row, LABEL, "spread", "", spread,
          "How received frames come to the queues (docs/sharding.md)."),
    FIELD(struct port_row, LABEL, "offloads", "", offloads, "Work that the device does for the node."),
    FIELD(struct port_row, LABEL, "vlan", "", vlan, "VLAN identifier of the frames, or none."),
    PORT(received, "Frames that the device received and passed to a worker (ipackets)."),
    PORT(sent, "Frames that the device sent (opackets)."),
    PORT(missed, "Received frames lost because the device's queue was full (imissed)."),
    PORT(receive_errors, "Received frames with errors (ierrors)."),
    PORT(no_buffer, "Received frames for which there was no packet buffer (rx_nombuf)."),
    PORT(send_errors, "Frames that the device could not send (oerrors)."),
    FIELD(struct port_row, COUNTER, "lost_link_down", "frames", lost,
          "Frames not sent because the link was down, or because the device refused them for seconds."),
    FIELD_END,
};

/* The driver's own counters. */

struct port_count_row {
    const char *side, *name;
    uint64_t count;
};

static void put_port_counts(struct field_sink *sink, const struct live_port *port)
{
    static struct rte_eth_xstat_name names[PORT_COUNTS];
    static struct rte_eth_xstat counts[PORT_COUNTS];
    int there = rte_eth_xstats_get_names(port->device.id, names, PORT_COUNTS);
    int filled = rte_eth_xstats_get(port->device.id, counts, PORT_COUNTS);
    for (int i = 0; there <= PORT_COUNTS && filled <= PORT_COUNTS && i < filled; i++) {
        const struct port_count_row row = {port->side, names[counts[i].id].name, counts[i].value};
        if (row.count > 0)
            field_put(sink, NULL, &row);
    }
}

void show_links_each_port_count(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    put_port_counts(sink, &live->ports.gn);
    put_port_counts(sink, &live->ports.gb);
}

const struct field show_links_port_counts[] = {
    FIELD(struct port_count_row, LABEL, "side", "", side, "gn or gb: the port."),
    FIELD(struct port_count_row, LABEL, "name", "", name,
          "Name of the counter as its driver has it (xstats); only those that are not 0 are listed."),
    FIELD(struct port_count_row, COUNTER, "count", "as named", count, "Value of the counter."),
    FIELD_END,
};

/* --- events of GTP-C --- */

void show_links_each_gtpc_counts(const void *record, struct field_sink *sink)
{
    struct lua_gtpc_counts counts;
    lua_gtpc_count(&((const struct live *)record)->node.core.gtpc, &counts);
    field_put(sink, NULL, &counts);
}

#define GTPC(name, sentence) FIELD(struct lua_gtpc_counts, COUNTER, #name, "messages", name, sentence)

const struct field show_links_gtpc_counts[] = {
    GTPC(malformed, "Messages that could not be decoded, or of an unknown type."),
    GTPC(unexpected, "Responses that belong to no request, or have another TEID."),
    GTPC(restarts, "Messages with a new restart counter of a GGSN."),
    GTPC(refused_requests, "Requests of GGSNs that were refused, or not answered for the limit of answers."),
    GTPC(foreign_requests, "Requests for a context from another address than its GGSN's."),
    GTPC(rate_limited, "Requests not answered because of the limit of answers."),
    GTPC(foreign_addresses, "Responses with an address that the GGSN may not name (gn.ggsns)."),
    GTPC(unconfirmed_restarts,
         "Echo Responses with a new restart counter that the GGSN did not repeat in its next Echo Response."),
    GTPC(unconfirmed_errors,
         "Error Indications for contexts that their GGSN still has, as it said when asked."),
    GTPC(unchecked_requests,
         "Requests dropped because too many before, from the same address, named no context."),
    GTPC(control_errors, "Error Indications to the port of GTP-C: they end no context."),
    FIELD_END,
};

/* --- workers --- */

struct show_workers_row {
    unsigned worker;
    struct live_worker_stats live;
    uint64_t longest_gap_us, gn_own, gb_own, gn_steered, gb_steered;
    struct worker_stats stats;
};

void show_workers_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct live_worker *worker = &live->workers[i];
        struct show_workers_row show_workers_row = {
            .worker = i,
            .live = worker->stats,
            .longest_gap_us = (uint64_t)worker->stats.longest_ns / 1000,
            .stats = worker->worker->stats,
        };
        const struct worker_stats *stats = &show_workers_row.stats;
        show_workers_row.gn_steered = worker_stats_gn_steered(stats);
        show_workers_row.gb_steered = worker_stats_gb_steered(stats);
        show_workers_row.gn_own = stats->gn_frames - RTE_MIN(show_workers_row.gn_steered, stats->gn_frames);
        show_workers_row.gb_own = stats->gb_frames - RTE_MIN(show_workers_row.gb_steered, stats->gb_frames);
        field_put(sink, NULL, &show_workers_row);
    }
}

const struct field show_workers[] = {
    FIELD(struct show_workers_row, LABEL, "worker", "", worker, "Number of the worker."),
    FIELD(struct show_workers_row, COUNTER, "polls", "polls", live.passes,
          "Polls of the worker's ports and rings."),
    FIELD(struct show_workers_row, COUNTER, "busy_polls", "polls", live.busy_passes,
          "Polls that found work."),
    FIELD(struct show_workers_row, COUNTER, "sleeps", "times", live.sleeps,
          "Times that the worker slept (live.idle)."),
    FIELD(struct show_workers_row, COUNTER, "slept_s", "seconds", live.slept_ns,
          "Time that it slept in all."),
    FIELD(struct show_workers_row, COUNTER, "gaps", "times", live.gaps,
          "Polls that began 100 us or more after the one before, without a sleep between."),
    FIELD(struct show_workers_row, GAUGE, "longest_gap_us", "microseconds", longest_gap_us,
          "Longest time between two polls, without a sleep between."),
    WORKER_FIELD(struct show_workers_row, "gn_frames", stats, gn_frames),
    FIELD(struct show_workers_row, COUNTER, "gn_own", "frames", gn_own,
          "Of these, the frames that are this worker's, or no worker's."),
    FIELD(struct show_workers_row, COUNTER, "gn_steered", "frames", gn_steered,
          "Of these, the frames of another worker: passed on, or dropped because the ring to it was full."),
    WORKER_FIELD(struct show_workers_row, "gb_frames", stats, gb_frames),
    FIELD(struct show_workers_row, COUNTER, "gb_own", "frames", gb_own,
          "Of these, the frames that are this worker's, or no worker's."),
    FIELD(struct show_workers_row, COUNTER, "gb_steered", "frames", gb_steered,
          "Of these, the frames of another worker's NS-VC: passed on, or dropped as above."),
    WORKER_FIELD(struct show_workers_row, "npdu_in", stats, npdu_in),
    WORKER_FIELD(struct show_workers_row, "npdu_out", stats, npdu_out),
    WORKER_FIELD(struct show_workers_row, "uplink_npdus", stats, ul_npdu_out),
    FIELD_END,
};

/* --- drops --- */

struct drop_row {
    const char *side, *of, *reason;
    uint64_t count;
};

static void put_drop(const struct live *live, struct field_sink *sink, enum drop reason, bool is_gb)
{
    struct drop_row show_workers_row = {is_gb ? "gb" : "gn", drop_is_npdu(reason) ? "npdu" : "frame",
                                        drop_name(reason), 0};
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct worker_stats *stats = &live->workers[i].worker->stats;
        show_workers_row.count += (is_gb ? stats->gb_drops : stats->gn_drops)[reason];
    }
    if (show_workers_row.count > 0)
        field_put(sink, NULL, &show_workers_row);
}

static void put_drops(const struct live *live, struct field_sink *sink, bool is_handled)
{
    for (int is_gb = 0; is_gb <= 1; is_gb++)
        for (int reason = DROP_NONE + 1; reason < DROP_COUNT; reason++)
            if (drop_is_handled((enum drop)reason) == is_handled)
                put_drop(live, sink, (enum drop)reason, is_gb != 0);
}

void show_workers_each_drop(const void *record, struct field_sink *sink)
{
    put_drops(record, sink, false);
}

void show_workers_each_handled(const void *record, struct field_sink *sink)
{
    put_drops(record, sink, true);
}

const struct field show_workers_handled[] = {
    FIELD(struct drop_row, LABEL, "side", "", side, "gn or gb: the port that the frame came from."),
    FIELD(struct drop_row, LABEL, "kind", "", reason,
          "Kind (docs/reference/drops.md); only those that happened are listed."),
    FIELD(struct drop_row, COUNTER, "count", "frames", count,
          "Frames answered, or taken by the control core."),
    FIELD_END,
};

const struct field show_workers_drops[] = {
    FIELD(struct drop_row, LABEL, "side", "", side, "gn or gb: the port that the frame came from."),
    FIELD(struct drop_row, LABEL, "of", "", of, "frame or npdu: what was dropped."),
    FIELD(struct drop_row, LABEL, "reason", "", reason,
          "Reason (docs/reference/drops.md); only those that happened are listed."),
    FIELD(struct drop_row, COUNTER, "count", "frames or N-PDUs", count, "Frames or N-PDUs dropped for it."),
    FIELD_END,
};

/* --- AQM --- */

struct aqm_row {
    struct aqm_fields class;
    const char *hook;
    struct aqm_counts counts;
};

void show_workers_each_aqm(const void *record, struct field_sink *sink)
{
    const struct node *node = &((const struct live *)record)->node;
    struct aqm_row show_workers_row;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        if (!node_fields_aqm_of(node->workers, node->worker_count, k, &show_workers_row.class))
            continue;
        show_workers_row.hook = "enqueue", show_workers_row.counts = show_workers_row.class.enqueue;
        field_put(sink, NULL, &show_workers_row);
        show_workers_row.hook = "dequeue", show_workers_row.counts = show_workers_row.class.dequeue;
        field_put(sink, NULL, &show_workers_row);
    }
}

const struct field show_workers_aqm[] = {
    FIELD(struct aqm_row, LABEL, "class", "", class.class,
          "Traffic class; only those with an AQM scheme are listed."),
    FIELD_ROWS(offsetof(struct aqm_row, class), aqm_fields_scheme),
    FIELD(struct aqm_row, LABEL, "hook", "", hook,
          "enqueue, or dequeue: before the first segment of an N-PDU is sent."),
    FIELD_ROWS(offsetof(struct aqm_row, counts), aqm_fields_counts),
    FIELD_END,
};
