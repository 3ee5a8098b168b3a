/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about links: ports, neighbours and counts of GTP. */
#include "control/live/tables.h"

#include "control/live/ports.h"

#include <rte_ethdev.h>
#include <string.h>

#define PORT_COUNTS 1024 /* of a driver, at most */

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

static void show_links_each_neighbour(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned port = 0; port < MSG_PORTS; port++) {
        const struct neighbour *neighbours = &live->links.sides[port].neighbours;
        for (unsigned i = 0; i < neighbours->entry_count; i++)
            put_neighbour(sink, (enum msg_port)port, &neighbours->entries[i]);
    }
}

static const struct field show_links_neighbours[] = {
    FIELD(struct neighbour_row, LABEL, "side", "", side, "gn or gb: the link."),
    FIELD(struct neighbour_row, LABEL, "address", "", address, "IP address of the next hop."),
    FIELD(struct neighbour_row, LABEL, "state", "", state,
          "asked, known, checked (asked again), silent (no answer), static (configured), or heard (has asked "
          "for an address "
          "of the node)."),
    FIELD(struct neighbour_row, LABEL, "mac", "", mac, "MAC address of the next hop."),
    FIELD_END,
};

/* --- the capture --- */

struct capture_row {
    const char *state, *file, *error;
    uint64_t packets, lost;
};

static void show_links_each_capture(const void *record, struct field_sink *sink)
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

static const struct field show_links_capture[] = {
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

static void show_links_each_port_count(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    put_port_counts(sink, &live->ports.gn);
    put_port_counts(sink, &live->ports.gb);
}

static const struct field show_links_port_counts[] = {
    FIELD(struct port_count_row, LABEL, "side", "", side, "gn or gb: the port."),
    FIELD(struct port_count_row, LABEL, "name", "", name,
          "Name of the counter as its driver has it (xstats); only those that are not 0 are listed."),
    FIELD(struct port_count_row, COUNTER, "count", "as named", count, "Value of the counter."),
    FIELD_END,
};

/* --- events of GTP-C --- */

LUA_ROWS(gtpc_counts);

LUA_ROWS_RECORD(gtpc_counts, gtpc_count, SHOW_CORE)

/* --- tables --- */

const struct field show_links_tables[] = {
    SHOW_TABLE("neighbours", show_links_each_neighbour, show_links_neighbours, "Next hops on the links."),
    SHOW_TABLE("ports", show_links_each_port, show_links_ports,
               "The ports: link, queues, offloads, frames, and those that the ports lost."),
    SHOW_TABLE("port_counts", show_links_each_port_count, show_links_port_counts,
               "Counters of the ports' drivers (xstats)."),
    SHOW_TABLE("gtpc_counts", gtpc_counts_each, gtpc_counts_rows, "Events of GTP-C."),
    SHOW_TABLE("capture", show_links_each_capture, show_links_capture,
               "The capture that runs, or the last one."),
    FIELD_END,
};
