/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/show_tables.h"

#include "control/live/live.h"

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
    const char *state, *file;
    uint64_t packets, lost;
};

void show_links_each_capture(const void *record, struct field_sink *sink)
{
    const struct live_capture *capture = &((const struct live *)record)->capture;
    const struct capture_row row = {
        .state = capture->is_on ? "on" : "off",
        .file = capture->path[0] ? capture->path : NULL,
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
          "Packets of all captures not written because a worker's ring was full."),
    FIELD_END,
};
