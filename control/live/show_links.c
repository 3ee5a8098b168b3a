/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_tables.h"

#include "control/live/live.h"

#include <rte_ethdev.h>
#include <string.h>

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
    const char *side, *device;
    uint64_t received, sent, missed, receive_errors, no_buffer, send_errors;
};

static void put_port(struct field_sink *sink, const char *side, const struct device *device,
                     const char *device_name)
{
    struct rte_eth_stats stats = {0};
    rte_eth_stats_get(device->id, &stats);
    const struct port_row row = {
        .side = side,
        .device = device_name,
        .received = stats.ipackets,
        .sent = stats.opackets,
        .missed = stats.imissed,
        .receive_errors = stats.ierrors,
        .no_buffer = stats.rx_nombuf,
        .send_errors = stats.oerrors,
    };
    field_put(sink, NULL, &row);
}

void show_links_each_port(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_config *config = &live->node.config;
    put_port(sink, "gn", &live->ports.gn, config->live.gn.device);
    put_port(sink, "gb", &live->ports.gb, config->live.gb.device);
}

#define PORT(name, sentence) FIELD(struct port_row, COUNTER, #name, "frames", name, sentence)

const struct field show_links_ports[] = {
    FIELD(struct port_row, LABEL, "side", "", side, "gn or gb: the port."),
    FIELD(struct port_row, LABEL, "device", "", device, "DPDK device of the port."),
    PORT(received, "Frames that the device received and passed to a worker (ipackets)."),
    PORT(sent, "Frames that the device sent (opackets)."),
    PORT(missed, "Received frames lost because the device's queue was full (imissed)."),
    PORT(receive_errors, "Received frames with errors (ierrors)."),
    PORT(no_buffer, "Received frames for which there was no packet buffer (rx_nombuf)."),
    PORT(send_errors, "Frames that the device could not send (oerrors)."),
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
    FIELD_END,
};
