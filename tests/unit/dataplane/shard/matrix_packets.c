/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of the mobiles and their servers, in GTP-U and on Gb. */
#include "tests/unit/dataplane/shard/matrix.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/tcp.h"

#include <rte_mbuf.h>
#include <string.h>

enum { NS_AT = 42, GTP_OCTETS = 8 };

#define ECT0   2
#define WINDOW 60000
#define OTHER  (KIT_GGSN_IP + 3)
#define SERVER 0xc6120009u
#define MOBILE 0x0a000007u
#define GTPU   2152

/* --- TCP --- */

struct segment {
    bool is_up, is_other; /* of another connection */
    uint8_t flags;
    uint32_t seq, ack;
    uint16_t data_octets;
};

static size_t put_ipv4(uint8_t *ip, enum matrix_who who, const struct segment *s, size_t octets)
{
    ip[0] = 0x45;
    ip[1] = ECT0;
    bytes_put_u16(ip + 2, (uint16_t)(octets + 20));
    bytes_put_u16(ip + 4, (uint16_t)s->seq);
    ip[8] = 64;
    ip[9] = 6;
    bytes_put_u32(ip + (s->is_up ? 12 : 16), MOBILE + who);
    bytes_put_u32(ip + (s->is_up ? 16 : 12), SERVER);
    gn_frame_sum_ip(ip);
    return 20;
}

static size_t put_ipv6(uint8_t *ip, enum matrix_who who, const struct segment *s, size_t octets)
{
    const uint8_t mobile[16] = {0x20, 1, 0x0d, 0xb8, 0, 7, 0, (uint8_t)who, [15] = 1},
                  server[16] = {0x20, 1, 0x0d, 0xb8, 0, 8, [15] = 9};
    ip[0] = 0x60;
    ip[1] = ECT0 << 4;
    bytes_put_u16(ip + 4, (uint16_t)octets);
    ip[6] = 6;
    ip[7] = 64;
    memcpy(ip + 8, s->is_up ? mobile : server, 16);
    memcpy(ip + 24, s->is_up ? server : mobile, 16);
    return 40;
}

/* Of the mobile's connection, or of another one without a handshake. A SYN has the option of the longest
 * segment. */
static size_t put_tcp(struct matrix *m, uint8_t *out, enum matrix_who who, const struct segment *s)
{
    size_t options = s->flags & TCP_SYN ? 4 : 0, octets = TCP_OCTETS + options + s->data_octets;
    memset(out, 0, 40 + octets);
    size_t at = (matrix_has(m, MATRIX_IPV6_USERS) ? put_ipv6 : put_ipv4)(out, who, s, octets);
    uint8_t *tcp = out + at;
    bytes_put_u16(tcp, s->is_up ? 4000 : 80 + s->is_other);
    bytes_put_u16(tcp + 2, s->is_up ? 80 + s->is_other : 4000);
    bytes_put_u32(tcp + 4, s->seq);
    bytes_put_u32(tcp + 8, s->ack);
    tcp[12] = options ? 0x60 : 0x50;
    tcp[13] = s->flags;
    bytes_put_u16(tcp + 14, WINDOW);
    if (options)
        bytes_put_u32(tcp + TCP_OCTETS, 0x02040000 | 1000);
    if (s->is_other) /* nothing makes it shorter */
        gn_frame_inner(tcp + TCP_OCTETS, s->data_octets, (uint16_t)s->seq);
    for (unsigned i = 0; i < s->data_octets && !s->is_other; i++)
        tcp[TCP_OCTETS + options + i] = (uint8_t) "a page of text, "[i % 16];
    m->seen.users[out[0] >> 4 == 6]++;
    return at + octets;
}

/* --- headers --- */

size_t matrix_wrap_gn(const struct matrix *m, bool is_other, uint8_t *frame, const uint8_t *gtp,
                      size_t octets)
{
    static const uint16_t ports[] = {GTPU, GTPU};
    const uint32_t ips[] = {is_other ? OTHER : KIT_GGSN_IP, KIT_SGSN_IP};
    const uint8_t *const ipv6[] = {gn_ipv6_addresses[is_other ? 2 : 1], gn_ipv6_addresses[0]};
    return matrix_has(m, MATRIX_IPV6_TRANSPORT) ? gn_ipv6_wrap(frame, ipv6, ports, gtp, octets)
                                                : gn_frame_wrap(frame, ips, ports, gtp, octets);
}

size_t matrix_wrap_gb(const struct matrix *m, uint8_t *frame, const uint8_t *ns, size_t octets)
{
    static const uint16_t ports[] = {KIT_BSS_PORT + 1, KIT_GB_PORT};
    const uint8_t *const ipv6[] = {matrix_gb_addresses[1], matrix_gb_addresses[0]};
    return matrix_has(m, MATRIX_IPV6_TRANSPORT) ? gn_ipv6_wrap(frame, ipv6, ports, ns, octets)
                                                : gb_frame_wrap(frame, 0, ns, octets);
}

const uint8_t matrix_gb_addresses[2][16] = {{0x20, 1, 0x0d, 0xb8, 0, 6, [15] = 1},
                                            {0x20, 1, 0x0d, 0xb8, 0, 6, [15] = 2}};

static size_t put_g_pdu(struct matrix *m, enum matrix_who who, unsigned context, const struct segment *s,
                        uint8_t *gtp)
{
    size_t octets = put_tcp(m, gtp + GTP_OCTETS, who, s);
    gtp[0] = 0x30;
    gtp[1] = 255;
    bytes_put_u16(gtp + 2, (uint16_t)octets);
    bytes_put_u32(gtp + 4, m->mobiles[who].teids[context]);
    return GTP_OCTETS + octets;
}

size_t matrix_g_pdu(struct matrix *m, enum matrix_who who, unsigned context, uint16_t data_octets,
                    uint8_t *gtp)
{
    struct matrix_mobile *mobile = &m->mobiles[who];
    const struct segment s = {.flags = TCP_ACK, .seq = mobile->seq, .ack = 100, .data_octets = data_octets};
    mobile->seq += data_octets;
    return put_g_pdu(m, who, context, &s, gtp);
}

size_t matrix_uplink(struct matrix *m, enum matrix_who who, struct gb_frame_uplink *in, uint8_t *ns)
{
    const struct matrix_mobile *mobile = &m->mobiles[who];
    const struct worker *w = m->c.nodes[mobile->server].worker;
    uint8_t frame[KIT_FRAME_OCTETS];
    in->tlli = in->tlli ? in->tlli : mobile->tlli;
    in->bvci = in->bvci ? in->bvci : (uint16_t)(2 + mobile->bvc);
    if (in->nu == 0)
        in->nu = llc_entity_nu(w->context.mobiles[matrix_slot(who, mobile->server)].llc[1].vur);
    size_t octets = gb_frame_uplink(frame, in) - NS_AT;
    memcpy(ns, frame + NS_AT, octets);
    return octets;
}

/* --- ESP --- */

size_t matrix_protect(struct matrix *m, enum matrix_port port, uint8_t *frame, size_t octets)
{
    uint64_t drops[DROP_COUNT] = {0};
    if (!m->rules[port])
        return octets;
    m->far[port].buffers = m->c.tx_pool;
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(m->c.tx_pool);
    assert_non_null(mbuf);
    memcpy(rte_pktmbuf_append(mbuf, (uint16_t)octets), frame, octets);
    if (esp_send(&m->far[port], &mbuf, 1, drops) == 0)
        return octets; /* a packet that no ESP protects; it was freed */
    octets = rte_pktmbuf_data_len(mbuf);
    memcpy(frame, rte_pktmbuf_mtod(mbuf, uint8_t *), octets);
    rte_pktmbuf_free(mbuf);
    return octets;
}

void matrix_put_plain(struct matrix *m, enum matrix_port port, unsigned worker, const uint8_t *frame,
                      size_t octets)
{
    struct vport *to = port == MATRIX_GN ? &m->c.nodes[worker].gn : &m->c.nodes[worker].gb;
    assert_int_equal(vport_push(to, frame, octets), 0);
    matrix_settle(m);
}

void matrix_put(struct matrix *m, enum matrix_port port, unsigned worker, const uint8_t *frame, size_t octets)
{
    uint8_t copy[KIT_FRAME_OCTETS];
    memcpy(copy, frame, octets);
    matrix_put_plain(m, port, worker, copy, matrix_protect(m, port, copy, octets));
}

/* --- both ways --- */

static void put_up(struct matrix *m, enum matrix_who who, const struct segment *s)
{
    uint8_t packet[KIT_FRAME_OCTETS], ns[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.octets = (uint16_t)put_tcp(m, packet, who, s), .data = packet};
    size_t octets = matrix_uplink(m, who, &in, ns);
    matrix_put(m, MATRIX_GB, m->mobiles[who].server, frame, matrix_wrap_gb(m, frame, ns, octets));
}

void matrix_up(struct matrix *m, enum matrix_who who, uint16_t data_octets)
{
    put_up(m, who,
           &(struct segment){.is_up = true,
                             .flags = TCP_ACK,
                             .seq = 100,
                             .ack = m->mobiles[who].acked,
                             .data_octets = data_octets});
}

void matrix_up_half(struct matrix *m, enum matrix_who who)
{
    uint8_t ns[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {.octets = 40, .more = true, .number = 77};
    size_t octets = matrix_uplink(m, who, &in, ns);
    matrix_put(m, MATRIX_GB, m->mobiles[who].server, frame, matrix_wrap_gb(m, frame, ns, octets));
}

static void put_down(struct matrix *m, enum matrix_who who, unsigned context, const struct segment *s)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
    size_t octets = put_g_pdu(m, who, context, s, gtp);
    matrix_put(m, MATRIX_GN, 0, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
}

void matrix_down(struct matrix *m, enum matrix_who who, unsigned context, uint16_t data_octets)
{
    uint8_t gtp[KIT_FRAME_OCTETS], frame[KIT_FRAME_OCTETS];
    size_t octets = matrix_g_pdu(m, who, context, data_octets, gtp);
    matrix_put(m, MATRIX_GN, 0, frame, matrix_wrap_gn(m, false, frame, gtp, octets));
}

void matrix_down_other(struct matrix *m, enum matrix_who who, uint32_t seq, uint16_t data_octets)
{
    put_down(m, who, 0,
             &(struct segment){
                 .is_other = true, .flags = TCP_ACK, .seq = seq, .ack = 100, .data_octets = data_octets});
}

void matrix_connect(struct matrix *m, enum matrix_who who)
{
    put_up(m, who, &(struct segment){.is_up = true, .flags = TCP_SYN, .seq = 99});
    put_down(m, who, 0, &(struct segment){.flags = TCP_SYN | TCP_ACK, .seq = 999, .ack = 100});
    m->mobiles[who].seq = m->mobiles[who].acked = 1000;
    matrix_up(m, who, 0);
}
