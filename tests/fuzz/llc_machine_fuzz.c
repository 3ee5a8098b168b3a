/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC's unnumbered frames with sequences of frames, cells, mobiles and timers. What a mobile's frame may
 * cause: intents about that mobile, one answer, and an N201-U in the range of TS 44.064 table 9.
 */
#include "control/core/core_gb.h"
#include "dataplane/wire/llc.h"
#include "tests/fuzz/machine.h"

#include <string.h>

enum { INPUTS = 200, MOBILES = 6, CELLS = 3, INTENTS = 4, ANY = MOBILES };

static int64_t now;
static uint32_t sender; /* the mobile of the present frame; ANY: another input */
static unsigned intents;
static bool has_mobile[MOBILES];

static const char *const text =
    "return {\n"
    "  gb = { address = '10.99.0.1' }, limits = { mobiles = 6 }, llc = { reset_at_start = true },\n"
    "  nses = { { nsei = 101, nsvcs = { { nsvci = 11, address = '10.99.0.2' } }, cells = {\n"
    "    { bvci = 1001, cell_id = { mcc = '001', mnc = '01', lac = 1, rac = 1, ci = 1 } } } } },\n"
    "  mobiles = { cells = { 1001 } }, lifetime = { sgsn_max = '15 s' },\n"
    "}\n";

/* What is kept of a mobile that was deleted, and of cells and layer 3 messages, is bounded. */
static const char *const nothing_left =
    "local llc = ...\n"
    "assert(next(llc.mobiles) == nil, 'mobiles after the last one')\n"
    "assert(llc.timers.live == 0 and next(llc.armed) == nil, 'timers after the last mobile')\n"
    "local names = 0\n"
    "for key in pairs(llc.unhandled) do\n"
    "  assert(key >> 16 <= 15 and key >= 0, 'a layer 3 message')\n"
    "end\n"
    "for _ in pairs(llc.counts) do names = names + 1 end\n"
    "assert(names <= 64, 'names of counters: ' .. names)\n";

static void see(const struct core_intent *in, enum machine_wish wish)
{
    struct llc frame;
    uint8_t bytes[2048] = {0};
    FUZZ_CHECK(wish == MACHINE_MESSAGE && in->msg.slot < MOBILES);
    FUZZ_CHECK(sender == ANY || (in->msg.slot == sender && ++intents <= INTENTS));
    if (in->msg.type == MSG_MS_N201)
        FUZZ_CHECK(in->msg.n201_u_octets >= 140 && in->msg.n201_u_octets <= 1520);
    if (in->msg.type != MSG_LLC_FRAME)
        return;
    memcpy(bytes, in->octets.bytes, in->octets.count);
    FUZZ_CHECK(llc_decode(&frame, bytes, in->octets.count + LLC_FCS_OCTETS) > 0 && frame.format == LLC_U);
}

static void give(uint32_t mobile, const uint8_t *bytes, size_t octets)
{
    uint8_t *copy = fuzz_copy(bytes, octets);
    sender = mobile;
    intents = 0;
    machine_tell(now, llc_frame, LUA_ARG(mobile), LUA_OCTETS(copy, octets));
    sender = ANY;
    free(copy);
}

static void give_frame(struct fuzz_input *in)
{
    size_t octets;
    uint32_t mobile = (uint32_t)fuzz_take(in, 1) % MOBILES;
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &octets);
    give(mobile, block, octets);
}

/* An XID frame, command or response, with parameters from the input: type, length, value. */
static void give_xid(struct fuzz_input *in)
{
    uint8_t bytes[64];
    size_t octets;
    unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1) % 60, &octets);
    bytes[0] = (uint8_t)((what & 1) << 6 | (what & 2 ? 3 : 1));
    bytes[1] = (uint8_t)(0xeb | (what & 4) << 2);
    memcpy(bytes + 2, block, octets);
    give(what / 8 % MOBILES, bytes, 2 + octets);
}

static void change_mobile(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    unsigned mobile = what % MOBILES;
    if (has_mobile[mobile])
        machine_tell(now, llc_ms_del, LUA_ARG(mobile));
    else
        machine_tell(now, llc_ms_add, LUA_ARG(mobile),
                     LUA_ARG(core_gb_llc_place(101, 1001 + what / 8 % CELLS)), LUA_MAYBE(what, what & 0x80));
    has_mobile[mobile] = !has_mobile[mobile];
}

static void change_cell(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (what & 0x80)
        machine_tell(now, llc_cell_closed, LUA_ARG(core_gb_llc_place(101, 1001 + what % CELLS)));
    else
        machine_tell(now, llc_cell_open, LUA_ARG(core_gb_llc_place(101, 1001 + what % CELLS)));
}

static void wait(struct fuzz_input *in)
{
    now = machine_wait(machine_object(llc), now, now + (INT64_C(1000000) << fuzz_take(in, 1) % 17), 32);
}

static void (*const inputs[])(struct fuzz_input *) = {give_frame, give_xid, change_mobile, change_cell, wait};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    lua_State *L = machine_state(text, see);
    machine_begin();
    lua_core_make(&machine_core, CORE_OBJECT_llc);
    lua_pop(L, 1);
    memset(has_mobile, 0, sizeof has_mobile);
    sender = ANY;
    now = 0;
    for (; input.left > 0 && steps < INPUTS; steps++)
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
    fuzz_count_sequence(steps);
    for (uint32_t i = 0; i < MOBILES; i++)
        if (has_mobile[i])
            machine_tell(now, llc_ms_del, LUA_ARG(i));
    machine_end(machine_object(llc), nothing_left);
    lua_settop(L, 0);
    lua_core_drop(&machine_core, CORE_OBJECT_llc);
    return 0;
}
