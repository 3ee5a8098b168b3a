/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/gb_machine.h"

#include <stdio.h>
#include <string.h>

enum { MOBILES = 6, CONTEXTS = 8, TLLIS = 0xc0000000, PFI = 9 };

const char *const gb_machine_text =
    "local function cell(bvci, ci, rac)\n"
    "  return { bvci = bvci, cell_id = { mcc = '001', mnc = '01', lac = 1, rac = rac, ci = ci } }\n"
    "end\n"
    "return {\n"
    "  gb = { address = '10.99.0.1' }, limits = { mobiles = 16, contexts = 16 },\n"
    "  nses = {\n"
    "    { nsei = 101, nsvcs = { { nsvci = 11, address = '10.99.0.2' }, { nsvci = 12, address = '10.99.0.4' "
    "} },\n"
    "      cells = { cell(1001, 1, 1), cell(1002, 2, 1) } },\n"
    "    { nsei = 102, sns = { address = '10.99.0.3', max_nsvcs = 4 }, cells = { cell(1001, 3, 1) } },\n"
    "    { nsei = 103, nsvcs = { { nsvci = 31, address = '10.99.0.5' } }, cells = { cell(3001, 4, 2) } },\n"
    "  },\n"
    "  mobiles = { cells = { 1002 } }, lifetime = { sgsn_max = '15 s' },\n"
    "}\n";

static struct {
    bool is_there;
    uint16_t cell;              /* index */
    bool has_context[CONTEXTS]; /* each wants the packet flow PFI */
} mobiles[MOBILES];

/* --- mobiles and their contexts --- */

static uint32_t tlli_of(unsigned mobile)
{
    return TLLIS | mobile;
}

static uint32_t nsei_of(uint16_t cell)
{
    return machine_node.nses[machine_node.cells[cell].nse].nsei;
}

static bool is_there(uint16_t cell)
{
    return !machine_node.cells[cell].is_gone && !machine_node.nses[machine_node.cells[cell].nse].is_gone;
}

static void add_mobile(struct lua_gb *gb, unsigned mobile, uint16_t cell)
{
    char imsi[16];
    snprintf(imsi, sizeof imsi, "00101000000000%u", mobile);
    const struct lua_gb_ms ms = {tlli_of(mobile), nsei_of(cell), machine_node.cells[cell].bvci,
                                 mobile % 2 ? imsi : ""};
    lua_gb_ms_add(gb, &ms);
    memset(&mobiles[mobile], 0, sizeof mobiles[mobile]);
    mobiles[mobile].is_there = true;
    mobiles[mobile].cell = cell;
}

static void change_context(struct lua_gb *gb, unsigned mobile, unsigned context, int64_t now)
{
    const struct lua_gb_pfc pfc = {tlli_of(mobile), mobile * CONTEXTS + context, PFI, "thp2"};
    bool *has = &mobiles[mobile].has_context[context];
    if (*has)
        lua_gb_pfc_del(gb, &pfc, now);
    else
        lua_gb_pfc_add(gb, &pfc, now);
    *has = !*has;
}

static void del_mobile(struct lua_gb *gb, unsigned mobile, int64_t now)
{
    for (unsigned i = 0; i < CONTEXTS; i++)
        if (mobiles[mobile].has_context[i])
            change_context(gb, mobile, i, now);
    lua_gb_ms_del(gb, tlli_of(mobile), now);
    mobiles[mobile].is_there = false;
}

int gb_machine_nse_of_pdp(uint32_t pdp)
{
    return pdp < MOBILES * CONTEXTS ? machine_node.cells[mobiles[pdp / CONTEXTS].cell].nse : -1;
}

void gb_machine_note(const struct core_intent *intent)
{
    unsigned mobile = intent->msg.tlli - TLLIS;
    if (intent->msg.type == MSG_BVC_DEL)
        machine_node.cells[intent->msg.slot].is_gone = true;
    else if (intent->msg.type == MSG_NSE_DEL)
        machine_node.nses[intent->msg.slot].is_gone = true;
    else if (intent->msg.type == MSG_MS_CELL && mobile < MOBILES)
        mobiles[mobile].cell = (uint16_t)node_config_cell(
            &machine_node, node_config_nse(&machine_node, intent->nsei_new), intent->bvci_new);
}

/* --- a sequence --- */

void gb_machine_begin(struct lua_gb *gb)
{
    memset(mobiles, 0, sizeof mobiles);
    for (unsigned i = 0; i < MOBILES / 2; i++)
        add_mobile(gb, i, (uint16_t)(i % machine_node.cell_count));
}

/* Numbers of live timers, and of what is known of mobiles. */
static const char *const nothing_left =
    "local host = ...\n"
    "local g, heap = host.gb, host.timers\n"
    "assert(heap.live <= 100 and #heap.heap <= 2 * heap.live + 65, 'timers: ' .. heap.live .. ' ' .. "
    "#heap.heap)\n"
    "for _, t in ipairs { 'home', 'references', 'suspended', 'flushes', 'paged' } do\n"
    "  for _ in pairs(g.mobiles[t]) do error(t .. ' has entries after the last mobile') end\n"
    "end\n"
    "assert(next(g.mobiles.pfcs.flows) == nil, 'packet flows after the last mobile')\n"
    "for tlli = 0xc0000000, 0xc0000005 do\n"
    "  for name, t in pairs(g.mobiles.radio) do\n"
    "    local has = type(t) == 'table' and name ~= 'tlli_of' and t[tlli] ~= nil\n"
    "    assert(not has, name .. ' has a mobile that was deleted')\n"
    "  end\n"
    "end\n"
    "for imsi in pairs(g.mobiles.radio.tlli_of) do error('tlli_of has IMSI ' .. imsi) end\n"
    "local names = 0\n"
    "for _ in pairs(g.counts) do names = names + 1 end\n"
    "assert(names <= 600, 'names of counters: ' .. names)\n"
    "assert(g.room.used >= 0 and g.room.used <= 16, 'buckets of mobiles: ' .. g.room.used)\n";

void gb_machine_end(struct lua_gb *gb, int64_t now)
{
    for (unsigned i = 0; i < MOBILES; i++)
        if (mobiles[i].is_there)
            del_mobile(gb, i, now);
    machine_end(&gb->object, nothing_left);
}

/* --- news of the worker, mobiles, contexts --- */

static void tell(struct lua_gb *gb, unsigned what, unsigned mobile, int64_t now)
{
    uint16_t cell = (uint16_t)(what / 16 % machine_node.cell_count);
    if (what % 4 == 0)
        lua_gb_heard(gb, tlli_of(mobile), nsei_of(cell), machine_node.cells[cell].bvci, now);
    else if (what % 4 == 1)
        lua_gb_page_wanted(gb, tlli_of(mobile), now);
    else if (what % 4 == 2)
        lua_gb_reached(gb, tlli_of(mobile), now);
    else
        change_context(gb, mobile, what / 4 % CONTEXTS, now);
}

void gb_machine_news(struct lua_gb *gb, struct fuzz_input *in, int64_t now)
{
    unsigned what = (unsigned)fuzz_take(in, 1), mobile = (unsigned)fuzz_take(in, 1) % MOBILES;
    uint16_t cell = (uint16_t)(what % machine_node.cell_count);
    if (what < 0xe0 && mobiles[mobile].is_there)
        tell(gb, what, mobile, now);
    else if (mobiles[mobile].is_there)
        del_mobile(gb, mobile, now);
    else if (is_there(cell))
        add_mobile(gb, mobile, cell);
}

/* --- reload --- */

/* Mobiles are assigned to another cell: one must be left. */
static bool has_cell_besides(int nse, int cell)
{
    for (unsigned i = 0; i < machine_node.cell_count; i++)
        if (is_there((uint16_t)i) && (int)i != cell && machine_node.cells[i].nse != nse)
            return true;
    return false;
}

static uint32_t first_nsvc_of(unsigned nse)
{
    uint32_t i = 0;
    while (machine_node.nsvcs[i].nse != nse)
        i++;
    return i;
}

static void add_nse(struct lua_gb *gb, unsigned nse, int64_t now)
{
    const struct lua_gb_place place = {machine_table, nse, 0};
    machine_node.nses[nse].is_gone = false;
    for (unsigned i = 0; i < machine_node.cell_count; i++)
        if (machine_node.cells[i].nse == nse)
            machine_node.cells[i].is_gone = false;
    lua_gb_nse_add(gb, &place, first_nsvc_of(nse), now);
}

static void change_nse(struct lua_gb *gb, unsigned nse, int64_t now)
{
    uint32_t nsei = machine_node.nses[nse].nsei;
    if (machine_node.nses[nse].is_gone) {
        add_nse(gb, nse, now);
    } else if (has_cell_besides((int)nse, -1)) {
        lua_gb_nse_close(gb, nsei, now);
        lua_gb_nse_del(gb, nsei, now);
        FUZZ_CHECK(machine_node.nses[nse].is_gone);
    }
}

static void change_cell(struct lua_gb *gb, unsigned cell, int64_t now)
{
    unsigned nse = machine_node.cells[cell].nse, first = cell;
    while (first > 0 && machine_node.cells[first - 1].nse == nse)
        first--;
    const struct lua_gb_place place = {machine_table, nse, cell - first};
    if (machine_node.nses[nse].is_gone)
        return;
    if (machine_node.cells[cell].is_gone) {
        machine_node.cells[cell].is_gone = false;
        lua_gb_cell_add(gb, &place);
    } else if (has_cell_besides(-1, (int)cell)) {
        lua_gb_cell_del(gb, machine_node.nses[nse].nsei, machine_node.cells[cell].bvci, now);
    }
}

/* The endpoints of the SGSN towards the NSE with IP-SNS. */
static void change_endpoints(struct lua_gb *gb, unsigned what, int64_t now)
{
    struct lua_gb_endpoint list[2] = {{"10.99.0.1", 23000, 1, 1}, {"10.99.0.1", 23001, 0, 1}};
    list[1].data_weight = what & 3;
    if (!machine_node.nses[1].is_gone)
        lua_gb_sns_endpoints(gb, machine_node.nses[1].nsei, list, 1 + (what >> 2 & 1), now);
}

void gb_machine_reload(struct lua_gb *gb, struct fuzz_input *in, int64_t now)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (what < 0x60)
        change_nse(gb, what % machine_node.nse_count, now);
    else if (what < 0xc0)
        change_cell(gb, what % machine_node.cell_count, now);
    else
        change_endpoints(gb, what, now);
}
