/* SPDX-License-Identifier: BSD-3-Clause */
/* The sending side of an LLC link in acknowledged mode: N-PDUs to I frames. */
#include "dataplane/abm/link.h"
#include "dataplane/wire/llc_xid.h"

#include <assert.h>

enum {
    U_MOST_OCTETS = 48, /* of a U frame with its parameters */
    S_MOST_OCTETS = LLC_S_OCTETS + LLC_ABM_BITMAP_MAX_OCTETS + LLC_FCS_OCTETS,
};

/* --- U frames --- */

/* The parameters of a SABM, or of the UA that answers one. */
static size_t put_parameters(const struct link *l, const struct link_values *v, uint8_t *bytes, size_t cap)
{
    struct llc_xid xid = {.has = 1U << LLC_XID_T200 | 1U << LLC_XID_N200 | 1U << LLC_XID_N201_I |
                                 1U << LLC_XID_M_D | 1U << LLC_XID_M_U | 1U << LLC_XID_K_D |
                                 1U << LLC_XID_K_U};
    if (l->kind->new_iov)
        xid.has |= 1U << LLC_XID_IOV_I;
    xid.value[LLC_XID_IOV_I] = l->iov_i;
    xid.value[LLC_XID_T200] = v->t200_ds;
    xid.value[LLC_XID_N200] = v->n200;
    xid.value[LLC_XID_N201_I] = v->n201_i_octets;
    xid.value[LLC_XID_M_D] = v->m_down;
    xid.value[LLC_XID_M_U] = v->m_up;
    xid.value[LLC_XID_K_D] = v->k_down;
    xid.value[LLC_XID_K_U] = v->k_up;
    int octets = llc_xid_encode(bytes, cap, &xid);
    assert(octets > 0);
    return (size_t)octets;
}

bool link_can_send(const struct link *l, unsigned frames, uint32_t octets)
{
    const struct abm *a = &l->abm;
    bool has_turn = !l->queue.head || l->midway;
    if (l->state != LINK_ABM || l->owes || !has_turn || a->failure || a->is_peer_busy)
        return false;
    uint32_t limit = a->params.send_octets;
    return a->vs - a->va + frames <= a->params.k_send && a->vs - a->confirmed + frames <= a->send_mask + 1U &&
           (limit == 0 || a->octets_out + octets <= limit);
}

static void put_u(const struct link *l, struct link_frame *out, enum llc_command command, bool is_asking,
                  bool pf)
{
    const struct llc header = {.format = LLC_U,
                               .sapi = l->sapi,
                               .command = (uint8_t)command,
                               .cr = is_asking == l->kind->is_network,
                               .pf = pf};
    *out = (struct link_frame){0};
    int octets = llc_encode(out->header, sizeof out->header, &header);
    assert(octets == LLC_U_OCTETS);
    out->header_octets = (uint8_t)octets;
}

static void put_with_parameters(const struct link *l, struct link_frame *out, enum llc_command command)
{
    bool is_asking = command == LLC_SABM;
    put_u(l, out, command, is_asking, true);
    struct link_values values = is_asking ? link_asked(l) : l->values;
    size_t octets = put_parameters(l, &values, out->header + LLC_U_OCTETS, sizeof out->header - LLC_U_OCTETS);
    out->header_octets += (uint8_t)octets;
}

static void put_frmr(const struct link *l, struct link_frame *out)
{
    struct llc_frmr frmr = {.cr = l->is_refused_response,
                            .why = l->why,
                            .vs = l->abm.vs % LLC_NU_MODULUS,
                            .vr = l->abm.vr % LLC_NU_MODULUS};
    memcpy(frmr.control, l->refused, sizeof frmr.control);
    put_u(l, out, LLC_FRMR, false, false);
    int octets = llc_frmr_encode(out->header + LLC_U_OCTETS, sizeof out->header - LLC_U_OCTETS, &frmr);
    assert(octets == LLC_FRMR_OCTETS);
    out->header_octets += (uint8_t)octets;
}

static void put_answer(const struct link *l, struct link_frame *out, uint8_t bit)
{
    if (bit == LINK_OWES_FRMR)
        put_frmr(l, out);
    else if (bit == LINK_OWES_UA)
        put_with_parameters(l, out, LLC_UA);
    else
        put_u(l, out, bit == LINK_OWES_UA_END ? LLC_UA : LLC_DM, false, bit != LINK_OWES_DM_UNASKED);
}

/* The U frame that is owed; answers go before questions. */
static void take_u(struct link *l, int64_t now, struct link_frame *out)
{
    uint8_t bit = (uint8_t)(l->owes & -l->owes);
    l->owes &= (uint8_t)~bit;
    if (bit != LINK_OWES_SABM && bit != LINK_OWES_DISC) {
        put_answer(l, out, bit);
        return;
    }
    if (bit == LINK_OWES_SABM && l->is_crossed && l->kind->new_iov)
        l->iov_i = l->kind->new_iov(l->kind->arg, l); /* UA has told the former one: it may be in use */
    l->tries++;
    link_start_t200(l, now);
    if (bit == LINK_OWES_SABM)
        put_with_parameters(l, out, LLC_SABM);
    else
        put_u(l, out, LLC_DISC, true, true);
}

/* LLC and SNDCP headers of an I frame. */
static void put_i(const struct link *l, const struct llc_abm *header, const struct link_segment *segment,
                  struct link_frame *out)
{
    const struct n_pdu *n_pdu = segment->n_pdu;
    struct sn_data sn = {.nsapi = (uint8_t)(n_pdu->number >> 8),
                         .first = segment->offset == 0,
                         .more = segment->offset + segment->payload_octets < n_pdu->octets};
    if (sn.first) {
        sn.number = (uint8_t)n_pdu->number;
        sn.comp = n_pdu->comp;
    }
    int llc = llc_abm_encode(out->header, sizeof out->header, header);
    int behind = sn_data_encode(out->header + llc, sizeof out->header - (size_t)llc, &sn);
    assert(llc > 0 && behind > 0 && header->sapi == l->sapi);
    out->header_octets = (uint8_t)(llc + behind);
    out->clear_octets = (uint8_t)llc;
    out->is_i = true;
    out->is_ack = out->is_repeat = false;
    out->n_pdu = segment->n_pdu;
    out->offset = segment->offset;
    out->payload_octets = segment->payload_octets;
}

static uint16_t sn_octets(uint16_t offset)
{
    return offset == 0 ? SN_DATA_FIRST_OCTETS : SN_DATA_LATER_OCTETS;
}

static void number(struct link *l, struct n_pdu *n_pdu, uint8_t nsapi)
{
    if (n_pdu->is_numbered)
        return;
    n_pdu->is_numbered = true;
    n_pdu->number = (uint16_t)(nsapi << 8 | l->next_number[nsapi - LINK_NSAPI_MIN]++);
}

static void send_new(struct link *l, const struct link_segment *segment, struct link_frame *out)
{
    struct llc_abm header;
    const struct abm_frame frame = {.frame = segment->n_pdu,
                                    .octets =
                                        (uint16_t)(segment->payload_octets + sn_octets(segment->offset)),
                                    .tag = segment->offset,
                                    .is_last = segment->is_last};
    if (!segment->is_given)
        l->kind->hold(l->kind->arg, segment->n_pdu);
    out->count = abm_send(&l->abm, &frame, &header);
    put_i(l, &header, segment, out);
}

void link_send(struct link *l, const struct link_segment *segment, int64_t now, struct link_frame *out)
{
    if (segment->offset == 0)
        number(l, segment->n_pdu, segment->nsapi);
    send_new(l, segment, out);
    bool is_end = segment->offset + segment->payload_octets == segment->n_pdu->octets;
    l->midway = is_end ? 0 : segment->n_pdu->number >> 8;
    link_settle(l, now);
}

/* Payload of the next segment of the queue. */
static uint16_t queue_payload(const struct link *l)
{
    uint32_t room = (uint32_t)l->values.n201_i_octets - sn_octets(l->offset);
    uint32_t left = (uint32_t)l->queue.head->octets - l->offset;
    return (uint16_t)(room < left ? room : left);
}

static bool can_send_queue(const struct link *l)
{
    return l->queue.head && !l->midway && l->state == LINK_ABM &&
           abm_can_send(&l->abm, (uint32_t)queue_payload(l) + sn_octets(l->offset));
}

static void send_from_queue(struct link *l, struct link_frame *out)
{
    struct n_pdu *n_pdu = l->queue.head;
    bool is_sent_again = n_pdu->is_numbered;
    number(l, n_pdu, (uint8_t)(n_pdu->number >> 8));
    if (l->offset == 0 && l->kind->pack && (!is_sent_again || l->kind->packs_again)) {
        l->kind->pack(l->kind->arg, n_pdu);
        n_pdu->sent_octets = n_pdu->octets;
    }
    struct link_segment segment = {.n_pdu = n_pdu, .offset = l->offset, .payload_octets = queue_payload(l)};
    l->offset += segment.payload_octets;
    bool is_end = l->offset == n_pdu->octets;
    segment.is_last = is_end && !n_pdu->next;
    send_new(l, &segment, out);
    if (!is_end)
        return;
    n_pdu_list_take(&l->queue);
    l->offset = 0;
    l->kind->let_go(l->kind->arg, n_pdu);
}

static bool owes_report(const struct link *l)
{
    return l->state == LINK_ABM && !l->abm.failure && (l->abm.owes_report || l->abm.has_poll);
}

unsigned link_next_octets(const struct link *l)
{
    if (l->owes)
        return U_MOST_OCTETS;
    if (l->state != LINK_ABM)
        return 0;
    unsigned info = abm_repeat_octets(&l->abm), header = LLC_I_OCTETS + LLC_FCS_OCTETS + 1U;
    if (info > 0)
        return info + header + l->abm.params.i_bitmap_octets;
    if (can_send_queue(l))
        return queue_payload(l) + sn_octets(l->offset) + header + l->abm.params.i_bitmap_octets;
    return owes_report(l) ? S_MOST_OCTETS : 0;
}

static bool repeat(struct link *l, struct link_frame *out)
{
    struct abm_repeat again;
    if (!abm_repeat_take(&l->abm, !l->queue.head, &again))
        return false;
    struct link_segment segment = {.n_pdu = again.frame,
                                   .offset = again.tag,
                                   .payload_octets = (uint16_t)(again.octets - sn_octets(again.tag))};
    put_i(l, &again.header, &segment, out);
    out->count = again.count;
    out->is_repeat = true;
    return true;
}

static bool report(struct link *l, struct link_frame *out)
{
    struct llc_abm header;
    if (!abm_report_take(&l->abm, &header))
        return false;
    *out = (struct link_frame){.is_ack = true};
    int octets = llc_abm_encode(out->header, sizeof out->header, &header);
    assert(octets > 0);
    out->header_octets = (uint8_t)octets;
    return true;
}

bool link_next(struct link *l, int64_t now, struct link_frame *out)
{
    bool is_sent = true;
    if (l->owes) {
        take_u(l, now, out);
        return true;
    }
    if (l->state != LINK_ABM)
        return false;
    if (!repeat(l, out)) {
        if (!l->abm.failure && can_send_queue(l))
            send_from_queue(l, out);
        else
            is_sent = !l->abm.failure && report(l, out);
    }
    link_settle(l, now);
    return is_sent;
}

void link_put(struct link *l, struct n_pdu *n_pdu, uint8_t nsapi)
{
    if (!n_pdu->is_numbered)
        n_pdu->number = (uint16_t)(nsapi << 8);
    if (n_pdu->comp)
        l->kind->unpack(l->kind->arg, n_pdu);
    n_pdu->sent_octets = n_pdu->octets;
    n_pdu_list_put(&l->queue, n_pdu);
}
