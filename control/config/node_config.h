/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node's configuration as the program uses it: checked, in base units, indices instead of names.
 * lua_config.c fills it in from the checked table; node_config_free() frees its arrays.
 */
#ifndef CONTROL_CONFIG_NODE_CONFIG_H
#define CONTROL_CONFIG_NODE_CONFIG_H

#include "control/base/live_config.h"
#include "control/config/address_book.h"
#include "control/config/aqm_choices.h"
#include "control/esp_config/lua_esp_config.h"
#include "dataplane/abm/link.h"
#include "dataplane/compression/compression.h"
#include "dataplane/context/context.h"
#include "dataplane/context/llc.h"
#include "dataplane/context/marking.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/sched/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_CONFIG_NO_NSE     UINT16_MAX /* of a row that is free from the start */
#define NODE_CONFIG_IMSI_CHARS 16
#define NODE_CONFIG_NAME_CHARS 16
#define NODE_CONFIG_APN_CHARS  101
#define NODE_CONFIG_FILE_CHARS 201

struct node_config_nse {
    uint16_t nsei;
    uint8_t worker;
    bool is_dealt;    /* its worker is not configured */
    bool is_gone;     /* deleted, or never made: look-ups skip it */
    bool is_leaving;  /* deleted, but its worker has not confirmed it: the index is not free yet */
    bool is_accepted; /* by nses_accepted */
    struct sched_link_rate link;
};

/* Both endpoints. Of an NSE with IP-SNS the first NS-VC is the one for SNS-SIZE; the others are added and
 * deleted by IP-SNS. */
struct node_config_nsvc {
    uint16_t nse; /* index */
    uint16_t nsvci;
    uint32_t own_address, address;
    uint16_t own_port, udp_port;
    uint8_t mac[6];
    uint8_t data_weight; /* in load sharing */
    bool has_mac;        /* the MAC address is configured */
    bool has_heard_mac;  /* it is the one that sent the NS-RESET of nses_accepted, until it is resolved */
    bool is_absent;      /* the slot has no NS-VC now */
    bool is_free;        /* the slot is not reserved for an NSE */
    bool is_leaving;     /* deleted, but its worker has not confirmed it: the slot is not free yet */
};

struct node_config_cell {
    uint16_t nse; /* index */
    uint16_t bvci;
    char mcc[4], mnc[4];
    uint16_t lac, ci;
    uint8_t rac;
    bool is_gone, is_leaving;             /* as those of an NSE */
    uint32_t max_rise_ppm;                /* most that an announcement may rise at once; 0: unlimited */
    uint64_t initial_octets, initial_bps; /* Bmax and R before the first announcement; 0: the cell waits */
    struct gb_policy policy;
};

/* Parts of a context's N-PDUs that SNDCP's entities may take. */
enum node_config_takes {
    NODE_CONFIG_TAKES_ALL,
    NODE_CONFIG_TAKES_HEADERS,
    NODE_CONFIG_TAKES_DATA,
    NODE_CONFIG_TAKES_NONE
};
#define NODE_CONFIG_TAKES_WORDS "all", "headers", "data", "none"

struct node_config_context {
    uint32_t teid; /* 0: gbflow allocates it */
    uint32_t ggsn_teid;
    uint32_t sgsn_address, ggsn_address;  /* base/address.h */
    uint32_t address;                     /* the mobile's IPv4 address, 0: none */
    uint64_t prefix, interface;           /* the halves of its IPv6 address, 0: none */
    uint8_t ip_version;                   /* that it has an address of; 0: both */
    bool is_any_payload, is_acknowledged; /* struct session */
    uint8_t takes;                        /* enum node_config_takes */
    uint8_t nsapi, qclass;
    uint8_t pfi;                     /* N_PDU_NO_PFI: none */
    uint8_t sapi;                    /* 0: mobiles.sapi */
    char apn[NODE_CONFIG_APN_CHARS]; /* the context is requested of the GGSN (ggsn_address: of its GTP-C)
                                        with this APN; "": the context is configured in full */
};

struct node_config_mobile {
    char imsi[NODE_CONFIG_IMSI_CHARS];
    char msisdn[NODE_CONFIG_IMSI_CHARS]; /* "": not known */
    uint32_t tlli;
    uint16_t cell;                         /* index */
    uint8_t unprotected;                   /* as in struct ms */
    uint32_t elements;                     /* number in elements[], from 1; 0: none */
    struct llc_cipher_params ciphering;    /* algorithm 0: none */
    uint32_t first_context, context_count; /* in contexts[] */
};

/* Digest of a mobile's rows in mobiles.file: a reload changes mobiles with another digest. */
struct node_config_digest {
    uint64_t imsi, digest; /* mobile_row.h */
};

/* The announcements of an emulated cell. */
struct node_config_announcement {
    uint16_t cell; /* index */
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    uint64_t pfc_bucket_octets, pfc_rate_bps; /* 0: packet flows are refused */
    int64_t every_ns;                         /* 0: once */
    bool has_measurement, has_level;
    uint32_t first_ms, ms_count; /* in announced_ms[] */
};

struct node_config_announced_ms {
    uint32_t tlli;
    uint64_t bucket_octets, rate_bps;
    int64_t at_ns;
    bool by_coding; /* see bss_ms_announcement */
};

struct node_config {
    uint32_t worker_count;
    struct {
        uint8_t mac[6], peer_mac[6];
        uint32_t mtu_octets;
        bool is_whole;           /* G-PDUs in packets longer than mtu_octets are dropped, else fragmented */
        bool is_any_destination; /* of uplink N-PDUs, also no host's */
        bool no_uplink_filter;   /* uplink N-PDUs are sent without a test of type and addresses */
        struct marking marking;
    } gn;
    struct address_book addresses; /* of tunnels' ends, IPv6 */
    struct {
        uint32_t address;
        uint16_t udp_port;
        uint32_t mtu_octets;
        int overhead_octets; /* of each NS-PDU on a link, besides its own */
        bool
            tells_imsi; /* DL-UNITDATA has the IMSI; other keys of dl_unitdata are in policy and elements[] */
        uint8_t mac[6];
        struct marking marking;
    } gb;
    struct {
        bool are_learned; /* from GTP-C, else from the list */
        uint32_t first_tlli;
        uint8_t sapi, unprotected;
        uint16_t n201_u;
        uint32_t queue_limit_octets;
        int64_t ready_ns;                  /* READY timer, 0: never, -1: the default */
        uint32_t elements;                 /* of learned mobiles: number in elements[], from 1; 0: none */
        char file[NODE_CONFIG_FILE_CHARS]; /* table of mobiles; "": none */
        bool adds_links;                   /* contexts of the table add to abm.links */
        uint32_t adds_buffers;             /* with adds_links: the least abm.buffers for each link */
    } mobiles;
    struct {
        bool have_area_checks; /* mobiles that attach stay in their routeing area until their update */
        bool drop_suspended;   /* N-PDUs for them while they are suspended */
    } phones;
    /* nses_accepted: the most NSEs, and the most cells and NS-VCs of each, 0: none is accepted. Rows from
     * these on are reserved for them. The values of each NSE and cell. */
    struct {
        uint32_t most, cells, nsvcs;
        uint32_t first_nse, first_cell, first_nsvc;
        struct node_config_nse nse;
        struct node_config_cell cell;
    } accepted;
    struct live_config live;
    struct esp_config esp;
    struct aqm_choices *aqm;                 /* the schemes in policy.sched.aqm; NULL: none */
    struct pacing_params pacing;             /* without its key; classes 0: off */
    struct link_settings abm;                /* without its seed; links 0: off; read with mobiles.file */
    struct compression_settings compression; /* entities 0: off */
    struct context_policy policy;            /* its gb: default of the cells */
    char gea_engine[NODE_CONFIG_NAME_CHARS]; /* as gea_init() knows it; "": the best */
    struct {
        uint32_t mobiles, contexts, npdu_buffers, reassemblies, fragments, extra_flows, flow_sets;
        int64_t lua_call_ns; /* processor time of a call of Lua, in a live node */
        uint64_t lua_octets; /* memory of the Lua state */
    } limits;

    uint32_t nse_count, nsvc_count, cell_count, home_count, mobile_count, context_count, announcement_count;
    uint32_t announced_ms_count, elements_count, digest_count;
    uint32_t nse_room, nsvc_room, cell_room, home_room; /* elements allocated; 0: as many as there are */
    struct node_config_nse *nses;
    struct node_config_nsvc *nsvcs;
    struct node_config_cell *cells;
    uint16_t *homes;                    /* cells for learned mobiles, in turn */
    struct node_config_mobile *list;    /* mobiles.list, then those of mobiles.file */
    struct node_config_digest *digests; /* of the latter */
    struct node_config_context *contexts;
    struct bssgp_elements *elements; /* optional elements of mobiles' DL-UNITDATA */
    struct node_config_announcement *announcements;
    struct node_config_announced_ms *announced_ms;
};

static inline bool node_config_has_entities(const struct node_config *config)
{
    return config->compression.entities > 0;
}

/* Makes room in a running node's lists for those of another configuration besides, so that a reload that adds
 * them needs no memory. False: out of memory; nothing changes. */
bool node_config_reserve(struct node_config *config, const struct node_config *more);

/* Frees the arrays; the struct is the caller's. */
void node_config_free(struct node_config *config);

/* Adds an NSE or cell at the first free index that is not reserved, or at the end; returns its index. Ends
 * the program when memory is short.
 */
uint16_t node_config_add_nse(struct node_config *config, const struct node_config_nse *nse);
uint16_t node_config_add_cell(struct node_config *config, const struct node_config_cell *cell);

/* The first free one of the rows that nses_accepted reserves; -1: none. */
int node_config_accepted_nse(const struct node_config *config);
int node_config_accepted_cell(const struct node_config *config);
int node_config_accepted_nsvc(const struct node_config *config);

/* Adds these rows. False: out of memory. */
bool node_config_reserve_accepted(struct node_config *config);

/* How many rows are reserved. */
struct node_config_rows {
    uint32_t nses, cells, nsvcs;
};
struct node_config_rows node_config_accepted_rows(const struct node_config *config);

/* The worker with the fewest NSEs. */
uint8_t node_config_least_worker(const struct node_config *config);

/* Finds `count` consecutive free rows for NS-VCs, or appends them. Returns the first. */
uint32_t node_config_add_nsvcs(struct node_config *config, uint32_t count);

/* How many indices are in use or reserved, deleted but unconfirmed ones included. */
uint32_t node_config_nses_used(const struct node_config *config);
uint32_t node_config_cells_used(const struct node_config *config);

/* Whether a worker has yet to confirm the end of an NSE, cell or NS-VC, whose place is free then. */
bool node_config_is_leaving(const struct node_config *config);

/* The elements with a number; NULL for 0: none. */
const struct bssgp_elements *node_config_elements(const struct node_config *config, uint32_t number);

/* The row of an NS-VC of an NSE (index); it must exist. */
uint32_t node_config_nsvc_of(const struct node_config *config, uint16_t nse, uint16_t nsvci);

/* Index of the NSE with this NSEI, -1. */
int node_config_nse(const struct node_config *config, uint32_t nsei);

/* The number of workers; 1 if it is not configured. */
unsigned node_config_workers(const struct node_config *config);

/* The worker of a cell (index), and of an NS-VC. */
unsigned node_config_worker_of(const struct node_config *config, uint16_t cell);
unsigned node_config_worker_of_nsvc(const struct node_config *config, uint32_t nsvc);

/* Index of the cell (NSE index, BVCI), -1. */
int node_config_cell(const struct node_config *config, int nse, uint32_t bvci);

#endif
