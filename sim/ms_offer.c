/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ms_offer.h"
#include "sim/ms_compression.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/llc_xid.h"
#include "dataplane/wire/sndcp_xid.h"

#include <string.h>

enum { FRAME_OCTETS = 64, BLOCK_OCTETS = 40, PARAMETER_OCTETS = 8 };

#define DECISECOND_NS (MOMENT_SECOND / 10)
#define HAS_L3        (1U << LLC_XID_L3)

/* Numbers and values of a mobile's entities. */
static const struct {
    uint8_t kind, algorithm, number, first, second;
} names[COMPRESSION_KINDS] = {
    [COMPRESSION_RFC1144] = {SNDCP_XID_HEADER, SNDCP_XID_RFC1144, 0, 1, 2},
    [COMPRESSION_V42BIS] = {SNDCP_XID_DATA, SNDCP_XID_V42BIS, 1, 1, 0},
};

static int64_t t200_ns(const struct ms_stack *s)
{
    return llc_xid_default_get(LLC_XID_T200, s->sapi) * DECISECOND_NS;
}

static void start(struct ms_stack *s, int64_t at_ns)
{
    ms_compression_end(s->compression);
    s->offer.state = MS_OFFER_DUE;
    s->offer.tries = 0;
    s->offer.due_ns = at_ns;
}

void ms_offer_begin(struct ms_stack *s, const struct compression_settings *settings, int64_t at_ns)
{
    if (settings->entities == 0)
        return;
    if (!s->compression)
        ms_stack_compress(s, settings);
    start(s, at_ns);
}

void ms_offer_end(struct ms_stack *s)
{
    if (s->compression)
        ms_compression_end(s->compression);
    s->offer.state = MS_OFFER_NONE;
}

void ms_offer_again(struct ms_stack *s, int64_t now)
{
    if (s->offer.state != MS_OFFER_NONE)
        start(s, now);
}

int64_t ms_offer_due_ns(const struct ms_stack *s)
{
    bool is_due = s->offer.state == MS_OFFER_DUE || s->offer.state == MS_OFFER_ASKED;
    return is_due ? s->offer.due_ns : MOMENT_NEVER;
}

void ms_offer_pause(struct ms_stack *s, int64_t now)
{
    if (s->offer.state == MS_OFFER_ASKED && s->offer.due_ns <= now)
        s->offer.due_ns = now + t200_ns(s);
}

/* --- the command --- */

static struct compression_params params_of(const struct ms_stack *s, enum compression_kind kind)
{
    const struct compression_settings *most = ms_compression_settings(s->compression);
    return (struct compression_params){.nsapis = (uint16_t)(1U << s->nsapi),
                                       .slots = most->slots,
                                       .codewords = most->codewords,
                                       .string_octets = most->string_octets,
                                       .directions = most->directions,
                                       .kind = (uint8_t)kind,
                                       .sapi = s->sapi,
                                       .number = names[kind].number,
                                       .first = names[kind].first,
                                       .second = names[kind].second};
}

static bool is_offered(const struct compression_params *params)
{
    return params->kind == COMPRESSION_RFC1144 ? params->slots > 0 : params->codewords > 0;
}

static struct sndcp_xid_parameters parameters_of(const struct compression_params *params)
{
    if (params->kind == COMPRESSION_RFC1144)
        return (struct sndcp_xid_parameters){.count = 1, .value = {params->slots - 1U}};
    return (struct sndcp_xid_parameters){
        .count = 3, .value = {params->directions, params->codewords, params->string_octets}};
}

static size_t put_block(const struct ms_stack *s, uint8_t *block)
{
    uint8_t octets[COMPRESSION_KINDS][PARAMETER_OCTETS];
    struct sndcp_xid xid = {.has_version = true};
    for (unsigned kind = COMPRESSION_KINDS; kind-- > 0;) { /* parameters in order of their types */
        struct compression_params params = params_of(s, kind);
        struct sndcp_xid_parameters parameters = parameters_of(&params);
        if (!is_offered(&params))
            continue;
        int count = sndcp_xid_parameters_encode(octets[kind], sizeof(octets[kind]), names[kind].kind,
                                                names[kind].algorithm, &parameters);
        xid.entities[xid.count++] = (struct sndcp_xid_entity){.nsapis = params.nsapis,
                                                              .kind = names[kind].kind,
                                                              .number = params.number,
                                                              .is_proposal = true,
                                                              .algorithm = names[kind].algorithm,
                                                              .value_count = params.second ? 2 : 1,
                                                              .values = {params.first, params.second},
                                                              .parameter_octets = (uint8_t)count,
                                                              .parameters = octets[kind]};
    }
    return (size_t)sndcp_xid_encode(block, BLOCK_OCTETS, &xid);
}

static size_t put_command(const struct ms_stack *s, uint8_t *frame)
{
    uint8_t block[BLOCK_OCTETS];
    const struct llc llc = {.format = LLC_U, .command = LLC_XID, .sapi = s->sapi, .pf = true, .pm = true};
    const struct llc_xid xid = {.has = HAS_L3, .l3 = block, .l3_octets = (uint8_t)put_block(s, block)};
    size_t at = (size_t)llc_encode(frame, FRAME_OCTETS, &llc);
    at += (size_t)llc_xid_encode(frame + at, FRAME_OCTETS - at, &xid);
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    return at + LLC_FCS_OCTETS;
}

void ms_offer_step(struct ms_stack *s, ms_stack_send_fn *send, void *arg, int64_t now)
{
    uint8_t frame[FRAME_OCTETS];
    if (ms_offer_due_ns(s) > now)
        return;
    if (s->offer.tries > llc_xid_default_get(LLC_XID_N200, s->sapi)) {
        s->offer.state = MS_OFFER_OVER;
        s->offer.unanswered++;
        return;
    }
    s->offer.state = MS_OFFER_ASKED;
    s->offer.tries++;
    s->offer.asked++;
    s->offer.due_ns = now + t200_ns(s);
    send(arg, frame, put_command(s, frame));
}

/* --- the answer --- */

/* Parameters that are left out are as offered. */
static void bound(struct compression_params *params, const struct sndcp_xid_entity *entity)
{
    struct sndcp_xid_parameters in;
    sndcp_xid_parameters_decode(&in, names[params->kind].kind, names[params->kind].algorithm,
                                entity->parameters, entity->parameter_octets);
    if (params->kind == COMPRESSION_RFC1144) {
        params->slots = in.count > 0 ? (uint16_t)(in.value[0] + 1) : params->slots;
        return;
    }
    params->directions = in.count > 0 ? in.value[0] & 3 : params->directions;
    params->codewords = in.count > 1 ? in.value[1] : params->codewords;
    params->string_octets = in.count > 2 ? (uint8_t)in.value[2] : params->string_octets;
}

static const struct sndcp_xid_entity *answer_to(const struct sndcp_xid *xid, unsigned kind)
{
    for (unsigned i = 0; i < xid->count; i++) {
        const struct sndcp_xid_entity *entity = &xid->entities[i];
        if (entity->kind == names[kind].kind && entity->number == names[kind].number && !entity->is_proposal)
            return entity;
    }
    return NULL;
}

/* An entity that is not answered is refused; so is one that has more than was offered. */
static void apply(struct ms_stack *s, const struct sndcp_xid *xid, enum compression_kind kind)
{
    struct compression_params params = params_of(s, kind);
    const struct sndcp_xid_entity *entity = answer_to(xid, kind);
    if (!is_offered(&params))
        return;
    params.nsapis &= entity ? entity->nsapis : 0;
    if (params.nsapis)
        bound(&params, entity);
    if (params.nsapis && ms_compression_set(s->compression, &params))
        s->offer.accepted++;
    else
        s->offer.refused++;
}

static bool is_answer(const struct ms_stack *s, struct llc *llc, const uint8_t *llc_pdu, size_t octets)
{
    return s->offer.tries > 0 && llc_decode(llc, llc_pdu, octets) >= 0 && llc->format == LLC_U &&
           llc->command == LLC_XID && !llc->cr && llc->pf && llc->sapi == s->sapi &&
           llc_fcs_is_right(llc_pdu, llc->header_octets, llc->info_octets, true);
}

bool ms_offer_take(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    struct llc_xid in;
    struct sndcp_xid xid = {0};
    if (!is_answer(s, &llc, llc_pdu, octets) ||
        llc_xid_decode(&in, llc_pdu + llc.header_octets, llc.info_octets) < 0)
        return false;
    if (s->offer.state != MS_OFFER_ASKED)
        return true; /* of a repetition */
    if (in.has & HAS_L3)
        sndcp_xid_decode(&xid, in.l3, in.l3_octets);
    for (unsigned kind = 0; kind < COMPRESSION_KINDS; kind++)
        apply(s, &xid, kind);
    s->offer.state = MS_OFFER_OVER;
    return true;
}

/* --- proposals of the SGSN --- */

static uint16_t least(uint16_t a, uint16_t b)
{
    return a < b ? a : b;
}

static bool is_of_kind(const struct sndcp_xid_entity *entity, unsigned kind)
{
    return entity->kind == names[kind].kind &&
           (!entity->is_proposal || entity->algorithm == names[kind].algorithm);
}

/* Parameters that are left out have their defaults. */
static struct compression_params proposed(const struct ms_stack *s, const struct sndcp_xid_entity *entity,
                                          unsigned kind)
{
    const struct compression_params own = params_of(s, kind);
    struct compression_params params = own;
    params.number = entity->number;
    params.first = entity->values[0];
    params.second = entity->value_count > 1 ? entity->values[1] : 0;
    params.nsapis &= entity->nsapis;
    params.slots = 16;
    params.directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK;
    params.codewords = 2048;
    params.string_octets = 20;
    bound(&params, entity);
    params.slots = least(params.slots, own.slots);
    params.directions &= own.directions;
    params.codewords = least(params.codewords, own.codewords);
    params.string_octets = (uint8_t)least(params.string_octets, own.string_octets);
    return params;
}

/* Answers one entity; room has the parameters of the answer. */
static void answer_entity(struct ms_stack *s, const struct sndcp_xid_entity *in, struct sndcp_xid_entity *out,
                          uint8_t room[PARAMETER_OCTETS])
{
    *out = (struct sndcp_xid_entity){.kind = in->kind, .number = in->number};
    for (unsigned kind = 0; s->compression && kind < COMPRESSION_KINDS; kind++) {
        if (!is_of_kind(in, kind))
            continue;
        struct compression_params params = proposed(s, in, kind);
        params.nsapis = in->is_proposal && is_offered(&params) ? params.nsapis : 0;
        if (!ms_compression_set(s->compression, &params) || params.nsapis == 0)
            continue;
        struct sndcp_xid_parameters parameters = parameters_of(&params);
        out->nsapis = params.nsapis;
        out->parameters = room;
        out->parameter_octets = (uint8_t)sndcp_xid_parameters_encode(room, PARAMETER_OCTETS, names[kind].kind,
                                                                     names[kind].algorithm, &parameters);
    }
}

size_t ms_offer_answer(struct ms_stack *s, const uint8_t *block, size_t octets,
                       uint8_t answer[MS_OFFER_ANSWER_OCTETS])
{
    uint8_t rooms[SNDCP_XID_MAX_ENTITIES][PARAMETER_OCTETS];
    struct sndcp_xid in, out = {0};
    sndcp_xid_decode(&in, block, octets);
    out.has_version = in.has_version;
    for (out.count = 0; out.count < in.count; out.count++)
        answer_entity(s, &in.entities[out.count], &out.entities[out.count], rooms[out.count]);
    int written = sndcp_xid_encode(answer, MS_OFFER_ANSWER_OCTETS, &out);
    return written < 0 ? 0 : (size_t)written;
}
