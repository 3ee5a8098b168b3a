/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about Gb: NS-VCs, cells and counts of PDUs. */
#include "control/live/tables.h"

#define CELL_ID_CHARS 32

/* --- NS-VCs --- */

LUA_ROWS(gb_nsvcs);

/* The key of the configuration by which an NSE (index) is there. */
static const char *source_of(const struct node_config *config, uint16_t nse)
{
    return config->nses[nse].is_accepted ? "nses_accepted" : "nses";
}

static void put_nsvc(void *arg, const void *row)
{
    const struct show_filling *filling = arg;
    const struct node *node = &filling->live->node;
    struct gb_nsvcs nsvc = *(const struct gb_nsvcs *)row;
    const struct node_config_nsvc *config = &node->config.nsvcs[nsvc.index];
    char address[ADDRESS_BOOK_TEXT_CHARS];
    nsvc.udp_port = config->udp_port;
    nsvc.source = source_of(&node->config, config->nse);
    nsvc.address = address_book_text(&node->core.addresses, config->address, address);
    field_put(filling->sink, NULL, &nsvc);
}

static void show_gb_each_nsvc(const void *record, struct field_sink *sink)
{
    struct show_filling filling = {record, sink, 0};
    struct gb_nsvcs row = {0};
    core_each(SHOW_CORE, gb_state,
              &((struct lua_list){"nsvcs", gb_nsvcs_of_lua, &row, sizeof(row), put_nsvc, &filling}));
}

/* --- cells --- */

LUA_ROWS(gb_bvcs);

struct bvc {
    struct gb_bvcs lua;
    struct show_state live;
};

/* The index of a cell; -1: it is not configured any more. */
static int cell_of(struct show_filling *filling, uint64_t nsei, uint64_t bvci)
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

static void put_bvc(void *arg, const void *row)
{
    struct show_filling *filling = arg;
    struct bvc bvc = {.lua = *(const struct gb_bvcs *)row};
    char cell_id[CELL_ID_CHARS] = "";
    bvc.lua.source = "";
    bvc.lua.cell_id = cell_id;
    if (!field_wants(filling->sink))
        return;
    int cell = cell_of(filling, bvc.lua.nsei, bvc.lua.bvci);
    if (cell >= 0) {
        const struct node_config_cell *known = &filling->live->node.config.cells[cell];
        bvc.lua.source = source_of(&filling->live->node.config, known->nse);
        snprintf(cell_id, sizeof(cell_id), "%s-%s-%u-%u-%u", known->mcc, known->mnc, known->lac, known->rac,
                 known->ci);
        show_state_bvc(&bvc.live, filling->live, (uint16_t)cell);
    }
    field_put(filling->sink, NULL, &bvc);
}

static void show_gb_each_bvc(const void *record, struct field_sink *sink)
{
    struct show_filling filling = {record, sink, 0};
    struct gb_bvcs row = {0};
    core_each(SHOW_CORE, gb_state,
              &((struct lua_list){"bvcs", gb_bvcs_of_lua, &row, sizeof(row), put_bvc, &filling}));
}

static const struct field show_gb_bvcs[] = {
    FIELD_ROWS(offsetof(struct bvc, lua), gb_bvcs_rows),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_queue),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_bucket),
    FIELD_ROWS(offsetof(struct bvc, live), show_state_second),
    FIELD_END,
};

/* --- counts --- */

LUA_ROWS(gb_events);

LUA_ROWS_LIST(gb_events, gb_count_list, SHOW_CORE)

/* --- tables --- */

const struct field show_gb_tables[] = {
    SHOW_TABLE("nse", show_gb_each_nsvc, gb_nsvcs_rows, "NS-VCs of each NSE."),
    SHOW_TABLE("bvc", show_gb_each_bvc, show_gb_bvcs, "Cells (BVCs) and their flow control."),
    SHOW_TABLE("counts", gb_events_each, gb_events_rows, "Events counted by the Gb control plane."),
    FIELD_END,
};
