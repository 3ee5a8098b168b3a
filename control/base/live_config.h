/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a node's configuration that only a live node uses: ports, links, workers' idling, DPDK. */
#ifndef CONTROL_BASE_LIVE_CONFIG_H
#define CONTROL_BASE_LIVE_CONFIG_H

#include "control/base/neighbour_ip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE_CONFIG_DEVICE_CHARS   201
#define LIVE_CONFIG_FILE_CHARS     256
#define LIVE_CONFIG_ADDRESS_CHARS  46
#define LIVE_CONFIG_ADDRESSES      32
#define LIVE_CONFIG_ROUTES         64
#define LIVE_CONFIG_NEIGHBOURS     256
#define LIVE_CONFIG_CORES          16
#define LIVE_CONFIG_ARGUMENTS      32
#define LIVE_CONFIG_ARGUMENT_CHARS 256

struct live_config_neighbour {
    struct neighbour_ip ip;
    uint8_t mac[6];
};

/* One of the two ports. */
struct live_config_port {
    char device[LIVE_CONFIG_DEVICE_CHARS]; /* "": none */
    bool has_mac;                          /* its MAC address is configured, not the device's */
    bool is_promiscuous, has_offloads;
    uint16_t vlan; /* 0: frames have no tag */
    uint32_t route_count, neighbour_count;
    struct neighbour_route routes[LIVE_CONFIG_ROUTES];
    struct live_config_neighbour neighbours[LIVE_CONFIG_NEIGHBOURS];
};

enum live_config_pages { LIVE_CONFIG_PAGES_AUTO, LIVE_CONFIG_PAGES_HUGE, LIVE_CONFIG_PAGES_NORMAL };

struct live_config {
    bool is_on;                                /* this run is live */
    uint8_t restarts;                          /* the SGSN's restart counter (restart_counter.h) */
    char restart_file[LIVE_CONFIG_FILE_CHARS]; /* file that stores it; "": none */
    struct live_config_records {
        char file[LIVE_CONFIG_FILE_CHARS]; /* charging records of phones; "": none */
        int64_t every_ns;                  /* time between two records of a context */
        bool is_csv;                       /* osmo-sgsn's form, not JSON */
    } records;
    struct live_config_port gn, gb;
    bool has_gn_peer_mac;
    uint32_t address_count;
    uint32_t addresses[LIVE_CONFIG_ADDRESSES]; /* local, on Gn, besides those of tunnels */

    bool is_polling;
    int64_t max_sleep_ns;
    uint32_t core_count;
    unsigned cores[LIVE_CONFIG_CORES]; /* CPU of each worker */
    unsigned log_lines_per_s;
    struct {
        bool is_on;
        char address[LIVE_CONFIG_ADDRESS_CHARS];
        uint16_t port;
        uint32_t mobiles;
    } metrics;

    char eal_prefix[32];
    enum live_config_pages pages;
    bool is_shared;       /* with secondary processes of DPDK */
    size_t memory_octets; /* 0: as much as the limits need */
    uint32_t argument_count;
    char arguments[LIVE_CONFIG_ARGUMENTS][LIVE_CONFIG_ARGUMENT_CHARS];
};

#endif
