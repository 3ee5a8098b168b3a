/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/llc.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/llc_xid.h"

#define HAS(type) (1U << (type))

/* XID Reset: N(U) and the overflow counter, an input of ciphering, restart at 0 in both directions. */
static void reset(struct ms_stack *stack)
{
    stack->llc = (struct llc_entity){0};
    stack->is_open = false;
}

static void obey(struct ms_stack *stack, const struct llc_xid *asked, struct llc_xid *answer)
{
    *answer = (struct llc_xid){0};
    if (asked->has & HAS(LLC_XID_RESET))
        reset(stack);
    if (!(asked->has & HAS(LLC_XID_IOV_UI)))
        return;
    stack->key.iov_ui = asked->value[LLC_XID_IOV_UI];
    answer->has = HAS(LLC_XID_IOV_UI);
    answer->value[LLC_XID_IOV_UI] = asked->value[LLC_XID_IOV_UI];
}

static size_t encode(uint8_t out[EMULATE_LLC_ANSWER_OCTETS], const struct llc *command,
                     const struct llc_xid *xid)
{
    const struct llc llc = {.format = LLC_U,
                            .command = LLC_XID,
                            .sapi = command->sapi,
                            .pf = command->pf,
                            .cr = true,
                            .pm = true};
    size_t octets = (size_t)llc_encode(out, EMULATE_LLC_ANSWER_OCTETS, &llc);
    octets += (size_t)llc_xid_encode(out + octets, EMULATE_LLC_ANSWER_OCTETS - octets, xid);
    llc_fcs_put(out + octets, llc_fcs(out, octets));
    return octets + LLC_FCS_OCTETS;
}

bool emulate_llc_take(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                      uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets)
{
    struct llc llc;
    struct llc_xid asked, given;
    int header = llc_decode(&llc, llc_pdu, octets);
    if (header < 0 || llc.format != LLC_U || llc.command != LLC_XID || !llc.cr || !llc.pf ||
        !llc_fcs_is_right(llc_pdu, (size_t)header, llc.info_octets, true) ||
        llc_xid_decode(&asked, llc_pdu + header, llc.info_octets) < 0)
        return false;
    obey(stack, &asked, &given);
    *answer_octets = encode(answer, &llc, &given);
    return true;
}
