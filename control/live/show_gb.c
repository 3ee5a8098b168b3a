/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about Gb: NS-VCs, cells and counts of PDUs. */
#include "control/live/tables.h"

#include "control/lua/lua_gb.h"

/* --- NS-VCs --- */

struct filling {
    const struct live *live;
    struct field_sink *sink;
};

struct nsvc {
    struct lua_gb_state_nsvc lua;
    const char *source;
    char address[ADDRESS_BOOK_TEXT_CHARS];
    uint16_t udp_port;
};

/* The key of the configuration by which an NSE (index) is there. */
static const char *source_of(const struct node_config *config, uint16_t nse)
{
    return config->nses[nse].is_accepted ? "nses_accepted" : "nses";
}

static void put_nsvc(void *arg, const struct lua_gb_state_nsvc *lua)
{
    const struct filling *filling = arg;
    const struct node *node = &filling->live->node;
    const struct node_config_nsvc *config = &node->config.nsvcs[lua->index];
    struct nsvc nsvc = {
        .lua = *lua, .udp_port = config->udp_port, .source = source_of(&node->config, config->nse)};
    address_book_text(&node->core.addresses, config->address, nsvc.address);
    field_put(filling->sink, NULL, &nsvc);
}

static void show_gb_each_nsvc(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    struct filling filling = {live, sink};
    lua_gb_state_nsvcs(&live->node.core.gb, &filling, put_nsvc);
}

static const struct field show_gb_nsvcs[] = {
    FIELD(struct nsvc, LABEL, "nsei", "", lua.nsei, "NSEI of the NS-VC's NSE."),
    FIELD(struct nsvc, LABEL, "nsvci", "", lua.nsvci, "NS-VCI; with IP-SNS a number given by the node."),
    FIELD(struct nsvc, LABEL, "address", "", address, "IP address of the BSS."),
    FIELD(struct nsvc, LABEL, "udp_port", "", udp_port, "UDP port of the BSS."),
    FIELD(struct nsvc, LABEL, "source", "", source, "Why it is there: nses or nses_accepted."),
    FIELD(struct nsvc, LABEL, "state", "", lua.state,
          "dead, resetting, blocked, unblocking or unblocked; with IP-SNS absent, waiting, alive or silent."),
    FIELD(struct nsvc, LABEL, "test", "", lua.test, "State of the test procedure (NS-ALIVE)."),
    FIELD_END,
};

/* --- cells --- */

struct bvc {
    struct lua_gb_state_bvc lua;
    const char *usable, *source;
    char cell_id[32];
    struct show_state state;
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

static void put_bvc(void *arg, const struct lua_gb_state_bvc *lua)
{
    struct bvc_filling *filling = arg;
    struct bvc bvc = {.lua = *lua,
                      .usable = !lua->is_usable   ? "no"
                                : lua->is_waiting ? "waits for flow control"
                                                  : "yes",
                      .source = ""};
    if (!field_wants(filling->sink))
        return;
    int cell = cell_of(filling, lua->nsei, lua->bvci);
    if (cell >= 0) {
        const struct node_config_cell *row = &filling->live->node.config.cells[cell];
        bvc.source = source_of(&filling->live->node.config, row->nse);
        snprintf(bvc.cell_id, sizeof(bvc.cell_id), "%s-%s-%u-%u-%u", row->mcc, row->mnc, row->lac, row->rac,
                 row->ci);
        show_state_bvc(&bvc.state, filling->live, (uint16_t)cell);
    }
    field_put(filling->sink, NULL, &bvc);
}

static void show_gb_each_bvc(const void *record, struct field_sink *sink)
{
    struct bvc_filling filling = {.live = record, .sink = sink};
    lua_gb_state_bvcs(&filling.live->node.core.gb, &filling, put_bvc);
}

static const struct field show_gb_bvcs[] = {
    FIELD(struct bvc, LABEL, "nsei", "", lua.nsei, "NSEI of the cell's NSE."),
    FIELD(struct bvc, LABEL, "bvci", "", lua.bvci, "BVCI of the cell."),
    FIELD(
        struct bvc, LABEL, "cell_id", "", cell_id,
        "Cell Identity: MCC, MNC, LAC, RAC and CI, as configured; with nses_accepted, as the BSS named it."),
    FIELD(struct bvc, LABEL, "source", "", source, "Why it is there: nses or nses_accepted."),
    FIELD(struct bvc, LABEL, "state", "", lua.state, "State of the BVC (TS 48.018 clause 8)."),
    FIELD(struct bvc, LABEL, "usable", "", usable,
          "yes, no, or waits for flow control: no FLOW-CONTROL-BVC has been received yet, and "
          "flow_control.initial is absent."),
    FIELD(struct bvc, GAUGE, "bucket_octets", "octets", lua.bucket_octets,
          "Bmax of the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "rate_bps", "bit/s", lua.rate_bps,
          "Bucket leak rate of the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_bucket_octets", "octets", lua.ms_bucket_octets,
          "Default Bmax of mobiles in the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_rate_bps", "bit/s", lua.ms_rate_bps,
          "Default bucket leak rate of mobiles in the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_buckets", "mobiles", lua.own_buckets,
          "Mobiles with a bucket of their own (FLOW-CONTROL-MS)."),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_queue),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_bucket),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_second),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_held),
    FIELD_END,
};

/* --- counts --- */

static void put_count(void *sink, const struct lua_gb_state_count *count)
{
    field_put(sink, NULL, count);
}

static void show_gb_each_count(const void *record, struct field_sink *sink)
{
    lua_gb_state_counts(&((const struct live *)record)->node.core.gb, sink, put_count);
}

static const struct field show_gb_counts[] = {
    FIELD(struct lua_gb_state_count, LABEL, "name", "", name,
          "Name of the event: a PDU, a timer or a fault."),
    FIELD(struct lua_gb_state_count, COUNTER, "count", "events", count, "How often it happened."),
    FIELD_END,
};

/* --- tables --- */

const struct field show_gb_tables[] = {
    SHOW_TABLE("nse", show_gb_each_nsvc, show_gb_nsvcs, "NS-VCs of each NSE."),
    SHOW_TABLE("bvc", show_gb_each_bvc, show_gb_bvcs, "Cells (BVCs) and their flow control."),
    SHOW_TABLE("counts", show_gb_each_count, show_gb_counts, "Events counted by the Gb control plane."),
    FIELD_END,
};
