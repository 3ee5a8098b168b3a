/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of the core's actions: the harness sees the intents. */
#include "control/core/core.h"
#include "tests/fuzz/machine.h"

const struct msg_row msg_rows[MSG_TYPES + 1] = {
#define MSG_ORDER(NAME, name, subject, payload, flags, handler)                                              \
    [MSG_##NAME] = {#name, MSG_BY_##subject, flags, 0},
#define MSG_NEWS(NAME, name, payload, flags) [MSG_##NAME] = {#name, MSG_BY_NONE, flags, 0},
#include "dataplane/worker/msgs.def"
    [MSG_TYPES] = {.name = "no message"},
};

#define SEEN(action, wish)                                                                                   \
    void action(struct core *core, struct core_intent *intent)                                               \
    {                                                                                                        \
        machine_see(intent, wish);                                                                           \
    }

SEEN(core_gb_nse_accepted, MACHINE_MESSAGE)
SEEN(core_gb_cell_accepted, MACHINE_MESSAGE)
SEEN(core_nsvc_made, MACHINE_MESSAGE)
SEEN(core_nsvc_deleted, MACHINE_MESSAGE)
SEEN(core_gb_nse_del, MACHINE_MESSAGE)
SEEN(core_gb_bvc_del, MACHINE_MESSAGE)
SEEN(core_gb_bvc_flow, MACHINE_MESSAGE)
SEEN(core_gb_discarded, MACHINE_MESSAGE)
SEEN(core_gb_flushed, MACHINE_MESSAGE)
SEEN(core_gb_lost, MACHINE_MESSAGE)
SEEN(core_gb_cell, MACHINE_MESSAGE)
SEEN(core_path_echo, MACHINE_MESSAGE)
SEEN(core_gtpc_send, MACHINE_MESSAGE)
SEEN(core_path_lose, MACHINE_LOSE)
SEEN(core_gtpc_up, MACHINE_UP)
SEEN(core_gtpc_class, MACHINE_CLASS)
SEEN(core_gtpc_down, MACHINE_DOWN)
SEEN(core_gtpc_ended, MACHINE_DOWN)
SEEN(core_phones_send, MACHINE_MESSAGE)
SEEN(core_phones_cipher, MACHINE_MESSAGE)
SEEN(core_phones_tlli, MACHINE_MESSAGE)
SEEN(core_phones_imsi, MACHINE_IMSI)
SEEN(core_phones_del, MACHINE_GONE)
SEEN(core_phones_pdp_add, MACHINE_PDP_ADD)
SEEN(core_phones_heard, MACHINE_PLACE)
SEEN(core_phones_pdp_class, MACHINE_PDP_CLASS)
SEEN(core_phones_pdp_del, MACHINE_PDP_DEL)
SEEN(core_phones_pdp_llc, MACHINE_PDP_LLC)
SEEN(core_phones_hlr_open, MACHINE_HLR)
SEEN(core_phones_hlr_send, MACHINE_HLR)
SEEN(core_phones_hlr_close, MACHINE_HLR)

/* The message is the intent's first member. */
void core_order(struct core *core, const struct msg *msg)
{
    machine_see((const struct core_intent *)(const void *)msg, MACHINE_MESSAGE);
}

/* Octets for a worker; the intent still has them. */
void core_order_octets(struct core *core, struct msg *msg, const void *octets, size_t count)
{
    FUZZ_CHECK(count > 0 && count <= 1600);
    msg->mbuf = (struct rte_mbuf *)(uintptr_t)1;
    core_order(core, msg);
}

/* An error of Lua is a finding, though the program contains it. */
void core_log_error(struct core *core, const char *who, const char *text)
{
    fprintf(stderr, "%s: %s\n", who, text);
    FUZZ_CHECK(!"an error of Lua");
}

void core_log_fault(struct core *core, struct core_intent *intent)
{
    core_log_error(core, intent->who, intent->text);
}

/* A peer must not make lines of its own in the log. */
void core_log_line(struct core *core, struct core_intent *intent)
{
    for (const char *c = intent->text; *c; c++)
        FUZZ_CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
}
