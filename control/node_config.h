/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node's configuration as the program uses it: checked, in base units, indices instead of names.
 * lua_config.c fills it in from the checked table; node_config_free() frees what hangs on it.
 */
#ifndef CONTROL_NODE_CONFIG_H
#define CONTROL_NODE_CONFIG_H

#include "dataplane/queue/lifetime.h"

#include <stdbool.h>
#include <stdint.h>

#define NODE_CONFIG_IMSI_CHARS 16

struct node_config_nsvc {
    uint16_t nse; /* index */
    uint16_t nsvci;
    uint32_t address;
    uint16_t udp_port;
    uint8_t mac[6];
};

struct node_config_cell {
    uint16_t nse; /* index */
    uint16_t bvci;
    char mcc[4], mnc[4];
    uint16_t lac, ci;
    uint8_t rac;
};

struct node_config_context {
    uint32_t teid, ggsn_teid;
    uint32_t sgsn_address, ggsn_address, address;
    uint8_t nsapi, qclass;
};

struct node_config_mobile {
    char imsi[NODE_CONFIG_IMSI_CHARS];
    uint32_t tlli;
    uint16_t cell;                         /* index */
    uint32_t first_context, context_count; /* in contexts[] */
};

/* What an emulated cell announces. */
struct node_config_announcement {
    uint16_t cell; /* index */
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    int64_t every_ns;            /* 0: once */
    uint32_t first_ms, ms_count; /* in announced_ms[] */
};

struct node_config_announced_ms {
    uint32_t tlli;
    uint64_t bucket_octets, rate_bps;
    int64_t at_ns;
};

struct node_config {
    struct {
        uint8_t mac[6], peer_mac[6];
    } gn;
    struct {
        uint32_t address;
        uint16_t udp_port;
        uint32_t mtu_octets, overhead_octets;
        uint8_t mac[6];
    } gb;
    struct {
        bool are_learned; /* from GTP-C, else from the list */
        uint32_t first_tlli;
        uint8_t sapi;
        uint16_t n201_u;
        uint32_t queue_limit_octets;
    } mobiles;
    struct lifetime lifetime;
    struct {
        uint32_t mobiles, contexts, npdu_buffers, reassemblies, fragments;
    } limits;

    uint32_t nse_count, nsvc_count, cell_count, home_count, mobile_count, context_count, announcement_count;
    uint32_t announced_ms_count;
    uint16_t *nseis;
    struct node_config_nsvc *nsvcs;
    struct node_config_cell *cells;
    uint16_t *homes; /* cells that learned mobiles are put in, by turns */
    struct node_config_mobile *list;
    struct node_config_context *contexts;
    struct node_config_announcement *announcements;
    struct node_config_announced_ms *announced_ms;
};

/* Frees the arrays; the struct is the caller's. */
void node_config_free(struct node_config *config);

/* Index of the NSE with this NSEI, -1. */
int node_config_nse(const struct node_config *config, uint32_t nsei);

/* Index of the cell (NSE index, BVCI), -1. */
int node_config_cell(const struct node_config *config, int nse, uint32_t bvci);

#endif
