/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP with AES-GCM (RFC 4106) by calls of IPsec-mb, where other associations have rte_ipsec and a device. */
#include "dataplane/esp/sa.h"

#include "dataplane/crypto/gcm.h"
#include "dataplane/esp/esp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <string.h>

/* RFC 4106 clauses 3 to 5. */
enum { IV_OCTETS = 8, BEFORE_OCTETS = ESP_HEAD_OCTETS + IV_OCTETS, TEXT_ALIGN = 4 };
enum { NEXT_IPV4 = 4, NEXT_IPV6 = 41 };
enum { IPV4_TOTAL_AT = 2, IPV4_ID_AT = 4, IPV4_PROTO_AT = 9, IPV6_PAYLOAD_AT = 4, IPV6_NEXT_AT = 6 };
enum { UDP_LENGTH_AT = 4 };

static const uint8_t padding[TEXT_ALIGN - 1] = {1, 2, 3};

/* Nonce and additional data of a packet: the ESP header, with the upper half of an extended number inside. */
static void name_packet(struct gcm_job *job, const struct sa *sa, uint64_t number, const uint8_t *esp)
{
    memcpy(job->nonce, sa->gcm.salt, sizeof(sa->gcm.salt));
    memcpy(job->nonce + sizeof(sa->gcm.salt), esp + ESP_HEAD_OCTETS, IV_OCTETS);
    memcpy(job->aad, esp, 4);
    if (sa->params.has_esn) {
        bytes_put_u64(job->aad + 4, number);
        job->aad_octets = 12;
    } else {
        memcpy(job->aad + 4, esp + 4, 4);
        job->aad_octets = 8;
    }
}

/* Moves those of the frames that failed behind the others; returns how many did not. */
static unsigned sort_good(struct rte_mbuf **frames, const bool *is_good, unsigned count)
{
    struct rte_mbuf *bad[ESP_BURST];
    unsigned good = 0, failed = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_good[i])
            frames[good++] = frames[i];
        else
            bad[failed++] = frames[i];
    memcpy(frames + good, bad, failed * sizeof(bad[0]));
    return good;
}

/* --- Frames that leave --- */

/* Sequence numbers for as many of count packets as there are left, and the first. The next one is at most
 * that behind the last of all: 2^32, or with extended numbers 0. */
static unsigned take_numbers(struct sa *sa, unsigned count, uint64_t *first)
{
    const uint64_t last = sa->params.has_esn ? UINT64_MAX : UINT32_MAX;
    uint64_t next = atomic_load_explicit(&sa->gcm.next, memory_order_relaxed);
    unsigned taken;
    do {
        uint64_t left = last - next + 1;
        taken = left < count ? (unsigned)left : count;
    } while (!atomic_compare_exchange_weak_explicit(&sa->gcm.next, &next, next + taken, memory_order_relaxed,
                                                    memory_order_relaxed));
    *first = next;
    return taken;
}

/* Type of service or traffic class: RFC 6040 clause 4.1, ECN of the packet inside. */
static uint8_t outer_tos(const struct sa_params *p, const uint8_t *inner)
{
    uint8_t tos = inner[0] >> 4 == 4 ? inner[1] : (uint8_t)(inner[0] << 4 | inner[1] >> 4);
    return p->copies_dscp ? tos : (uint8_t)(p->dscp << 2 | (tos & IPV4_ECN));
}

/* The headers of a tunnel before a packet; `octets` are those of its ESP. Checksums come later. */
static void put_outer(const struct sa *sa, uint8_t *ip, const uint8_t *inner, uint64_t number,
                      unsigned octets)
{
    const struct sa_params *p = &sa->params;
    const struct sa_gcm *g = &sa->gcm;
    uint8_t tos = outer_tos(p, inner);
    if (p->is_ipv6) {
        memcpy(ip, g->outer, SA_OUTER_IPV6_OCTETS);
        ip[0] = (uint8_t)(6 << 4 | tos >> 4);
        ip[1] = (uint8_t)(tos << 4);
        bytes_put_u16(ip + IPV6_PAYLOAD_AT, (uint16_t)(g->outer_octets - IPV6_OCTETS + octets));
    } else {
        memcpy(ip, g->outer, SA_OUTER_IPV4_OCTETS);
        ip[1] = tos;
        bytes_put_u16(ip + IPV4_TOTAL_AT, (uint16_t)(g->outer_octets + octets));
        bytes_put_u16(ip + IPV4_ID_AT, (uint16_t)number);
    }
    if (p->encap_destination)
        bytes_put_u16(ip + g->outer_octets - UDP_OCTETS + UDP_LENGTH_AT, (uint16_t)(UDP_OCTETS + octets));
}

/* The header of a packet, of IPv6 without extensions, which moves before ESP; `octets` are those of its ESP.
 * Returns the protocol inside.
 */
static uint8_t move_header(const struct sa *sa, uint8_t *frame, unsigned header_octets, unsigned octets)
{
    uint8_t *ip = frame + ETHER_OCTETS;
    bool is_ipv6 = sa->params.is_ipv6;
    memmove(frame, frame + BEFORE_OCTETS, ETHER_OCTETS + header_octets);
    if (is_ipv6)
        bytes_put_u16(ip + IPV6_PAYLOAD_AT, (uint16_t)octets);
    else
        bytes_put_u16(ip + IPV4_TOTAL_AT, (uint16_t)(header_octets + octets));
    uint8_t *proto = ip + (is_ipv6 ? IPV6_NEXT_AT : IPV4_PROTO_AT), inside = *proto;
    *proto = ESP_PROTO;
    return inside;
}

static void wrap(const struct sa *sa, struct rte_mbuf *frame, uint64_t number, struct gcm_job *job)
{
    const bool is_tunnel = sa->params.is_tunnel;
    uint8_t *inner = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS);
    const unsigned header = is_tunnel ? 0 : frame->l3_len, inside = frame->data_len - ETHER_OCTETS - header,
                   outer = is_tunnel ? sa->gcm.outer_octets : header,
                   pad = (0 - (inside + ESP_TAIL_OCTETS)) % TEXT_ALIGN, text = inside + pad + ESP_TAIL_OCTETS,
                   octets = BEFORE_OCTETS + text + GCM_ICV_OCTETS;
    uint8_t *esp = inner + header - BEFORE_OCTETS, *tail = inner + header + inside,
            next = sa->params.is_inner_ipv6 ? NEXT_IPV6 : NEXT_IPV4;
    if (is_tunnel)
        put_outer(sa, esp - outer, inner, number, octets);
    else
        next = move_header(sa, inner - ETHER_OCTETS - BEFORE_OCTETS, header, octets);
    bytes_put_u32(esp, sa->params.spi);
    bytes_put_u32(esp + 4, (uint32_t)number);
    bytes_put_u64(esp + ESP_HEAD_OCTETS, number);
    memcpy(tail, padding, sizeof(padding));
    tail[pad] = (uint8_t)pad;
    tail[pad + 1] = next;
    job->text = esp + BEFORE_OCTETS;
    job->octets = text;
    name_packet(job, sa, number, esp);
    frame->data_off = (uint16_t)(esp - outer - ETHER_OCTETS - (uint8_t *)frame->buf_addr);
    frame->data_len = (uint16_t)(ETHER_OCTETS + outer + octets);
    frame->pkt_len = frame->data_len;
}

unsigned sa_gcm_seal(struct sa *sa, struct rte_mbuf **frames, unsigned count)
{
    struct gcm_job jobs[ESP_BURST];
    uint64_t first;
    unsigned taken = take_numbers(sa, count, &first);
    for (unsigned i = 0; i < taken; i++)
        wrap(sa, frames[i], first + i, &jobs[i]);
    gcm_seal(sa->gcm.key, jobs, taken);
    return taken;
}

/* --- Frames that come --- */

/* False: ESP is too short, or its text no multiple of 4 octets. */
static bool find_text(const struct sa *sa, struct rte_mbuf *frame, struct gcm_job *job)
{
    uint8_t *esp = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS + frame->l3_len);
    int text = (int)frame->data_len - ETHER_OCTETS - frame->l3_len - BEFORE_OCTETS - GCM_ICV_OCTETS;
    if (text < TEXT_ALIGN || text % TEXT_ALIGN != 0)
        return false;
    job->text = esp + BEFORE_OCTETS;
    job->octets = (uint32_t)text;
    name_packet(job, sa, sa_window_number(&sa->window, bytes_get_u32(esp + 4)), esp);
    return true;
}

/* RFC 4303 clause 2.4: octets 1, 2, 3 ... before the pad length. The four octets up to it are in the packet.
 */
static bool is_padding(const uint8_t *pad_length)
{
    static const uint32_t usual[TEXT_ALIGN] = {0, 0x101, 0x10202, 0x1020303}; /* with the pad length */
    const unsigned pad = *pad_length, unused_bits = 8 * (TEXT_ALIGN - 1 - pad);
    unsigned wrong = 0;
    if (likely(pad < TEXT_ALIGN))
        return bytes_get_u32(pad_length + 1 - TEXT_ALIGN) << unused_bits == usual[pad] << unused_bits;
    for (unsigned i = 1; i <= pad; i++)
        wrong |= pad_length[(int)i - 1 - (int)pad] ^ i;
    return wrong == 0;
}

/* Takes ESP off a proven packet. False: its padding or next header is wrong. */
static bool unwrap(const struct sa *sa, struct rte_mbuf *frame, const struct gcm_job *job)
{
    const struct sa_params *p = &sa->params;
    const uint8_t *tail = job->text + job->octets - ESP_TAIL_OCTETS;
    const unsigned pad = tail[0], header = frame->l3_len;
    if (pad + ESP_TAIL_OCTETS > job->octets || !is_padding(tail))
        return false;
    const unsigned inside = job->octets - ESP_TAIL_OCTETS - pad;
    uint8_t *bytes = rte_pktmbuf_mtod(frame, uint8_t *);
    if (p->is_tunnel) {
        if (tail[1] != (p->is_inner_ipv6 ? NEXT_IPV6 : NEXT_IPV4))
            return false;
        frame->data_off = (uint16_t)(frame->data_off + ETHER_OCTETS + header + BEFORE_OCTETS);
        frame->data_len = (uint16_t)inside;
    } else {
        uint8_t next = tail[1], *ip = bytes + BEFORE_OCTETS + ETHER_OCTETS;
        memmove(bytes + BEFORE_OCTETS, bytes, ETHER_OCTETS + header);
        if (p->is_ipv6)
            bytes_put_u16(ip + IPV6_PAYLOAD_AT, (uint16_t)inside);
        else
            bytes_put_u16(ip + IPV4_TOTAL_AT, (uint16_t)(header + inside));
        ip[p->is_ipv6 ? IPV6_NEXT_AT : IPV4_PROTO_AT] = next;
        frame->data_off += BEFORE_OCTETS;
        frame->data_len = (uint16_t)(ETHER_OCTETS + header + inside);
    }
    frame->pkt_len = frame->data_len;
    return true;
}

unsigned sa_gcm_open(struct sa *sa, struct rte_mbuf **frames, unsigned count)
{
    struct gcm_job jobs[ESP_BURST];
    bool is_good[ESP_BURST];
    unsigned ready = 0;
    for (unsigned i = 0; i < count; i++) {
        is_good[i] = find_text(sa, frames[i], &jobs[ready]);
        ready += is_good[i];
        if (!is_good[i])
            frames[i]->ol_flags |= RTE_MBUF_F_RX_SEC_OFFLOAD_FAILED;
    }
    if (ready < count)
        sort_good(frames, is_good, count);
    gcm_open(sa->gcm.key, jobs, ready);
    unsigned good = 0;
    for (unsigned i = 0; i < ready; i++) {
        is_good[i] = jobs[i].is_good && unwrap(sa, frames[i], &jobs[i]);
        good += is_good[i];
        if (unlikely(!jobs[i].is_good))
            frames[i]->ol_flags |= RTE_MBUF_F_RX_SEC_OFFLOAD_FAILED;
    }
    return likely(good == ready) ? good : sort_good(frames, is_good, ready);
}
