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
SEEN(core_gb_suspend, MACHINE_MESSAGE)
SEEN(core_gb_lost, MACHINE_MESSAGE)
SEEN(core_gb_rim, MACHINE_RIM)
SEEN(core_gtpc_rim, MACHINE_MESSAGE)
SEEN(core_gb_cell, MACHINE_MESSAGE)
SEEN(core_gb_compression, MACHINE_MESSAGE)
SEEN(core_path_echo, MACHINE_MESSAGE)
SEEN(core_gtpc_send, MACHINE_MESSAGE)
SEEN(core_phones_sgsn, MACHINE_SGSN)
SEEN(core_phones_radio, MACHINE_RADIO)
SEEN(core_phones_dns_ask, MACHINE_DNS)
SEEN(core_phones_hlr_open, MACHINE_HLR)
SEEN(core_phones_hlr_send, MACHINE_HLR)
SEEN(core_phones_hlr_close, MACHINE_HLR)
SEEN(core_acts_acted, MACHINE_ACT)
SEEN(core_acts_kept, MACHINE_ACT)

/* In the place of the sessions. */
void core_machine_act(void *unused_arg, enum core_intent_op op, struct core_intent *intent)
{
    static const enum machine_wish wishes[CORE_INTENT_OPS] = {
        [CORE_INTENT_lose] = MACHINE_LOSE,
        [CORE_INTENT_up] = MACHINE_UP,
        [CORE_INTENT_class] = MACHINE_CLASS,
        [CORE_INTENT_down] = MACHINE_DOWN,
        [CORE_INTENT_ended] = MACHINE_ENDED,
        [CORE_INTENT_modify] = MACHINE_MODIFY,
        [CORE_INTENT_phone_send] = MACHINE_MESSAGE,
        [CORE_INTENT_phone_cipher] = MACHINE_MESSAGE,
        [CORE_INTENT_phone_tlli] = MACHINE_MESSAGE,
        [CORE_INTENT_phone_imsi] = MACHINE_IMSI,
        [CORE_INTENT_phone_del] = MACHINE_GONE,
        [CORE_INTENT_phone_pdp_add] = MACHINE_PDP_ADD,
        [CORE_INTENT_phone_heard] = MACHINE_PLACE,
        [CORE_INTENT_phone_page] = MACHINE_PAGE,
        [CORE_INTENT_phone_pdp_class] = MACHINE_PDP_CLASS,
        [CORE_INTENT_phone_pdp_del] = MACHINE_PDP_DEL,
        [CORE_INTENT_phone_pdp_modified] = MACHINE_PDP_MODIFIED,
        [CORE_INTENT_phone_pdp_llc] = MACHINE_PDP_LLC,
        [CORE_INTENT_ends] = MACHINE_MESSAGE,
        [CORE_INTENT_phone_pdp_from] = MACHINE_SGSN,
        [CORE_INTENT_phone_pdp_forward] = MACHINE_SGSN,
        [CORE_INTENT_gn_sgsn] = MACHINE_SGSN,
    };
    (void)unused_arg;
    machine_see(intent, wishes[op]);
}

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
