/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about Gb: NS-VCs, cells and counts of PDUs. */
#include "control/live/tables.h"

#define STATE_CHARS 32

/* --- NS-VCs --- */

struct filling {
    const struct live *live;
    struct field_sink *sink;
};

struct nsvc {
    uint32_t nsei, nsvci, index;
    char state[STATE_CHARS], test[STATE_CHARS];
    const char *source;
    char address[ADDRESS_BOOK_TEXT_CHARS];
    uint16_t udp_port;
};

/* The key of the configuration by which an NSE (index) is there. */
static const char *source_of(const struct node_config *config, uint16_t nse)
{
    return config->nses[nse].is_accepted ? "nses_accepted" : "nses";
}

static const struct lua_field nsvc_fields[] = {
    LUA_FIELD_OF(struct nsvc, nsei, "nsei"),   LUA_FIELD_OF(struct nsvc, nsvci, "nsvci"),
    LUA_FIELD_OF(struct nsvc, index, "index"), LUA_FIELD_OF(struct nsvc, state, "state"),
    LUA_FIELD_OF(struct nsvc, test, "test"),   {0}};

static void put_nsvc(void *arg, const void *row)
{
    const struct filling *filling = arg;
    const struct node *node = &filling->live->node;
    struct nsvc nsvc = *(const struct nsvc *)row;
    const struct node_config_nsvc *config = &node->config.nsvcs[nsvc.index];
    nsvc.udp_port = config->udp_port;
    nsvc.source = source_of(&node->config, config->nse);
    address_book_text(&node->core.addresses, config->address, nsvc.address);
    field_put(filling->sink, NULL, &nsvc);
}

static void show_gb_each_nsvc(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    struct filling filling = {live, sink};
    struct nsvc row = {0};
    core_each(&live->node.core, gb_state,
              &((struct lua_list){"nsvcs", nsvc_fields, &row, sizeof(row), put_nsvc, &filling}));
}

static const struct field show_gb_nsvcs[] = {
    FIELD(struct nsvc, LABEL, "nsei", "", nsei, "NSEI of the NS-VC's NSE."),
    FIELD(struct nsvc, LABEL, "nsvci", "", nsvci, "NS-VCI; with IP-SNS a number given by the node."),
    FIELD(struct nsvc, LABEL, "address", "", address, "IP address of the BSS."),
    FIELD(struct nsvc, LABEL, "udp_port", "", udp_port, "UDP port of the BSS."),
    FIELD(struct nsvc, LABEL, "source", "", source, "Why it is there: nses or nses_accepted."),
    FIELD(struct nsvc, LABEL, "state", "", state,
          "dead, resetting, blocked, unblocking or unblocked; with IP-SNS absent, waiting, alive or silent."),
    FIELD(struct nsvc, LABEL, "test", "", test, "State of the test procedure (NS-ALIVE)."),
    FIELD_END,
};

/* --- cells --- */

struct bvc {
    uint32_t nsei, bvci;
    char state[STATE_CHARS];
    bool is_usable, is_waiting; /* for its first FLOW-CONTROL-BVC */
    /* Of the last FLOW-CONTROL-BVC. */
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    uint32_t own_buckets; /* mobiles that have one */
    const char *usable, *source;
    char cell_id[32];
    struct show_state live;
};

struct bvc_filling {
    const struct live *live;
    struct field_sink *sink;
    uint32_t next; /* cell of the configuration at which the search begins: both are in one order */
};

/* The index of a cell; -1: it is not configured any more. */
static int cell_of(struct bvc_filling *filling, uint32_t nsei, uint32_t bvci)
{
    const struct node_config *config = &filling->live->node.config;
    for (uint32_t i = 0; i < config->cell_count; i++) {
        uint32_t at = (filling->next + i) % config->cell_count;
        const struct node_config_cell *cell = &config->cells[at];
        if (cell->is_gone || cell->bvci != bvci || config->nses[cell->nse].nsei != nsei)
            continue;
        filling->next = at + 1;
        return (int)at;
    }
    return -1;
}

static const struct lua_field bvc_fields[] = {
    LUA_FIELD_OF(struct bvc, nsei, "nsei"),
    LUA_FIELD_OF(struct bvc, bvci, "bvci"),
    LUA_FIELD_OF(struct bvc, state, "state"),
    LUA_FIELD_OF(struct bvc, is_usable, "usable"),
    LUA_FIELD_OF(struct bvc, is_waiting, "waits"),
    LUA_FIELD_OF(struct bvc, bucket_octets, "announced.bucket_octets"),
    LUA_FIELD_OF(struct bvc, rate_bps, "announced.rate_bps"),
    LUA_FIELD_OF(struct bvc, ms_bucket_octets, "announced.ms_bucket_octets"),
    LUA_FIELD_OF(struct bvc, ms_rate_bps, "announced.ms_rate_bps"),
    LUA_FIELD_OF(struct bvc, own_buckets, "own_buckets"),
    {0}};

static void put_bvc(void *arg, const void *row)
{
    struct bvc_filling *filling = arg;
    struct bvc bvc = *(const struct bvc *)row;
    bvc.usable = !bvc.is_usable ? "no" : bvc.is_waiting ? "waits for flow control" : "yes";
    bvc.source = "";
    if (!field_wants(filling->sink))
        return;
    int cell = cell_of(filling, bvc.nsei, bvc.bvci);
    if (cell >= 0) {
        const struct node_config_cell *known = &filling->live->node.config.cells[cell];
        bvc.source = source_of(&filling->live->node.config, known->nse);
        snprintf(bvc.cell_id, sizeof(bvc.cell_id), "%s-%s-%u-%u-%u", known->mcc, known->mnc, known->lac,
                 known->rac, known->ci);
        show_state_bvc(&bvc.live, filling->live, (uint16_t)cell);
    }
    field_put(filling->sink, NULL, &bvc);
}

static void show_gb_each_bvc(const void *record, struct field_sink *sink)
{
    struct bvc_filling filling = {.live = record, .sink = sink};
    struct bvc row = {0};
    core_each(&filling.live->node.core, gb_state,
              &((struct lua_list){"bvcs", bvc_fields, &row, sizeof(row), put_bvc, &filling}));
}

static const struct field show_gb_bvcs[] = {
    FIELD(struct bvc, LABEL, "nsei", "", nsei, "NSEI of the cell's NSE."),
    FIELD(struct bvc, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(
        struct bvc, LABEL, "cell_id", "", cell_id,
        "Cell Identity: MCC, MNC, LAC, RAC and CI, as configured; with nses_accepted, as the BSS named it."),
    FIELD(struct bvc, LABEL, "source", "", source, "Why it is there: nses or nses_accepted."),
    FIELD(struct bvc, LABEL, "state", "", state, "State of the BVC (TS 48.018 clause 8)."),
    FIELD(struct bvc, LABEL, "usable", "", usable,
          "yes, no, or waits for flow control: no FLOW-CONTROL-BVC has been received yet, and "
          "flow_control.initial is absent."),
    FIELD(struct bvc, GAUGE, "bucket_octets", "octets", bucket_octets, "Bmax of the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "rate_bps", "bit/s", rate_bps, "Bucket leak rate of the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_bucket_octets", "octets", ms_bucket_octets,
          "Default Bmax of mobiles in the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_rate_bps", "bit/s", ms_rate_bps,
          "Default bucket leak rate of mobiles in the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_buckets", "mobiles", own_buckets,
          "Mobiles with a bucket of their own (FLOW-CONTROL-MS)."),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_queue),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_bucket),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_second),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_held),
    FIELD_END,
};

/* --- counts --- */

struct count {
    const char *name;
    uint64_t count;
};

static const struct lua_field count_fields[] = {
    LUA_FIELD_AS(TEXT, struct count, name, "name"), LUA_FIELD_OF(struct count, count, "count"), {0}};

static void put_count(void *sink, const void *row)
{
    field_put(sink, NULL, row);
}

static void show_gb_each_count(const void *record, struct field_sink *sink)
{
    struct count row = {0};
    core_each(&((const struct live *)record)->node.core, gb_count_list,
              &((struct lua_list){"counts", count_fields, &row, sizeof(row), put_count, sink}));
}

static const struct field show_gb_counts[] = {
    FIELD(struct count, LABEL, "name", "", name, "Name of the event: a PDU, a timer or a fault."),
    FIELD(struct count, COUNTER, "count", "events", count, "How often it happened."),
    FIELD_END,
};

/* --- tables --- */

const struct field show_gb_tables[] = {
    SHOW_TABLE("nse", show_gb_each_nsvc, show_gb_nsvcs, "NS-VCs of each NSE."),
    SHOW_TABLE("bvc", show_gb_each_bvc, show_gb_bvcs, "Cells (BVCs) and their flow control."),
    SHOW_TABLE("counts", show_gb_each_count, show_gb_counts, "Events counted by the Gb control plane."),
    FIELD_END,
};
