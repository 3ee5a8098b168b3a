/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ms_stack.h"
#include "sim/ms_compression.h"
#include "sim/ms_link.h"
#include "sim/ms_offer.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ms_stack_fini(struct ms_stack *s)
{
    ms_link_free(s->link);
    ms_compression_free(s->compression);
    free(s->n_pdu);
    free(s->clear);
    *s = (struct ms_stack){0};
}

void ms_stack_acknowledge(struct ms_stack *s, const struct link_values *most)
{
    ms_link_free(s->link);
    s->link = most ? ms_link_new(s, most) : NULL;
}

void ms_stack_begin(struct ms_stack *s, const struct ms_settings *settings, int64_t at_ns)
{
    ms_stack_acknowledge(s, settings->has_link ? &settings->link : NULL);
    ms_offer_begin(s, &settings->compression, at_ns);
}

void ms_stack_end(struct ms_stack *s)
{
    ms_offer_end(s);
    ms_stack_acknowledge(s, NULL);
}

void ms_stack_compress(struct ms_stack *s, const struct compression_settings *settings)
{
    s->compression = ms_compression_new(settings);
}

void ms_stack_reset(struct ms_stack *s, int64_t now)
{
    s->llc = (struct llc_entity){0};
    s->is_open = false;
    ms_offer_again(s, now);
    if (s->link)
        ms_link_restart(s->link, now);
}

static int64_t link_due_ns(const struct ms_stack *s)
{
    return s->link ? ms_link_due_ns(s->link) : MOMENT_NEVER;
}

int64_t ms_stack_due_ns(const struct ms_stack *s)
{
    return moment_min(link_due_ns(s), ms_offer_due_ns(s));
}

void ms_stack_pause(struct ms_stack *s, int64_t now)
{
    int64_t due_ns = link_due_ns(s);
    if (due_ns > 0 && due_ns <= now)
        ms_link_pause(s->link, now);
    ms_offer_pause(s, now);
}

void ms_stack_step(struct ms_stack *s, ms_stack_send_fn *send, void *arg, int64_t now)
{
    ms_offer_step(s, send, arg, now);
    if (s->link)
        ms_link_step(s->link, now, send, arg);
}

/* The buffer at *room, of that many octets. */
static uint8_t *room_of(uint8_t **room, size_t octets)
{
    if (!*room)
        *room = malloc(octets);
    if (!*room) {
        fprintf(stderr, "gbflow: out of memory for the N-PDUs of a mobile\n");
        exit(1);
    }
    return *room;
}

/* Ciphers or deciphers information and FCS of a frame. */
static void cipher(const struct ms_stack *s, uint8_t *frame, size_t octets, uint32_t count, uint8_t direction)
{
    struct gea_job job = {
        .key = s->key.key,
        .data = frame + LLC_UI_OCTETS,
        .input = llc_cipher_input(s->key.iov_ui, s->sapi, count),
        .octets = (uint16_t)(octets - LLC_UI_OCTETS),
        .direction = direction,
    };
    gea_cipher_burst(s->gea, &job, 1);
}

/* Is it a downlink UI frame of this SAPI, not too long, and ciphered as configured? */
static bool is_ours(const struct ms_stack *s, const struct llc *llc, size_t octets)
{
    return llc->format == LLC_UI && llc->sapi == s->sapi && (llc->cr || s->ignores_cr) &&
           llc->e == (s->key.algorithm != 0) && octets <= MS_STACK_LLC_OCTETS;
}

/* The information field of a correct UI frame of this SAPI; NULL: not such a frame, wrong FCS, or a repeated
   N(U). */
static const uint8_t *unwrap_llc(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets,
                                 size_t *info_octets)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    if (header < 0 || !is_ours(s, &llc, octets))
        return NULL;
    uint32_t count = llc_entity_count(&s->llc, llc.nu);
    if (llc.e) {
        memcpy(room_of(&s->clear, MS_STACK_LLC_OCTETS), llc_pdu, octets);
        llc_pdu = s->clear;
        cipher(s, s->clear, octets, count, GEA_DOWNLINK);
    }
    if (!llc_fcs_is_right(llc_pdu, (size_t)header, llc.info_octets, llc.pm))
        return NULL;
    if (!llc_entity_accept(&s->llc, count))
        return NULL;
    *info_octets = llc.info_octets;
    return llc_pdu + header;
}

static void give_up(struct ms_stack *s)
{
    s->holes += s->is_open;
    s->is_open = false;
}

/* Adds a segment; NULL: it does not continue the open N-PDU, which is then dropped. Else the N-PDU so far:
 * the only segment itself, or the segments behind one another. */
static const uint8_t *ms_stack_add(struct ms_stack *s, const struct sndcp *sndcp, const uint8_t *data,
                                   size_t octets)
{
    if (sndcp->first) {
        give_up(s);
        s->is_open = true;
        s->number = sndcp->n_pdu_number;
        s->comp = sndcp->comp;
        s->next_segment = 0;
        s->octets = 0;
    }
    bool is_next = s->is_open && sndcp->n_pdu_number == s->number && sndcp->segment == s->next_segment;
    if (!is_next || octets > (size_t)MS_STACK_NPDU_OCTETS - s->octets) {
        give_up(s);
        return NULL;
    }
    bool is_only = sndcp->first && !sndcp->more;
    if (!is_only)
        memcpy(room_of(&s->n_pdu, MS_STACK_NPDU_OCTETS) + s->octets, data, octets);
    s->octets = (uint16_t)(s->octets + octets);
    s->next_segment++;
    return is_only ? data : s->n_pdu;
}

static bool is_of_link(const struct ms_stack *s, struct llc *header, const uint8_t *llc_pdu, size_t octets)
{
    return s->link && llc_decode(header, llc_pdu, octets) >= 0 && header->sapi == s->sapi &&
           ms_link_is_for(header);
}

const uint8_t *ms_stack_receive_more(struct ms_stack *s, size_t *n_pdu_octets, uint16_t *number, int64_t now)
{
    const uint8_t *n_pdu = s->link ? ms_link_deliver_take(s->link, n_pdu_octets, number, now) : NULL;
    s->npdus += n_pdu != NULL;
    return n_pdu;
}

/* The N-PDU as its host sees it; NULL: it is lost. */
static const uint8_t *restore(struct ms_stack *s, const uint8_t *n_pdu, size_t *octets)
{
    struct compression_n_pdu in = {.data = (uint8_t *)(uintptr_t)n_pdu,
                                   .octets = s->octets,
                                   .number = s->number,
                                   .sapi = s->sapi,
                                   .nsapi = s->nsapi,
                                   .comp = s->comp};
    *octets = s->octets;
    if (!s->compression)
        return n_pdu;
    if (ms_compression_unpack(s->compression, &in) != COMPRESSION_DONE) {
        s->lost++;
        return NULL;
    }
    *octets = in.octets;
    return in.data;
}

static const uint8_t *receive_ui(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets,
                                 size_t *n_pdu_octets, uint16_t *number)
{
    struct sndcp sndcp;
    size_t info_octets;
    const uint8_t *info = unwrap_llc(s, llc_pdu, octets, &info_octets);
    int header = info ? sndcp_decode(&sndcp, info, info_octets) : -1;

    if (header < 0 || sndcp.nsapi != s->nsapi || (sndcp.comp && !s->compression)) {
        s->bad_frames++;
        return NULL;
    }
    const uint8_t *n_pdu = ms_stack_add(s, &sndcp, info + header, info_octets - (size_t)header);
    if (!n_pdu || sndcp.more)
        return NULL;
    s->is_open = false;
    n_pdu = restore(s, n_pdu, n_pdu_octets);
    s->npdus += n_pdu != NULL;
    *number = s->number;
    return n_pdu;
}

const uint8_t *ms_stack_receive(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets,
                                size_t *n_pdu_octets, uint16_t *number, int64_t now)
{
    struct llc header;
    s->llc_frames++;
    if (ms_offer_take(s, llc_pdu, octets))
        return NULL;
    if (!is_of_link(s, &header, llc_pdu, octets))
        return receive_ui(s, llc_pdu, octets, n_pdu_octets, number);
    if (!ms_link_receive(s->link, &header, llc_pdu, octets, now))
        s->bad_frames++;
    return ms_stack_receive_more(s, n_pdu_octets, number, now);
}

static bool send_acknowledged(struct ms_stack *s, const uint8_t *n_pdu, size_t octets, int64_t now)
{
    return octets <= MS_STACK_NPDU_OCTETS && ms_link_put(s->link, n_pdu, octets, now);
}

/* An N-PDU as it leaves. */
static void send_segments(struct ms_stack *s, const struct compression_n_pdu *n_pdu, ms_stack_send_fn *send,
                          void *arg)
{
    uint8_t frame[MS_STACK_LLC_OCTETS];
    int segments = sndcp_segments(n_pdu->octets, s->n201_u);
    for (int i = 0; i < segments; i++) {
        size_t share = sndcp_segment_octets(n_pdu->octets, s->n201_u, (unsigned)i);
        uint32_t count = llc_entity_take(&s->llc);
        struct llc llc = {
            .sapi = s->sapi, .pm = true, .e = s->key.algorithm != 0, .nu = llc_entity_nu(count)};
        struct sndcp sndcp = {
            .n_pdu_number = s->next_number,
            .nsapi = s->nsapi,
            .segment = (uint8_t)i,
            .comp = i == 0 ? n_pdu->comp : 0,
            .first = i == 0,
            .more = i + 1 < segments,
        };
        size_t at = (size_t)llc_ui_encode(frame, sizeof(frame), &llc);
        at += (size_t)sndcp_encode(frame + at, sizeof(frame) - at, &sndcp);
        memcpy(frame + at, n_pdu->data + sndcp_segment_offset(s->n201_u, (unsigned)i), share);
        at += share;
        llc_fcs_put(frame + at, llc_fcs(frame, at));
        at += LLC_FCS_OCTETS;
        if (llc.e)
            cipher(s, frame, at, count, GEA_UPLINK);
        send(arg, frame, at);
    }
    s->next_number = (s->next_number + 1) % SNDCP_NPDU_MODULUS;
}

static bool send_ui(struct ms_stack *s, const uint8_t *n_pdu, size_t octets, ms_stack_send_fn *send,
                    void *arg)
{
    struct compression_n_pdu out = {.data = (uint8_t *)(uintptr_t)n_pdu,
                                    .octets = (uint16_t)octets,
                                    .sapi = s->sapi,
                                    .nsapi = s->nsapi,
                                    .is_ip = true};
    if (octets > MS_STACK_NPDU_OCTETS || sndcp_segments(octets, s->n201_u) < 0)
        return false;
    if (s->compression)
        ms_compression_pack(s->compression, &out);
    send_segments(s, &out, send, arg);
    return true;
}

bool ms_stack_send(struct ms_stack *s, const uint8_t *n_pdu, size_t octets, ms_stack_send_fn *send, void *arg,
                   int64_t now)
{
    if (!s->link)
        return send_ui(s, n_pdu, octets, send, arg);
    bool is_sent = send_acknowledged(s, n_pdu, octets, now);
    ms_link_step(s->link, now, send, arg);
    return is_sent;
}
