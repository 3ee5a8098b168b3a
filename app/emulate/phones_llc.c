/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC of SAPI 1 of a phone (TS 44.064): numbering, FCS, ciphering. */
#include "app/emulate/phones.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"

#include <string.h>

static void cipher(const struct emulate_phone *phone, uint8_t *frame, size_t octets, uint32_t count,
                   uint8_t direction)
{
    const struct ms_stack *stack = &phone->stack;
    struct gea_job job = {
        .key = stack->key.key,
        .data = frame + LLC_UI_OCTETS,
        .input = llc_cipher_input(stack->key.iov_ui, LLC_SAPI_GMM, count),
        .octets = (uint16_t)(octets - LLC_UI_OCTETS),
        .direction = direction,
    };
    gea_cipher_burst(stack->gea, &job, 1);
}

size_t emulate_phones_wrap(struct emulate_phone *phone, bool is_ciphered, const uint8_t *octets, size_t count,
                           uint8_t frame[EMULATE_PHONES_FRAME_OCTETS])
{
    if (count > EMULATE_PHONES_FRAME_OCTETS - LLC_UI_OCTETS - LLC_FCS_OCTETS)
        return 0;
    uint32_t number = llc_entity_take(&phone->stack.llc);
    struct llc llc = {.format = LLC_UI,
                      .sapi = LLC_SAPI_GMM,
                      .pm = true,
                      .e = is_ciphered && phone->stack.key.algorithm != 0,
                      .nu = llc_entity_nu(number)};
    size_t at = (size_t)llc_ui_encode(frame, EMULATE_PHONES_FRAME_OCTETS, &llc);
    memcpy(frame + at, octets, count);
    at += count;
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    at += LLC_FCS_OCTETS;
    if (llc.e)
        cipher(phone, frame, at, number, GEA_UPLINK);
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

bool emulate_phones_unwrap(struct emulate_phone *phone, const uint8_t *llc_pdu, size_t octets,
                           struct emulate_phones_message *message)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    if (header < 0 || llc.format != LLC_UI || llc.sapi != LLC_SAPI_GMM || octets > sizeof(message->clear) ||
        (llc.e && phone->stack.key.algorithm == 0))
        return false;
    uint32_t count = llc_entity_count(&phone->stack.llc, llc.nu);
    memcpy(message->clear, llc_pdu, octets);
    if (llc.e)
        cipher(phone, message->clear, octets, count, GEA_DOWNLINK);
    message->octets = message->clear + header;
    message->count = llc.info_octets;
    message->is_ciphered = llc.e;
    return llc_fcs_is_right(message->clear, (size_t)header, llc.info_octets, llc.pm) &&
           accepts(&phone->stack.llc, count, llc.e);
}

static void set_key(struct ms_stack *stack, uint8_t algorithm, const uint8_t *kc, size_t octets)
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

void emulate_phones_cipher(struct emulate_phone *phone, uint8_t algorithm, const uint8_t *kc, size_t octets)
{
    set_key(&phone->stack, algorithm, kc, octets);
    set_key(&phone->user.stack, algorithm, kc, octets);
}
