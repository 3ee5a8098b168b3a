/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/abm/link.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_xid.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_LLC_OCTETS = 1543, /* of an LLC-PDU that BSSs take */
    M_OCTETS = 16,
};

#define DECISECOND_NS INT64_C(100000000)

static uint32_t least(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static uint32_t most(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

/* Of two limits; 0: no limit. */
static uint16_t stricter(uint16_t one, uint16_t other)
{
    return (uint16_t)(one == 0 ? other : other == 0 ? one : least(one, other));
}

/* --- parameters --- */

static struct link_values defaults_of(uint8_t sapi)
{
    return (struct link_values){.n201_i_octets = (uint16_t)llc_xid_default_get(LLC_XID_N201_I, sapi),
                                .m_down = (uint16_t)llc_xid_default_get(LLC_XID_M_D, sapi),
                                .m_up = (uint16_t)llc_xid_default_get(LLC_XID_M_U, sapi),
                                .t200_ds = (uint16_t)llc_xid_default_get(LLC_XID_T200, sapi),
                                .k_down = (uint8_t)llc_xid_default_get(LLC_XID_K_D, sapi),
                                .k_up = (uint8_t)llc_xid_default_get(LLC_XID_K_U, sapi),
                                .n200 = (uint8_t)llc_xid_default_get(LLC_XID_N200, sapi)};
}

/* Sizes are negotiated downwards, T200 and N200 upwards (clause 8.5.3.2). */
static struct link_values bounded(const struct link_values *by, const struct link_values *values)
{
    struct link_values v = {
        .n201_i_octets = (uint16_t)least(values->n201_i_octets, by->n201_i_octets),
        .m_down = stricter(values->m_down, by->m_down),
        .m_up = stricter(values->m_up, by->m_up),
        .t200_ds = (uint16_t)most(values->t200_ds, by->t200_ds),
        .k_down = (uint8_t)least(values->k_down, by->k_down),
        .k_up = (uint8_t)least(values->k_up, by->k_up),
        .n200 = (uint8_t)most(values->n200, by->n200),
    };
    uint16_t whole = (uint16_t)((v.n201_i_octets + M_OCTETS - 1) / M_OCTETS); /* m holds one frame */
    v.m_down = v.m_down ? (uint16_t)most(v.m_down, whole) : 0;
    v.m_up = v.m_up ? (uint16_t)most(v.m_up, whole) : 0;
    return v;
}

static struct link_values told_by(const struct llc_xid *xid, const struct link_values *otherwise)
{
    const uint32_t rest[LLC_XID_TYPES] = {
        [LLC_XID_T200] = otherwise->t200_ds,
        [LLC_XID_N200] = otherwise->n200,
        [LLC_XID_N201_I] = otherwise->n201_i_octets,
        [LLC_XID_M_D] = otherwise->m_down,
        [LLC_XID_M_U] = otherwise->m_up,
        [LLC_XID_K_D] = otherwise->k_down,
        [LLC_XID_K_U] = otherwise->k_up,
    };
    uint32_t told[LLC_XID_TYPES];
    for (unsigned type = 0; type < LLC_XID_TYPES; type++)
        told[type] = xid->has >> type & 1 ? xid->value[type] : rest[type];
    return (struct link_values){.n201_i_octets = (uint16_t)told[LLC_XID_N201_I],
                                .m_down = (uint16_t)told[LLC_XID_M_D],
                                .m_up = (uint16_t)told[LLC_XID_M_U],
                                .t200_ds = (uint16_t)told[LLC_XID_T200],
                                .k_down = (uint8_t)told[LLC_XID_K_D],
                                .k_up = (uint8_t)told[LLC_XID_K_U],
                                .n200 = (uint8_t)told[LLC_XID_N200]};
}

static void take_iov(struct link *l, const struct llc_xid *xid)
{
    if (!l->kind->is_network && xid->has >> LLC_XID_IOV_I & 1)
        l->iov_i = xid->value[LLC_XID_IOV_I];
}

static void renew_iov(struct link *l)
{
    if (l->kind->new_iov)
        l->iov_i = l->kind->new_iov(l->kind->arg, l);
}

/* --- states --- */

unsigned link_send_slots(const struct link_kind *kind)
{
    return abm_slots(kind->is_network ? kind->values.k_down : kind->values.k_up);
}

unsigned link_receive_slots(const struct link_kind *kind)
{
    return abm_slots(kind->is_network ? kind->values.k_up : kind->values.k_down);
}

void link_init(struct link *l, const struct link_kind *kind, uint8_t sapi, struct abm_sent *sent,
               void **stored)
{
    *l = (struct link){.kind = kind, .sapi = sapi, .due_ns = MOMENT_NEVER, .values = defaults_of(sapi)};
    l->abm.sent = sent;
    l->abm.stored = stored;
    l->iov_i = llc_xid_default_get(LLC_XID_IOV_I, sapi);
}

struct link_values link_asked(const struct link *l)
{
    struct link_values values = l->kind->values;
    values.n201_i_octets = l->abm.params.n201_i_octets;
    return values;
}

void link_start_t200(struct link *l, int64_t now)
{
    const struct link_values *v = l->state == LINK_ABM ? &l->values : &l->kind->values;
    l->due_ns = moment_add(now, v->t200_ds * DECISECOND_NS);
}

static void link_hold(const struct link *l, struct n_pdu *n_pdu)
{
    l->kind->hold(l->kind->arg, n_pdu);
}

static void let_go(const struct link *l, struct n_pdu *n_pdu)
{
    l->kind->let_go(l->kind->arg, n_pdu);
}

static void unpack(const struct link *l, struct n_pdu *n_pdu)
{
    if (n_pdu->comp == 0)
        return;
    l->kind->unpack(l->kind->arg, n_pdu);
    n_pdu->sent_octets = n_pdu->octets;
}

static bool is_whole(const struct n_pdu *n_pdu)
{
    return n_pdu->sent_octets == n_pdu->octets;
}

/* An unconfirmed N-PDU is to be sent again from the queue; one of which further segments come with the last
 * of these. */
static void offer_again(struct link *l, struct n_pdu_list *again, struct n_pdu *n_pdu)
{
    if (n_pdu == l->queue.head || n_pdu->is_void)
        return;
    if (is_whole(n_pdu)) {
        unpack(l, n_pdu);
        link_hold(l, n_pdu);
        n_pdu_list_put(again, n_pdu);
    }
}

/* Takes all frames back. N-PDUs of those that are not confirmed go to the head of the queue. Segments of one
 * N-PDU are next to each other. */
static void take_back(struct link *l)
{
    struct n_pdu_list again = {0};
    struct n_pdu *last = NULL, *n_pdu;
    void *frame;
    for (uint32_t sent = l->abm.vs - l->abm.confirmed; sent > 0; sent--) {
        n_pdu = abm_drop_take(&l->abm);
        if (n_pdu != last)
            offer_again(l, &again, n_pdu);
        last = n_pdu;
        let_go(l, n_pdu);
    }
    while ((frame = abm_drop_take(&l->abm)))
        l->kind->drop(l->kind->arg, frame);
    while ((n_pdu = n_pdu_list_take(&l->queue))) {
        unpack(l, n_pdu);
        n_pdu_list_put(&again, n_pdu);
    }
    l->queue = again;
    l->offset = 0;
    l->midway = 0;
}

static void link_end(struct link *l)
{
    l->state = LINK_ADM;
    l->owes &= (uint8_t) ~(LINK_OWES_SABM | LINK_OWES_DISC);
    l->due_ns = MOMENT_NEVER;
    l->is_crossed = false;
}

void link_empty(struct link *l, struct n_pdu_list *unconfirmed)
{
    struct n_pdu *n_pdu;
    take_back(l);
    while ((n_pdu = n_pdu_list_take(&l->queue)))
        if (unconfirmed)
            n_pdu_list_put(unconfirmed, n_pdu);
        else
            let_go(l, n_pdu);
    l->owes = 0;
    link_end(l);
}

/* Nothing will be sent in acknowledged mode for now. The caller may put N-PDUs again and ask for it. */
static void abandon(struct link *l)
{
    struct n_pdu *n_pdu;
    take_back(l);
    struct n_pdu_list all = l->queue;
    l->queue = (struct n_pdu_list){0};
    link_end(l);
    while ((n_pdu = n_pdu_list_take(&all)))
        l->kind->abandon(l->kind->arg, n_pdu);
}

static void set_up(struct link *l, int64_t now)
{
    take_back(l);
    renew_iov(l);
    l->state = LINK_SETUP;
    l->abm.params.n201_i_octets = l->kind->values.n201_i_octets;
    l->owes = (uint8_t)((l->owes & ~LINK_OWES_DM_UNASKED) | LINK_OWES_SABM);
    l->tries = 0;
    l->is_crossed = false;
    link_start_t200(l, now);
}

static void open_link(struct link *l)
{
    const struct link_values *v = &l->values;
    bool is_network = l->kind->is_network;
    uint32_t spare = MOST_LLC_OCTETS - LLC_I_OCTETS - 1 - LLC_FCS_OCTETS - v->n201_i_octets;
    struct abm_params params = {
        .send_octets = (uint32_t)M_OCTETS * (is_network ? v->m_down : v->m_up),
        .n201_i_octets = v->n201_i_octets,
        .k_send = is_network ? v->k_down : v->k_up,
        .k_receive = is_network ? v->k_up : v->k_down,
        .n200 = v->n200,
        .sapi = l->sapi,
        .i_bitmap_octets = (uint8_t)least(spare, LLC_ABM_BITMAP_MAX_OCTETS),
        .is_network = is_network,
    };
    int status = abm_init(&l->abm, &params, l->abm.sent, l->abm.stored);
    assert(status == 0);
    (void)status;
    for (unsigned i = 0; i < LINK_NSAPIS; i++)
        sn_receive_established(&l->in[i]);
    l->state = LINK_ABM;
    l->due_ns = MOMENT_NEVER;
    l->is_crossed = l->is_refusing = false;
    l->kind->opened(l->kind->arg, l);
}

/* Acknowledged mode has failed. */
static void restart(struct link *l, int64_t now)
{
    l->kind->failed(l->kind->arg, l);
    set_up(l, now);
}

void link_renew(struct link *l, int64_t now)
{
    if (l->state == LINK_ABM || l->state == LINK_SETUP)
        set_up(l, now);
}

void link_take(struct link *l, unsigned nsapi, struct n_pdu_list *out, int64_t now)
{
    struct n_pdu *n_pdu;
    link_renew(l, now);
    struct n_pdu_list all = l->queue;
    l->queue = (struct n_pdu_list){0};
    while ((n_pdu = n_pdu_list_take(&all)))
        n_pdu_list_put(n_pdu->number >> 8 == nsapi ? out : &l->queue, n_pdu);
}

void link_establish(struct link *l, int64_t now)
{
    if (l->state == LINK_ADM)
        set_up(l, now);
}

void link_release(struct link *l, int64_t now)
{
    bool is_known = l->state == LINK_ABM || l->state == LINK_SETUP;
    link_empty(l, NULL);
    l->is_done = !is_known;
    if (!is_known)
        return;
    l->state = LINK_RELEASE;
    l->owes = LINK_OWES_DISC;
    l->tries = 0;
    link_start_t200(l, now);
}

/* After each change: what is confirmed, T201, failures. */
void link_settle(struct link *l, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = abm_confirm_take(&l->abm)))
        let_go(l, n_pdu);
    enum abm_timer timer = abm_timer_take(&l->abm);
    if (timer == ABM_TIMER_START)
        link_start_t200(l, now);
    else if (timer == ABM_TIMER_STOP)
        l->due_ns = MOMENT_NEVER;
    if (l->abm.failure)
        restart(l, now);
}

/* --- receiving --- */

static void receive_sabm(struct link *l, const struct llc_xid *xid, int64_t now)
{
    if (l->state == LINK_RELEASE) {
        l->owes |= LINK_OWES_DM;
        return;
    }
    struct link_values told = told_by(xid, &l->values);
    l->values = bounded(&l->kind->values, &told);
    take_iov(l, xid);
    if (l->state == LINK_SETUP && l->tries > 0) {
        l->owes = (uint8_t)((l->owes & (LINK_OWES_FRMR | LINK_OWES_SABM)) | LINK_OWES_UA);
        l->is_crossed = true;
        return;
    }
    take_back(l);
    renew_iov(l);
    l->owes = LINK_OWES_UA;
    open_link(l);
}

/* A UA that comes before the question has gone answers an earlier one. */
static void receive_ua(struct link *l, const struct llc_xid *xid, int64_t now)
{
    if (l->state != LINK_ABM && l->tries == 0)
        return;
    if (l->state == LINK_RELEASE) {
        l->is_done = true;
        link_end(l);
    } else if (l->state == LINK_ABM) {
        restart(l, now);
    } else if (l->state == LINK_SETUP) {
        take_iov(l, xid);
        struct link_values asked = link_asked(l), told = told_by(xid, &asked);
        l->values = bounded(&asked, &told);
        l->owes &= (uint8_t)~LINK_OWES_SABM;
        open_link(l);
    }
}

static void receive_disc(struct link *l)
{
    l->owes = l->state == LINK_ABM || l->state == LINK_RELEASE ? LINK_OWES_UA_END : LINK_OWES_DM;
    l->is_done = l->state == LINK_RELEASE;
    if (l->state != LINK_ADM)
        abandon(l);
}

/* It refuses, or, without being asked, has lost the link. */
static void receive_dm(struct link *l, bool is_final, int64_t now)
{
    if (l->state != LINK_ABM && l->tries == 0)
        return;
    if (l->state == LINK_RELEASE) {
        l->is_done = true;
        link_end(l);
    } else if (l->state == LINK_SETUP && is_final) {
        l->is_refusing = true;
        l->kind->failed(l->kind->arg, l);
        abandon(l);
    } else if (l->state == LINK_ABM && !is_final) {
        restart(l, now);
    }
}

static bool is_command(const struct link *l, const struct llc *header)
{
    return header->cr != l->kind->is_network;
}

void link_receive_u(struct link *l, const struct llc *header, const uint8_t *info, int64_t now)
{
    struct llc_xid xid = {0};
    bool is_asked = is_command(l, header) && header->pf, is_answer = !is_command(l, header);
    if ((header->command == LLC_SABM || header->command == LLC_UA) && header->info_octets > 0 &&
        llc_xid_decode(&xid, info, header->info_octets) < 0)
        return;
    if (header->command == LLC_SABM && is_asked)
        receive_sabm(l, &xid, now);
    else if (header->command == LLC_DISC && is_asked)
        receive_disc(l);
    else if (header->command == LLC_UA && is_answer && header->pf)
        receive_ua(l, &xid, now);
    else if (header->command == LLC_DM && is_answer)
        receive_dm(l, header->pf, now);
    else if (header->command == LLC_FRMR && is_answer && l->state == LINK_ABM)
        restart(l, now);
}

/* Of a rejected frame: the bitmap belongs to it. */
static uint32_t control_octets(const uint8_t *bytes, size_t octets)
{
    if (bytes[1] >= 0xe0)
        return LLC_U_OCTETS - 1;
    bool is_s = bytes[1] >= 0x80, is_sack = octets >= LLC_S_OCTETS && (bytes[2] & 3) == LLC_SACK;
    return is_s && !is_sack ? LLC_S_OCTETS - 1 : LLC_FRMR_CONTROL_OCTETS;
}

void link_refuse(struct link *l, const uint8_t *bytes, size_t octets, uint8_t why, int64_t now)
{
    if (l->state != LINK_ABM || octets < LLC_U_OCTETS)
        return;
    memset(l->refused, 0, sizeof l->refused);
    memcpy(l->refused, bytes + 1, least((uint32_t)octets - 1, control_octets(bytes, octets)));
    l->is_refused_response = !!(bytes[0] & LLC_ADDRESS_CR) == l->kind->is_network;
    l->why = why;
    l->owes |= LINK_OWES_FRMR;
    restart(l, now);
}

static void refuse_header(struct link *l, const struct llc_abm *header, uint8_t why)
{
    uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS] = {0};
    int octets = llc_abm_encode(bytes, sizeof bytes, header);
    assert(octets > 0);
    memcpy(l->refused, bytes + 1, sizeof l->refused);
    l->is_refused_response = header->cr == l->kind->is_network;
    l->why = why;
    l->owes |= LINK_OWES_FRMR;
}

struct abm_taken link_receive(struct link *l, const struct llc_abm *header, void *frame, uint32_t octets,
                              int64_t now)
{
    struct abm_taken taken = {.fate = ABM_FATE_REFUSED};
    if (l->state != LINK_ABM) {
        if (l->state == LINK_ADM)
            l->owes |= LINK_OWES_DM_UNASKED;
        return taken;
    }
    taken = abm_receive(&l->abm, header, frame, octets);
    if (taken.why)
        refuse_header(l, header, taken.why);
    link_settle(l, now);
    return taken;
}

/* --- time and change --- */

static void t200_out(struct link *l, int64_t now)
{
    if (l->tries <= l->kind->values.n200) {
        l->owes |= l->state == LINK_SETUP ? LINK_OWES_SABM : LINK_OWES_DISC;
        link_start_t200(l, now);
        return;
    }
    if (l->state == LINK_SETUP) {
        l->is_refusing = true;
        l->kind->failed(l->kind->arg, l);
    }
    l->is_done = l->state == LINK_RELEASE;
    abandon(l);
}

void link_expire(struct link *l, int64_t now)
{
    if (l->due_ns > now)
        return;
    l->due_ns = MOMENT_NEVER;
    if (l->state != LINK_ABM) {
        t200_out(l, now);
        return;
    }
    abm_t201(&l->abm);
    link_settle(l, now);
}

void link_pause(struct link *l, int64_t now)
{
    if (l->due_ns != MOMENT_NEVER)
        link_start_t200(l, now);
}

void link_lost(struct link *l, bool is_all)
{
    if (l->state != LINK_ABM)
        return;
    if (is_all)
        abm_repeat_all(&l->abm);
    else
        abm_ask(&l->abm);
}

static bool is_of(const struct n_pdu *n_pdu, unsigned nsapi)
{
    return n_pdu->number >> 8 == (int)nsapi;
}

/* N-PDUs in frames of a context that is gone. */
static void forget_sent(struct link *l, unsigned nsapi)
{
    for (uint32_t count = l->abm.confirmed; count != l->abm.vs; count++) {
        struct n_pdu *n_pdu = l->abm.sent[count & l->abm.send_mask].frame;
        n_pdu->is_void |= is_of(n_pdu, nsapi);
    }
    if (l->midway == nsapi)
        l->midway = 0;
}

void link_forget(struct link *l, unsigned nsapi)
{
    struct n_pdu_list others = {0};
    struct n_pdu *n_pdu, *head = l->queue.head;
    forget_sent(l, nsapi);
    while ((n_pdu = n_pdu_list_take(&l->queue))) {
        if (!is_of(n_pdu, nsapi)) {
            n_pdu_list_put(&others, n_pdu);
            continue;
        }
        l->offset = n_pdu == head ? 0 : l->offset;
        let_go(l, n_pdu);
    }
    l->queue = others;
    l->next_number[nsapi - LINK_NSAPI_MIN] = 0;
    l->in[nsapi - LINK_NSAPI_MIN] = (struct sn_receive){0};
}

void link_continue(struct link *l, unsigned nsapi, uint8_t send, uint8_t receive)
{
    l->next_number[nsapi - LINK_NSAPI_MIN] = send;
    l->in[nsapi - LINK_NSAPI_MIN] = (struct sn_receive){.number = receive, .is_recovering = true};
}

static bool is_confirmed(const struct n_pdu *n_pdu, unsigned nsapi, uint8_t number)
{
    return n_pdu->is_numbered && is_of(n_pdu, nsapi) && sn_is_before((uint8_t)n_pdu->number, number);
}

unsigned link_confirm(struct link *l, unsigned nsapi, uint8_t number)
{
    struct n_pdu_list others = {0};
    uint8_t *next = &l->next_number[nsapi - LINK_NSAPI_MIN];
    unsigned confirmed = 0;
    struct n_pdu *n_pdu, *begun = l->offset > 0 ? l->queue.head : NULL;
    for (uint32_t count = l->abm.confirmed; count != l->abm.vs; count++) {
        n_pdu = l->abm.sent[count & l->abm.send_mask].frame;
        n_pdu->is_void |= is_confirmed(n_pdu, nsapi, number);
    }
    while ((n_pdu = n_pdu_list_take(&l->queue))) {
        if (n_pdu == begun || !is_confirmed(n_pdu, nsapi, number)) {
            n_pdu_list_put(&others, n_pdu);
            continue;
        }
        let_go(l, n_pdu);
        confirmed++;
    }
    l->queue = others;
    if (sn_is_before(*next, number))
        *next = number;
    return confirmed;
}

void link_bound(struct link *l, const struct link_values *by)
{
    l->values = bounded(by, &l->values);
    if (l->state != LINK_ABM)
        return;
    bool is_network = l->kind->is_network;
    l->abm.params.k_send = is_network ? l->values.k_down : l->values.k_up;
    l->abm.params.send_octets = (uint32_t)M_OCTETS * (is_network ? l->values.m_down : l->values.m_up);
    l->abm.params.n200 = l->values.n200;
}
