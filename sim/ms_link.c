/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/ms_link.h"
#include "sim/ms_compression.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_OCTETS (LLC_ABM_HEADER_MAX_OCTETS + SNDCP_N201_U_MAX_OCTETS + LLC_FCS_OCTETS)

struct ms_link {
    struct link link;
    struct link_kind kind;
    struct ms_stack *stack;
    struct abm_sent *sent;
    void **stored;
    unsigned held;           /* N-PDUs in memory */
    uint16_t octets, number; /* of the N-PDU in reassembly */
    uint8_t comp;
    bool is_old;    /* it was received before */
    bool is_spoilt; /* it is too long, or had no first segment */
    uint8_t n_pdu[MS_STACK_NPDU_OCTETS];
};

/* An uplink N-PDU. */
struct record {
    struct n_pdu n_pdu; /* the first member */
    uint32_t references;
    uint16_t whole_octets;
    uint8_t *image; /* compressed; NULL: it leaves as it is */
    uint8_t octets[];
};

/* The information of a received I frame, in clear. */
struct information {
    uint16_t octets;
    uint8_t bytes[];
};

static void *memory(size_t octets)
{
    void *block = calloc(1, octets);
    if (!block) {
        fprintf(stderr, "gbflow: out of memory for the acknowledged mode of a mobile\n");
        exit(1);
    }
    return block;
}

/* --- N-PDUs --- */

static struct record *record_of(struct n_pdu *n_pdu)
{
    return (struct record *)(void *)n_pdu;
}

static void ms_link_hold(void *unused_arg, struct n_pdu *n_pdu)
{
    record_of(n_pdu)->references++;
}

static void let_go(void *arg, struct n_pdu *n_pdu)
{
    struct ms_link *m = arg;
    struct record *record = record_of(n_pdu);
    assert(record->references > 0);
    if (--record->references)
        return;
    m->held--;
    free(record->image);
    free(record);
}

static void abandon(void *arg, struct n_pdu *n_pdu)
{
    struct ms_link *m = arg;
    m->stack->counts.abandoned++;
    let_go(m, n_pdu);
}

bool ms_link_put(struct ms_link *m, const uint8_t *n_pdu, size_t octets, int64_t now)
{
    if (m->held == MS_STACK_QUEUE_NPDUS) {
        m->stack->counts.queue_full++;
        return false;
    }
    struct record *record = memory(sizeof(*record) + octets);
    record->n_pdu = (struct n_pdu){.data = record->octets, .octets = (uint16_t)octets};
    record->references = 1;
    record->whole_octets = (uint16_t)octets;
    memcpy(record->octets, n_pdu, octets);
    m->held++;
    link_put(&m->link, &record->n_pdu, m->stack->nsapi);
    link_establish(&m->link, now);
    return true;
}

/* --- compression --- */

static void pack(void *arg, struct n_pdu *n_pdu)
{
    struct ms_link *m = arg;
    struct record *record = record_of(n_pdu);
    struct compression_n_pdu out = {.data = record->octets,
                                    .octets = record->whole_octets,
                                    .sapi = m->stack->sapi,
                                    .nsapi = m->stack->nsapi,
                                    .is_acknowledged = true,
                                    .is_ip = true};
    if (!m->stack->compression)
        return;
    ms_compression_pack(m->stack->compression, &out);
    if (out.comp == 0)
        return;
    record->image = memory(out.octets);
    memcpy(record->image, out.data, out.octets);
    n_pdu->data = record->image;
    n_pdu->octets = out.octets;
    n_pdu->comp = out.comp;
}

static void unpack(void *unused_arg, struct n_pdu *n_pdu)
{
    struct record *record = record_of(n_pdu);
    free(record->image);
    record->image = NULL;
    n_pdu->data = record->octets;
    n_pdu->octets = record->whole_octets;
    n_pdu->comp = 0;
}

/* --- the link --- */

static void drop(void *unused_arg, void *frame)
{
    free(frame);
}

static void opened(void *arg, struct link *unused_link)
{
    struct ms_link *m = arg;
    m->stack->counts.established++;
    if (m->stack->compression)
        ms_compression_restart(m->stack->compression, m->stack->sapi);
}

static void failed(void *arg, struct link *unused_link)
{
    struct ms_link *m = arg;
    m->stack->counts.failed++;
}

struct ms_link *ms_link_new(struct ms_stack *s, const struct link_values *values)
{
    struct ms_link *m = memory(sizeof(*m));
    m->stack = s;
    m->kind = (struct link_kind){.values = *values,
                                 .hold = ms_link_hold,
                                 .let_go = let_go,
                                 .abandon = abandon,
                                 .opened = opened,
                                 .failed = failed,
                                 .drop = drop,
                                 .pack = pack,
                                 .unpack = unpack,
                                 .arg = m};
    m->sent = memory(link_send_slots(&m->kind) * sizeof(*m->sent));
    m->stored = memory(link_receive_slots(&m->kind) * sizeof(*m->stored));
    link_init(&m->link, &m->kind, s->sapi, m->sent, m->stored);
    return m;
}

void ms_link_free(struct ms_link *m)
{
    if (!m)
        return;
    link_empty(&m->link, NULL);
    assert(m->held == 0);
    free(m->sent);
    free(m->stored);
    free(m);
}

void ms_link_restart(struct ms_link *m, int64_t now)
{
    struct n_pdu_list unconfirmed = {0};
    struct n_pdu *n_pdu;
    link_empty(&m->link, &unconfirmed);
    while ((n_pdu = n_pdu_list_take(&unconfirmed)))
        link_put(&m->link, n_pdu, m->stack->nsapi);
    if (m->link.queue.head)
        link_establish(&m->link, now);
}

uint8_t ms_link_expected(const struct ms_link *m)
{
    return m->link.in[m->stack->nsapi - LINK_NSAPI_MIN].number;
}

void ms_link_confirm(struct ms_link *m, uint8_t number)
{
    (void)link_confirm(&m->link, m->stack->nsapi, number);
}

int64_t ms_link_due_ns(const struct ms_link *m)
{
    return link_next_octets(&m->link) > 0 ? 0 : m->link.due_ns;
}

void ms_link_pause(struct ms_link *m, int64_t now)
{
    link_pause(&m->link, now);
}

/* --- octets --- */

static void cipher(const struct ms_link *m, uint8_t *bytes, size_t octets, uint32_t count, uint8_t direction)
{
    struct gea_job job = {
        .key = m->stack->key.key,
        .data = bytes,
        .input = m->link.iov_i + count,
        .octets = (uint16_t)octets,
        .direction = direction,
    };
    if (m->stack->key.algorithm != 0)
        gea_cipher_burst(m->stack->gea, &job, 1);
}

static size_t put_frame(struct ms_link *m, const struct link_frame *in, uint8_t *frame)
{
    size_t at = in->header_octets;
    memcpy(frame, in->header, at);
    if (in->payload_octets)
        memcpy(frame + at, in->n_pdu->data + in->offset, in->payload_octets);
    at += in->payload_octets;
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    at += LLC_FCS_OCTETS;
    if (in->is_i)
        cipher(m, frame + in->clear_octets, at - in->clear_octets, in->count, GEA_UPLINK);
    return at;
}

void ms_link_step(struct ms_link *m, int64_t now, ms_stack_send_fn *send, void *arg)
{
    struct ms_stack_counts *counts = &m->stack->counts;
    struct link_frame out;
    uint8_t frame[FRAME_OCTETS];
    link_expire(&m->link, now);
    while (link_next_octets(&m->link) > 0) {
        if (!link_next(&m->link, now, &out))
            continue; /* the link has failed, and asks to be established again */
        counts->sent_frames += out.is_i;
        counts->repeated += out.is_i && out.is_repeat;
        send(arg, frame, put_frame(m, &out, frame));
    }
}

/* --- receiving --- */

bool ms_link_is_for(const struct llc *header)
{
    return header->format == LLC_I || header->format == LLC_S ||
           (header->format == LLC_U && header->command != LLC_XID && header->command != LLC_NULL);
}

static bool receive_u(struct ms_link *m, const struct llc *header, const uint8_t *llc_pdu, int64_t now)
{
    if (!llc_fcs_is_right(llc_pdu, header->header_octets, header->info_octets, true))
        return false;
    link_receive_u(&m->link, header, llc_pdu + header->header_octets, now);
    return true;
}

static bool receive_s(struct ms_link *m, const struct llc_abm *header, const uint8_t *llc_pdu, size_t octets,
                      int64_t now)
{
    if (!llc_fcs_is_right(llc_pdu, octets - LLC_FCS_OCTETS, 0, true))
        return false;
    link_receive(&m->link, header, NULL, 0, now);
    return true;
}

static bool receive_i(struct ms_link *m, const struct llc_abm *header, const uint8_t *llc_pdu, size_t octets,
                      int64_t now)
{
    struct ms_stack_counts *counts = &m->stack->counts;
    unsigned clear = llc_abm_octets(header);
    size_t info = octets - clear - LLC_FCS_OCTETS;
    uint8_t frame[FRAME_OCTETS];
    memcpy(frame, llc_pdu, octets);
    cipher(m, frame + clear, octets - clear, abm_count(&m->link.abm, header->ns), GEA_DOWNLINK);
    if (!llc_fcs_is_right(frame, clear, info, true))
        return false;
    struct information *kept = memory(sizeof(*kept) + info);
    kept->octets = (uint16_t)info;
    memcpy(kept->bytes, frame + clear, info);
    struct abm_taken taken = link_receive(&m->link, header, kept, (uint32_t)info, now);
    counts->received_frames++;
    counts->again += taken.fate == ABM_FATE_DUPLICATE;
    if (!taken.is_kept)
        free(kept);
    return true;
}

static bool ms_link_refuse(struct ms_link *m, const uint8_t *llc_pdu, size_t octets, int64_t now)
{
    if (llc_fcs_is_right(llc_pdu, octets - LLC_FCS_OCTETS, 0, true))
        link_refuse(&m->link, llc_pdu, octets - LLC_FCS_OCTETS, LLC_FRMR_W1_CONTROL | LLC_FRMR_W2_INFORMATION,
                    now);
    return false;
}

bool ms_link_receive(struct ms_link *m, const struct llc *header, const uint8_t *llc_pdu, size_t octets,
                     int64_t now)
{
    struct llc_abm abm;
    if (header->format == LLC_U)
        return receive_u(m, header, llc_pdu, now);
    if (octets > FRAME_OCTETS)
        return false;
    if (m->link.state != LINK_ABM && header->format == LLC_I) {
        link_receive(&m->link, &(struct llc_abm){.is_i = true}, NULL, 0,
                     now); /* of no use; answered in ADM */
        return true;
    }
    if (llc_abm_decode(&abm, llc_pdu, octets) < 0)
        return ms_link_refuse(m, llc_pdu, octets, now);
    return abm.is_i ? receive_i(m, &abm, llc_pdu, octets, now) : receive_s(m, &abm, llc_pdu, octets, now);
}

/* Adds a segment to the N-PDU in reassembly. Whether that is whole now. */
static bool ms_link_add(struct ms_link *m, const struct sn_data *sn, const uint8_t *data, size_t octets)
{
    enum sn_fate fate = link_segment_take(&m->link, sn);
    m->stack->counts.npdus_again += fate == SN_AGAIN && sn->first;
    m->is_old = sn_fate_is_old(fate);
    m->stack->counts.npdus_again += m->is_old;
    if (sn_fate_begins(fate)) {
        m->octets = 0;
        m->number = sn->number;
        m->comp = sn->comp;
        m->is_spoilt = false;
    }
    if (fate == SN_AGAIN)
        return false;
    m->is_spoilt |= fate == SN_ERROR || octets > (size_t)MS_STACK_NPDU_OCTETS - m->octets;
    if (m->is_spoilt) {
        m->stack->bad_frames++;
        return false;
    }
    memcpy(m->n_pdu + m->octets, data, octets);
    m->octets += (uint16_t)octets;
    return fate == SN_WHOLE || fate == SN_END || m->is_old;
}

static bool ms_link_take(struct ms_link *m, const struct information *in)
{
    struct sn_data sn;
    int header = sn_data_decode(&sn, in->bytes, in->octets);
    if (header < 0 || sn.nsapi != m->stack->nsapi || (sn.comp && !m->stack->compression)) {
        m->stack->bad_frames++;
        return false;
    }
    return ms_link_add(m, &sn, in->bytes + header, in->octets - (size_t)header);
}

/* Both sides' state differs from now on, unless it was an entity that only the other side has. */
static void lose(struct ms_link *m, enum compression_fate fate, int64_t now)
{
    m->stack->lost++;
    if (fate == COMPRESSION_NO_ENTITY)
        return;
    m->stack->counts.renewed++;
    link_renew(&m->link, now);
}

/* The N-PDU as its host sees it; NULL: it is lost, or was received before. */
static const uint8_t *restore(struct ms_link *m, size_t *octets, int64_t now)
{
    struct compression_n_pdu in = {.data = m->n_pdu,
                                   .octets = m->octets,
                                   .number = m->number,
                                   .sapi = m->stack->sapi,
                                   .nsapi = m->stack->nsapi,
                                   .comp = m->comp,
                                   .is_acknowledged = true};
    enum compression_fate fate =
        m->stack->compression ? ms_compression_unpack(m->stack->compression, &in) : COMPRESSION_DONE;
    if (fate != COMPRESSION_DONE) {
        lose(m, fate, now);
        return NULL;
    }
    *octets = in.octets;
    return m->is_old ? NULL : in.data;
}

const uint8_t *ms_link_deliver_take(struct ms_link *m, size_t *n_pdu_octets, uint16_t *number, int64_t now)
{
    struct information *in;
    const uint8_t *n_pdu = NULL;
    while (!n_pdu && (in = link_deliver_take(&m->link))) {
        if (ms_link_take(m, in))
            n_pdu = restore(m, n_pdu_octets, now);
        free(in);
    }
    *number = m->number;
    return n_pdu;
}
