/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/worker/gb_frame.h"

#include "dataplane/crypto/kasumi.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

static const uint8_t imsi[] = {0x29, 0x62, 0x02, 0x10, 0x32, 0x54, 0x76, 0x98};

static uint8_t *put(uint8_t *at, uint64_t value, unsigned octets)
{
    for (unsigned i = octets; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
    return at + octets;
}

static uint8_t *copy(uint8_t *at, const uint8_t *bytes, size_t octets)
{
    memcpy(at, bytes, octets);
    return at + octets;
}

uint32_t gb_frame_fcs(const uint8_t *bytes, size_t octets)
{
    uint32_t state = 0xffffff;
    for (size_t bit = 0; bit < 8 * octets; bit++) {
        uint32_t in = (state ^ (uint32_t)bytes[bit / 8] >> bit % 8) & 1;
        state = state >> 1 ^ (in ? 0xad85dd : 0);
    }
    return ~state & 0xffffff;
}

static uint8_t *put_fcs(uint8_t *at, uint32_t fcs)
{
    *at++ = (uint8_t)fcs;
    *at++ = (uint8_t)(fcs >> 8);
    *at++ = (uint8_t)(fcs >> 16);
    return at;
}

/* Information and FCS of a UI frame. */
static void cipher(const struct gb_frame_cipher *c, uint8_t *llc, size_t octets, uint16_t nu,
                   uint8_t direction)
{
    struct gea_job job = {c->key, llc + 3, c->input + nu, (uint16_t)(octets - 3), direction};
    if (c->is_on)
        kasumi_sliced_cipher(&job, 1);
}

/* --- transport --- */

struct ends {
    uint64_t dst_mac, src_mac;
    uint32_t src_ip, dst_ip;
    uint16_t src_port, dst_port, ip_id;
};

static uint8_t *put_transport(uint8_t *out, const struct ends *e, size_t octets)
{
    uint8_t *at = put(put(out, e->dst_mac, 6), e->src_mac, 6), *ip = at + 2;

    at = put(at, 0x08004500, 4);
    at = put(at, octets + 28, 2);
    at = put(at, e->ip_id, 2);
    at = put(at, 0, 2);
    at = put(at, 0x4011, 2);
    at = put(at, 0, 2);
    at = put(at, e->src_ip, 4);
    at = put(at, e->dst_ip, 4);
    gn_frame_sum_ip(ip);
    at = put(at, e->src_port, 2);
    at = put(at, e->dst_port, 2);
    at = put(at, octets + 8, 2);
    return put(at, 0, 2);
}

size_t gb_frame_wrap(uint8_t *out, uint8_t nsvc, const uint8_t *ns_pdu, size_t octets)
{
    const struct ends up = {0x020000000101,
                            0x020000000102,
                            KIT_BSS_IP,
                            KIT_GB_IP,
                            (uint16_t)(KIT_BSS_PORT + nsvc),
                            KIT_GB_PORT,
                            7};
    return (size_t)(copy(put_transport(out, &up, octets), ns_pdu, octets) - out);
}

size_t gb_frame_wrap_down(uint8_t *out, uint16_t ip_id, const uint8_t *ns_pdu, size_t octets)
{
    const struct ends down = {0x020000000102, 0x020000000101, KIT_GB_IP, KIT_BSS_IP,
                              KIT_GB_PORT,    KIT_BSS_PORT,   ip_id};
    return (size_t)(copy(put_transport(out, &down, octets), ns_pdu, octets) - out);
}

/* --- downlink --- */

static uint8_t *put_downlink_llc(uint8_t *at, const struct gb_frame_downlink *d, unsigned index, bool last)
{
    at = put(at, 0x40u | (d->sapi ? d->sapi : KIT_SAPI), 1);
    at = put(at, 0xc000u | (unsigned)d->nu << 2 | (unsigned)d->cipher.is_on << 1 | !d->is_pm0, 2);
    at = put(at, 0x20 | (index == 0) << 6 | !last << 4 | (d->nsapi ? d->nsapi : KIT_NSAPI), 1);
    if (index == 0)
        at = put(at, 0, 1);
    return put(at, index << 12 | d->number, 2);
}

static uint8_t *put_unitdata(uint8_t *at, const struct gb_frame_downlink *d, uint8_t qos, size_t llc_octets)
{
    at = put(at, KIT_BVCI, 4); /* NS-UNITDATA, control bits 0, BVCI */
    at = put(at, 0, 1);
    at = put(at, d->tlli ? d->tlli : KIT_TLLI, 4);
    at = put(at, qos, 3);        /* rate: best effort */
    at = put(at, 0x1682ffff, 4); /* PDU Lifetime: no limit */
    if (d->imsi_octets) {
        at = put(at, 0x0d80u | d->imsi_octets, 2);
        at = copy(at, imsi, d->imsi_octets);
    }
    at = put(at, 0x0e, 1);
    return llc_octets <= 127 ? put(at, 0x80 | llc_octets, 1) : put(at, llc_octets, 2);
}

size_t gb_frame_segment(uint8_t *out, struct gb_frame_downlink *d, const uint8_t *n_pdu, uint16_t octets,
                        uint16_t *offset)
{
    uint8_t ns[KIT_FRAME_OCTETS], llc[KIT_FRAME_OCTETS];
    unsigned room = *offset == 0 ? d->n201_u - 4u : d->n201_u - 3u;
    unsigned index = *offset == 0 ? 0 : 1 + (*offset - (d->n201_u - 4u)) / room;
    unsigned left = octets - (unsigned)*offset;
    bool last = left <= room;
    unsigned payload = last ? left : room;

    uint8_t *at = copy(put_downlink_llc(llc, d, index, last), n_pdu + *offset, payload);
    size_t covered = d->is_pm0 && at - llc > 7 ? 7 : (size_t)(at - llc);
    at = put_fcs(at, gb_frame_fcs(llc, covered));
    size_t llc_octets = (size_t)(at - llc);
    cipher(&d->cipher, llc, llc_octets, d->nu, 1);
    uint8_t qos = d->is_pm0 ? 0x3a : 0x32; /* data, background; RLC does not acknowledge what PM 0 carries */
    at = copy(put_unitdata(ns, d, qos, llc_octets), llc, llc_octets);
    d->nu = (d->nu + 1) % 512;
    d->cipher.input += d->nu == 0 ? 512 : 0;
    d->number = (uint16_t)((d->number + last) % 4096);
    *offset = (uint16_t)(*offset + payload);
    return gb_frame_wrap_down(out, d->ip_id++, ns, (size_t)(at - ns));
}

size_t gb_frame_signalling(uint8_t *out, const struct gb_frame_downlink *d, const uint8_t *llc, size_t octets)
{
    uint8_t ns[KIT_FRAME_OCTETS], pdu[KIT_FRAME_OCTETS];
    uint8_t *at = copy(pdu, llc, octets);

    at = put_fcs(at, gb_frame_fcs(llc, octets));
    size_t llc_octets = (size_t)(at - pdu);
    if ((pdu[1] & 0xe0) == 0xc0 && pdu[2] & 2)
        cipher(&d->cipher, pdu, llc_octets, d->nu, 1);
    bool is_sms = llc[0] == 0x47; /* TS 48.018 clause 11.3.28: bit 5, data; acknowledged, high precedence */
    at = copy(put_unitdata(ns, d, is_sms ? 0x30 : 0x20, llc_octets), pdu, llc_octets);
    return gb_frame_wrap_down(out, d->ip_id, ns, (size_t)(at - ns));
}

/* --- uplink --- */

static uint8_t *put_uplink_sndcp(uint8_t *at, const struct gb_frame_uplink *in)
{
    unsigned nsapi = in->nsapi ? in->nsapi : KIT_NSAPI;
    bool first = in->segment == 0;

    at = put(at, in->sndcp ? in->sndcp : 0x20u | (unsigned)first << 6 | (unsigned)in->more << 4 | nsapi, 1);
    if (first)
        at = put(at, in->compression, 1);
    at = put(at, (unsigned)in->segment << 12 | in->number, 2);
    if (in->data)
        return copy(at, in->data, in->octets);
    memset(at, 0x10 + in->segment, in->octets);
    return at + in->octets;
}

static size_t put_uplink_llc(uint8_t *llc, const struct gb_frame_uplink *in)
{
    uint8_t *at = put(llc, in->sapi ? in->sapi : KIT_SAPI, 1);
    bool is_ciphered = in->cipher.is_on && !in->is_clear;
    size_t covered;

    if (in->control) {
        at = put(at, in->control, 1);
        covered = 2;
    } else {
        at = put(at, 0xc000u | (unsigned)in->nu << 2 | (unsigned)is_ciphered << 1 | !in->is_pm0, 2);
        at = in->is_empty ? at : put_uplink_sndcp(at, in);
        covered = in->is_pm0 ? 7 : (size_t)(at - llc);
    }
    uint32_t fcs = gb_frame_fcs(llc, covered);
    at = put_fcs(at, in->has_bad_fcs ? fcs ^ 0x800000 : fcs);
    if (is_ciphered && !in->control)
        cipher(&in->cipher, llc, (size_t)(at - llc), in->nu, 0);
    return (size_t)(at - llc);
}

size_t gb_frame_uplink(uint8_t *out, const struct gb_frame_uplink *in)
{
    uint8_t ns[KIT_FRAME_OCTETS], llc[KIT_FRAME_OCTETS];
    size_t llc_octets = put_uplink_llc(llc, in);
    uint8_t *at = put(ns, in->bvci ? in->bvci : KIT_BVCI, 4);

    at = put(at, 1, 1);
    at = put(at, in->tlli ? in->tlli : KIT_TLLI, 4);
    at = put(at, 0x000004, 3);
    at = put(at, 0x0888, 2); /* cell identifier */
    at = put(at, 0x62f2100001010002, 8);
    at = put(at, 0x0e, 1);
    at = llc_octets <= 127 ? put(at, 0x80 | llc_octets, 1) : put(at, llc_octets, 2);
    at = copy(at, llc, llc_octets);
    return gb_frame_wrap(out, in->nsvc, ns, (size_t)(at - ns));
}
