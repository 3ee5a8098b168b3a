/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/llc.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/llc_xid.h"

#include <string.h>

#define HAS(type) (1U << (type))

static void obey_for_all_sapis(struct ms_stack *stack, const struct llc_xid *asked, int64_t now)
{
    if (asked->has & HAS(LLC_XID_RESET))
        ms_stack_reset(stack, now);
    if (asked->has & HAS(LLC_XID_IOV_UI))
        stack->key.iov_ui = asked->value[LLC_XID_IOV_UI];
}

/* block: for SNDCP's part of the answer. */
static void obey(struct ms_stack *stack, const struct llc_xid *asked, struct llc_xid *answer,
                 uint8_t block[MS_OFFER_ANSWER_OCTETS], int64_t now)
{
    *answer = (struct llc_xid){.l3 = block};
    obey_for_all_sapis(stack, asked, now);
    if (asked->has & HAS(LLC_XID_L3)) {
        answer->has |= HAS(LLC_XID_L3);
        answer->l3_octets = (uint8_t)ms_offer_answer(stack, asked->l3, asked->l3_octets, block);
    }
    if (asked->has & HAS(LLC_XID_IOV_UI)) {
        answer->has |= HAS(LLC_XID_IOV_UI);
        answer->value[LLC_XID_IOV_UI] = asked->value[LLC_XID_IOV_UI];
    }
}

static size_t encode(uint8_t out[EMULATE_LLC_ANSWER_OCTETS], const struct llc *command,
                     enum llc_command answer, const struct llc_xid *xid)
{
    const struct llc llc = {.format = LLC_U,
                            .command = (uint8_t)answer,
                            .sapi = command->sapi,
                            .pf = command->pf,
                            .cr = true,
                            .pm = true};
    size_t octets = (size_t)llc_encode(out, EMULATE_LLC_ANSWER_OCTETS, &llc);
    if (xid)
        octets += (size_t)llc_xid_encode(out + octets, EMULATE_LLC_ANSWER_OCTETS - octets, xid);
    llc_fcs_put(out + octets, llc_fcs(out, octets));
    return octets + LLC_FCS_OCTETS;
}

/* Whether it is a U frame that asks for an answer, with a right FCS; *info has its information. */
static bool is_asking(struct llc *llc, const uint8_t *llc_pdu, size_t octets, const uint8_t **info)
{
    int header = llc_decode(llc, llc_pdu, octets);
    if (header < 0 || llc->format != LLC_U || !llc->cr || !llc->pf)
        return false;
    *info = llc_pdu + header;
    return llc_fcs_is_right(llc_pdu, (size_t)header, llc->info_octets, true);
}

static bool is_xid(struct llc *llc, struct llc_xid *asked, const uint8_t *llc_pdu, size_t octets)
{
    const uint8_t *info;
    return is_asking(llc, llc_pdu, octets, &info) && llc->command == LLC_XID &&
           llc_xid_decode(asked, info, llc->info_octets) >= 0;
}

bool emulate_llc_take(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                      uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets, int64_t now)
{
    struct llc llc;
    struct llc_xid asked, given;
    uint8_t block[MS_OFFER_ANSWER_OCTETS];
    if (!is_xid(&llc, &asked, llc_pdu, octets))
        return false;
    obey(stack, &asked, &given, block, now);
    *answer_octets = encode(answer, &llc, LLC_XID, &given);
    return true;
}

bool emulate_llc_obey_beside(struct ms_stack *other, const uint8_t *llc_pdu, size_t octets, int64_t now)
{
    struct llc llc;
    struct llc_xid asked;
    if (!is_xid(&llc, &asked, llc_pdu, octets) || llc.sapi != LLC_SAPI_GMM)
        return false;
    obey_for_all_sapis(other, &asked, now);
    return asked.has & HAS(LLC_XID_RESET);
}

bool emulate_llc_refuse(const struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                        uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets)
{
    struct llc llc;
    const uint8_t *info;
    if (stack->link || !is_asking(&llc, llc_pdu, octets, &info) ||
        (llc.command != LLC_SABM && llc.command != LLC_DISC))
        return false;
    *answer_octets = encode(answer, &llc, LLC_DM, NULL);
    return true;
}

static void cipher(const struct ms_stack *stack, uint8_t *frame, size_t octets, uint32_t count,
                   uint8_t direction)
{
    struct gea_job job = {
        .key = stack->key.key,
        .data = frame + LLC_UI_OCTETS,
        .input = llc_cipher_input(stack->key.iov_ui, LLC_SAPI_GMM, count),
        .octets = (uint16_t)(octets - LLC_UI_OCTETS),
        .direction = direction,
    };
    gea_cipher_burst(stack->gea, &job, 1);
}

size_t emulate_llc_wrap(struct ms_stack *stack, bool is_ciphered, const uint8_t *octets, size_t count,
                        uint8_t frame[EMULATE_LLC_FRAME_OCTETS])
{
    if (count > EMULATE_LLC_FRAME_OCTETS - LLC_UI_OCTETS - LLC_FCS_OCTETS)
        return 0;
    uint32_t number = llc_entity_take(&stack->llc);
    struct llc llc = {.format = LLC_UI,
                      .sapi = LLC_SAPI_GMM,
                      .pm = true,
                      .e = is_ciphered && stack->key.algorithm != 0,
                      .nu = llc_entity_nu(number)};
    size_t at = (size_t)llc_ui_encode(frame, EMULATE_LLC_FRAME_OCTETS, &llc);
    memcpy(frame + at, octets, count);
    at += count;
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    at += LLC_FCS_OCTETS;
    if (llc.e)
        cipher(stack, frame, at, number, GEA_UPLINK);
    return at;
}

/* The SGSN's LLC may have begun again, after ATTACH REJECT for example: RLC repeats nothing, so that a clear
 * frame with an old number is a new one. */
static bool accepts(struct llc_entity *entity, uint32_t count, bool is_ciphered)
{
    if (llc_entity_accept(entity, count))
        return true;
    if (!is_ciphered)
        llc_entity_leap(entity, count + 1);
    return !is_ciphered;
}

bool emulate_llc_unwrap(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                        struct emulate_llc_message *message)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    if (header < 0 || llc.format != LLC_UI || llc.sapi != LLC_SAPI_GMM || octets > sizeof(message->clear) ||
        (llc.e && stack->key.algorithm == 0))
        return false;
    uint32_t count = llc_entity_count(&stack->llc, llc.nu);
    memcpy(message->clear, llc_pdu, octets);
    if (llc.e)
        cipher(stack, message->clear, octets, count, GEA_DOWNLINK);
    message->octets = message->clear + header;
    message->count = llc.info_octets;
    message->is_ciphered = llc.e;
    return llc_fcs_is_right(message->clear, (size_t)header, llc.info_octets, llc.pm) &&
           accepts(&stack->llc, count, llc.e);
}

void emulate_llc_key(struct ms_stack *stack, uint8_t algorithm, const uint8_t *kc, size_t octets)
{
    struct llc_cipher_params params = {.algorithm = algorithm, .iov_ui = stack->key.iov_ui};
    if (octets > sizeof(params.kc))
        octets = 0;
    params.kc_octets = (uint8_t)octets;
    if (octets)
        memcpy(params.kc, kc, octets);
    stack->key = (struct llc_key){.iov_ui = params.iov_ui};
    if (llc_cipher_key(&stack->key, &params) < 0)
        stack->key = (struct llc_key){.iov_ui = params.iov_ui};
    llc_entity_restart_overflow(&stack->llc);
}
