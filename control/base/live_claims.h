/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of a live node on its eal.prefix, its network interfaces or PCI devices, and its endpoint of Gb. A
 * lock is a file in the folder of DPDK's run-time files, locked by flock() while the node runs. The kernel
 * unlocks the files of a node that was killed. Interfaces and endpoints belong to a network namespace, whose
 * number is part of the file's name.
 */
#ifndef CONTROL_BASE_LIVE_CLAIMS_H
#define CONTROL_BASE_LIVE_CLAIMS_H

#include "control/base/neighbour_ip.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys of a node's configuration that only a live node uses: ports, links, workers' idling, DPDK. */

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
    uint8_t restarts;                          /* the SGSN's restart counter (Recovery) */
    char restart_file[LIVE_CONFIG_FILE_CHARS]; /* file that stores it; "": none */
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

#define LIVE_CLAIMS 4

struct live_claims {
    unsigned count;
    struct {
        int fd;
        char path[PATH_MAX];
    } list[LIVE_CLAIMS];
};

/*
 * Locks what the configuration names; gb_address is a text. False, with a line on stderr: another process has
 * one of them, or the folder cannot be written. The caller releases in both cases.
 */
bool live_claims_take(struct live_claims *claims, const struct live_config *config, const char *gb_address,
                      uint16_t gb_udp_port);

/* Deletes and unlocks the files. */
void live_claims_release(struct live_claims *claims);

/* The folder of DPDK's run-time files: a folder for each prefix, and the locks of live nodes. */

/* Writes the path that DPDK uses: "dpdk" in $RUNTIME_DIRECTORY, else root: /var/run, others: $XDG_RUNTIME_DIR
 * or /tmp. Returns the characters written, without the 0, which are fewer than cap. */
size_t runtime_folder(char *out, size_t cap);

/* The SGSN's restart counter: a GGSN that receives another value than before deletes its contexts of this
 * SGSN (TS 29.060 clause 18). */

/* The counter stored in the file plus 1, modulo 256, which is stored in turn; 0 if the file does not exist or
 * has no number. If path is "", or the file cannot be written (with a line on stderr), the counter is derived
 * from the time: one restart in 256 then has the previous value. */
uint8_t restarts_next(const char *path);

#endif
