/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb control plane with sequences of PDUs, timers, news of the worker and reloads; the first octet
 * chooses features of the BSSs and of the node. What a PDU may cause:
 * intents about NS-VCs, cells and mobiles of the NSE that it came from, and a bounded number of them.
 */
#include "dataplane/base/moment.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/fuzz/gb_machine.h"

#include <string.h>

enum { INPUTS = 200, INTENTS = 64 };

static int64_t now;
static uint32_t peer;    /* the NSEI that the present PDU came from; 0: another input */
static unsigned intents; /* of the present PDU */

static bool is_of_peer(int nse)
{
    return nse >= 0 && machine_node.nses[nse].nsei == peer;
}

/* A cell that is usable again has its mobiles paged in their routeing area, whose other NSEs are paged, too.
 */
static bool is_paging(const struct core_intent *in)
{
    return in->msg.type == MSG_SEND && in->octets.count > NS_UNITDATA_HEADER_OCTETS &&
           in->octets.bytes[0] == NS_UNITDATA &&
           in->octets.bytes[NS_UNITDATA_HEADER_OCTETS] == BSSGP_PAGING_PS;
}

/* The NSE of an intent's subject, -1: none. A mobile is where it is, or where it was asked about. */
static int nse_of(const struct core_intent *in)
{
    switch (msg_row(in->msg.type)->subject) {
    case MSG_BY_NSE:
        return (int)in->msg.slot;
    case MSG_BY_NSVC:
        return machine_node.nsvcs[in->msg.slot].nse;
    case MSG_BY_BVC:
        return machine_node.cells[in->msg.slot].nse;
    case MSG_BY_TLLI:
    case MSG_BY_TLLI_OR_NONE:
        return node_config_nse(&machine_node, in->nsei);
    case MSG_BY_PDP:
        return gb_machine_nse_of_pdp(in->msg.slot);
    default:
        return -1;
    }
}

static void see(const struct core_intent *in, enum machine_wish wish)
{
    struct ns ns;
    FUZZ_CHECK(wish == MACHINE_MESSAGE);
    FUZZ_CHECK(peer == 0 || ++intents <= INTENTS);
    FUZZ_CHECK(peer == 0 || is_paging(in) || is_of_peer(nse_of(in)));
    if (in->octets.count)
        FUZZ_CHECK(ns_decode(&ns, (const uint8_t *)in->octets.bytes, in->octets.count) >= 0);
    gb_machine_note(in);
}

static void receive(uint32_t nsvc, const uint8_t *bytes, size_t octets)
{
    uint8_t *copy = fuzz_copy(bytes, octets);
    peer = machine_node.nses[machine_node.nsvcs[nsvc].nse].nsei;
    intents = 0;
    machine_tell(now, gb_on_pdu, LUA_ARG(nsvc), LUA_OCTETS(copy, octets));
    peer = 0;
    free(copy);
}

/* The NS-VC of an input: any, or the first of an NSE. */
static uint32_t take_nsvc(struct fuzz_input *in)
{
    return (uint32_t)fuzz_take(in, 1) % machine_node.nsvc_count;
}

static void give_raw(struct fuzz_input *in)
{
    size_t octets;
    uint32_t nsvc = take_nsvc(in);
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &octets);
    receive(nsvc, block, octets);
}

static void give_bssgp(struct fuzz_input *in)
{
    uint8_t bytes[1024];
    uint32_t nsvc = take_nsvc(in);
    int octets = gb_machine_bssgp(in, nsvc, bytes, sizeof bytes);
    if (octets > 0)
        receive(nsvc, bytes, (size_t)octets);
}

static void give_ns(struct fuzz_input *in)
{
    uint8_t bytes[1024];
    uint32_t nsvc = take_nsvc(in);
    int octets = gb_machine_ns(in, nsvc, bytes, sizeof bytes);
    if (octets > 0)
        receive(nsvc, bytes, (size_t)octets);
}

/* Gets an NSE into service, as its BSS does. */
static void bring_up(struct fuzz_input *in)
{
    uint8_t bytes[256];
    uint32_t nsvc = take_nsvc(in);
    int octets;
    for (unsigned step = 0; (octets = gb_machine_up(nsvc, step, bytes, sizeof bytes)) > 0; step++)
        receive(nsvc, bytes, (size_t)octets);
}

static void wait(struct fuzz_input *in)
{
    int64_t until = now + (INT64_C(1000000) << fuzz_take(in, 1) % 17);
    now = machine_wait(machine_object(gb), now, until, 32);
}

/* News of the worker, and changes of mobiles and contexts. */
static void give_news(struct fuzz_input *in)
{
    gb_machine_news(in, now);
}

static void reload(struct fuzz_input *in)
{
    gb_machine_reload(in, now);
}

/* What BSSs offer and want, and what the node does with mobiles that change their cell. */
static const char *const features = "local node, chosen = ...\n"
                                    "local function is(bit) return chosen & bit ~= 0 end\n"
                                    "local names = { 'pfc', 'cbl', 'inr', 'pfc_fc', 'gigabit' }\n"
                                    "for _, nse in ipairs(node.nses) do\n"
                                    "  nse.features = is(1) and {} or names\n"
                                    "  nse.flush_ll = not is(2)\n"
                                    "  nse.bvc_reset_after = is(4) and 2000000000 or nil\n"
                                    "  nse.bvc_reset = is(8) and 'signalling' or 'cells'\n"
                                    "  nse.unblock = is(16) and 'sgsn' or 'auto'\n"
                                    "end\n"
                                    "node.gb.paging_area = is(32) and 'cell' or 'routeing_area'\n"
                                    "node.mobiles.moves.every = is(64) and 0 or 2000000000\n"
                                    "node.phones = is(128) and { pool = {} } or nil\n";

static void (*const inputs[])(struct fuzz_input *) = {give_bssgp, give_bssgp, give_bssgp, give_ns, give_raw,
                                                      bring_up,   wait,       give_news,  reload};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    lua_State *L = machine_state(gb_machine_text, see);
    unsigned chosen = (unsigned)fuzz_take(&input, 1);
    machine_begin();
    machine_choose(features, chosen);
    lua_core_make(&machine_core, CORE_OBJECT_gb);
    lua_pop(L, 1);
    now = MOMENT_SECOND;
    gb_machine_begin();
    machine_tell(now, gb_start);
    for (; input.left > 0 && steps < INPUTS; steps++)
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
    fuzz_count_sequence(steps);
    gb_machine_end(now);
    lua_settop(L, 0);
    lua_core_drop(&machine_core, CORE_OBJECT_gb);
    return 0;
}
