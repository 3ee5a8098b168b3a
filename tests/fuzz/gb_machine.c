/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/gb_machine.h"

#include <stdio.h>
#include <string.h>

enum { MOBILES = 6, CONTEXTS = 8, TLLIS = 0xc0000000, OTHER = 8, PFI = 9 };

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
    bool is_there, is_renamed;
    uint16_t cell;              /* index */
    bool has_context[CONTEXTS]; /* each wants the packet flow PFI */
} mobiles[MOBILES];

/* --- mobiles and their contexts --- */

static uint32_t tlli_of(unsigned mobile)
{
    return TLLIS | mobile | (mobiles[mobile].is_renamed ? OTHER : 0);
}

static uint32_t nsei_of(uint16_t cell)
{
    return machine_node.nses[machine_node.cells[cell].nse].nsei;
}

static bool is_there(uint16_t cell)
{
    return !machine_node.cells[cell].is_gone && !machine_node.nses[machine_node.cells[cell].nse].is_gone;
}

static void add_mobile(unsigned mobile, uint16_t cell)
{
    char imsi[16];
    snprintf(imsi, sizeof imsi, "00101000000000%u", mobile);
    memset(&mobiles[mobile], 0, sizeof mobiles[mobile]);
    machine_tell(machine_core.now, gb_ms_add, LUA_ARG(mobile), LUA_ARG(tlli_of(mobile)),
                 LUA_ARG(nsei_of(cell)), LUA_ARG(machine_node.cells[cell].bvci),
                 LUA_ARG(mobile % 2 ? imsi : NULL));
    mobiles[mobile].is_there = true;
    mobiles[mobile].cell = cell;
}

static void change_context(unsigned mobile, unsigned context, int64_t now)
{
    const uint32_t pdp = mobile * CONTEXTS + context;
    bool *has = &mobiles[mobile].has_context[context];
    if (*has)
        machine_tell(now, gb_pfc_del, LUA_ARG(mobile), LUA_ARG(pdp), LUA_ARG(PFI));
    else
        machine_tell(now, gb_pfc_add, LUA_ARG(mobile), LUA_ARG(pdp), LUA_ARG(PFI), LUA_ARG("thp2"));
    *has = !*has;
}

static void del_mobile(unsigned mobile, int64_t now)
{
    for (unsigned i = 0; i < CONTEXTS; i++)
        if (mobiles[mobile].has_context[i])
            change_context(mobile, i, now);
    machine_tell(now, gb_ms_del, LUA_ARG(mobile));
    mobiles[mobile].is_there = false;
}

int gb_machine_nse_of_pdp(uint32_t pdp)
{
    return pdp < MOBILES * CONTEXTS ? machine_node.cells[mobiles[pdp / CONTEXTS].cell].nse : -1;
}

void gb_machine_note(const struct core_intent *intent)
{
    unsigned mobile = (intent->msg.tlli - TLLIS) % OTHER;
    if (intent->msg.type == MSG_MS_LOST) /* of a mobile in the cell whose BSS says so */
        FUZZ_CHECK(mobile < MOBILES && mobiles[mobile].is_there &&
                   machine_node.cells[mobiles[mobile].cell].nse == intent->msg.nse);
    if (intent->msg.type == MSG_BVC_DEL)
        machine_node.cells[intent->msg.slot].is_gone = true;
    else if (intent->msg.type == MSG_NSE_DEL)
        machine_node.nses[intent->msg.slot].is_gone = true;
    else if (intent->msg.type == MSG_MS_CELL && mobile < MOBILES)
        mobiles[mobile].cell = (uint16_t)node_config_cell(
            &machine_node, node_config_nse(&machine_node, intent->nsei_new), intent->bvci_new);
}

/* --- a sequence --- */

void gb_machine_begin(void)
{
    memset(mobiles, 0, sizeof mobiles);
    for (unsigned i = 0; i < MOBILES / 2; i++)
        add_mobile(i, (uint16_t)(i % machine_node.cell_count));
}

/* Numbers of live timers, and of what is known of mobiles. */
static const char *const nothing_left =
    "local host = ...\n"
    "local g, heap = host.gb, host.timers\n"
    "assert(heap.live <= 100 and #heap.heap <= 2 * heap.live + 65, 'timers: ' .. heap.live .. ' ' .. "
    "#heap.heap)\n"
    "for _, t in ipairs { 'suspended', 'flushes', 'asked', 'paged' } do\n"
    "  for _ in pairs(g.mobiles[t]) do error(t .. ' has entries after the last mobile') end\n"
    "end\n"
    "for index, t in pairs(g.mobiles.book) do\n"
    "  for _ in pairs(t) do error(index .. ' of the book has entries after the last mobile') end\n"
    "end\n"
    "assert(next(g.mobiles.pfcs.flows) == nil, 'packet flows after the last mobile')\n"
    "local names = 0\n"
    "for _ in pairs(g.counts) do names = names + 1 end\n"
    "assert(names <= 600, 'names of counters: ' .. names)\n"
    "assert(g.room.used >= 0 and g.room.used <= 16, 'buckets of mobiles: ' .. g.room.used)\n";

void gb_machine_end(int64_t now)
{
    for (unsigned i = 0; i < MOBILES; i++)
        if (mobiles[i].is_there)
            del_mobile(i, now);
    machine_end(machine_object(gb), nothing_left);
}

/* --- news of the worker, mobiles, contexts --- */

static void rename_mobile(unsigned mobile, int64_t now)
{
    mobiles[mobile].is_renamed = !mobiles[mobile].is_renamed;
    machine_tell(now, gb_ms_called, LUA_ARG(mobile), LUA_ARG(tlli_of(mobile)), LUA_ARG("001010000000009"));
}

/* ACCEPT goes out; its new TLLI is withdrawn if it is the one that the mobile has. */
static void offer_tlli(unsigned mobile, bool is_other, int64_t now)
{
    machine_tell(now, gb_ms_offered, LUA_ARG(mobile), LUA_ARG(tlli_of(mobile) ^ (is_other ? OTHER : 0)));
}

static void tell(unsigned what, unsigned mobile, int64_t now)
{
    uint16_t cell = (uint16_t)(what / 16 % machine_node.cell_count);
    if (what % 4 == 0)
        machine_tell(now, gb_on_heard, LUA_ARG(mobile), LUA_ARG(nsei_of(cell)),
                     LUA_ARG(machine_node.cells[cell].bvci));
    else if (what % 4 == 1)
        machine_tell(now, gb_on_page_wanted, LUA_ARG(mobile));
    else if (what % 4 == 2)
        machine_tell(now, gb_on_reached, LUA_ARG(mobile));
    else if (what / 4 % 4 == 0)
        rename_mobile(mobile, now);
    else if (what / 4 % 4 == 1)
        offer_tlli(mobile, what / 16 % 4 != 0, now);
    else
        change_context(mobile, what / 4 % CONTEXTS, now);
}

void gb_machine_news(struct fuzz_input *in, int64_t now)
{
    unsigned what = (unsigned)fuzz_take(in, 1), mobile = (unsigned)fuzz_take(in, 1) % MOBILES;
    uint16_t cell = (uint16_t)(what % machine_node.cell_count);
    if (what < 0xe0 && mobiles[mobile].is_there)
        tell(what, mobile, now);
    else if (mobiles[mobile].is_there)
        del_mobile(mobile, now);
    else if (is_there(cell))
        add_mobile(mobile, cell);
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

static void add_nse(unsigned nse, int64_t now)
{
    char path[64];
    snprintf(path, sizeof path, "nses.%u", nse + 1);
    machine_node.nses[nse].is_gone = false;
    for (unsigned i = 0; i < machine_node.cell_count; i++)
        if (machine_node.cells[i].nse == nse)
            machine_node.cells[i].is_gone = false;
    machine_tell(now, gb_nse_add, LUA_AT(machine_table, path), LUA_ARG(first_nsvc_of(nse)));
}

static void change_nse(unsigned nse, int64_t now)
{
    uint32_t nsei = machine_node.nses[nse].nsei;
    if (machine_node.nses[nse].is_gone) {
        add_nse(nse, now);
    } else if (has_cell_besides((int)nse, -1)) {
        machine_tell(now, gb_nse_close, LUA_ARG(nsei));
        machine_tell(now, gb_nse_del, LUA_ARG(nsei));
        FUZZ_CHECK(machine_node.nses[nse].is_gone);
    }
}

static void change_cell(unsigned cell, int64_t now)
{
    unsigned nse = machine_node.cells[cell].nse, first = cell;
    while (first > 0 && machine_node.cells[first - 1].nse == nse)
        first--;
    char path[64];
    snprintf(path, sizeof path, "nses.%u.cells.%u", nse + 1, cell - first + 1);
    if (machine_node.nses[nse].is_gone)
        return;
    if (machine_node.cells[cell].is_gone) {
        machine_node.cells[cell].is_gone = false;
        machine_tell(now, gb_cell_add, LUA_ARG(machine_node.nses[nse].nsei), LUA_AT(machine_table, path));
    } else if (has_cell_besides(-1, (int)cell)) {
        machine_tell(now, gb_cell_del, LUA_ARG(machine_node.nses[nse].nsei),
                     LUA_ARG(machine_node.cells[cell].bvci));
    }
}

struct endpoint {
    const char *address;
    uint16_t udp_port;
    uint8_t signalling_weight, data_weight;
};

static const struct lua_field endpoint_fields[] = {
    LUA_FIELD_NEEDED(TEXT, struct endpoint, address, "address"),
    LUA_FIELD_NEEDED(U16, struct endpoint, udp_port, "udp_port"),
    LUA_FIELD_NEEDED(U8, struct endpoint, signalling_weight, "signalling_weight"),
    LUA_FIELD_NEEDED(U8, struct endpoint, data_weight, "data_weight"),
    {0}};

/* The endpoints of the SGSN towards the NSE with IP-SNS. */
static void change_endpoints(unsigned what, int64_t now)
{
    struct endpoint list[2] = {{"10.99.0.1", 23000, 1, 1}, {"10.99.0.1", 23001, 0, 1}};
    list[1].data_weight = what & 3;
    if (!machine_node.nses[1].is_gone)
        machine_tell(now, gb_sns_endpoints, LUA_ARG(machine_node.nses[1].nsei),
                     LUA_LIST(endpoint_fields, list, 1 + (what >> 2 & 1)));
}

void gb_machine_reload(struct fuzz_input *in, int64_t now)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (what < 0x60)
        change_nse(what % machine_node.nse_count, now);
    else if (what < 0xc0)
        change_cell(what % machine_node.cell_count, now);
    else
        change_endpoints(what, now);
}
