/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/live_frames.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ns.h"

#include <stdio.h>
#include <string.h>

#define GB_SGSN_IP     0xc6336401 /* 198.51.100.1 */
#define GB_BSS_IP      0xc6336402
#define GB_STRANGER_IP 0xc6336409
#define GB_PORT        23000
#define GN_SGSN_IP     0xc0000201 /* 192.0.2.1 */
#define GN_GGSN_IP     0xc0000202
#define USER_IP        0x0a2d0000 /* 10.45.0.0 */
#define SENDER_IP      0xc0000263
#define N_PDU_OCTETS   40
#define TEID_AT        (LIVE_FRAMES_NS_OFFSET + 4)
#define N_PDU_AT       (LIVE_FRAMES_NS_OFFSET + GTPU_OCTETS)
#define DESTINATION_AT (N_PDU_AT + 16)
#define SUM_AT         (N_PDU_AT + 10)
#define NUMBER_AT      (N_PDU_AT + N_PDU_OCTETS - 4)
#define FCS_OCTETS     3
#define FLOW_TLLI_AT   (LIVE_FRAMES_NS_OFFSET + 7)
#define FLOW_TAG_AT    (LIVE_FRAMES_NS_OFFSET + 13)
#define STRANGE_EACH   7 /* every n-th frame is also sent from an unknown source */

struct ends {
    uint32_t src_ip, dst_ip;
    uint16_t src_port, dst_port;
};

static const struct ends gb = {GB_BSS_IP, GB_SGSN_IP, GB_PORT, GB_PORT};
static const struct ends stranger = {GB_STRANGER_IP, GB_SGSN_IP, 4000, GB_PORT};
static const struct ends gn = {GN_GGSN_IP, GN_SGSN_IP, GTPU_PORT, GTPU_PORT};

static void wrap(struct live_frame *out, const struct ends *ends, const uint8_t *payload, size_t octets)
{
    struct ether ether = {.dst = {2, 0, 0, 0, 0, 1}, .src = {2, 0, 0, 0, 0, 2}, .type = ETHER_TYPE_IPV4};
    struct udp udp = {
        .src_port = ends->src_port, .dst_port = ends->dst_port, .payload_octets = (uint16_t)octets};
    struct ipv4 ip = {.src = ends->src_ip,
                      .dst = ends->dst_ip,
                      .ttl = 64,
                      .proto = IPV4_PROTO_UDP,
                      .payload_octets = (uint16_t)(UDP_OCTETS + octets)};
    uint8_t *at = out->bytes;
    at += ether_encode(at, ETHER_OCTETS, &ether);
    at += ipv4_encode(at, IPV4_OCTETS, &ip);
    at += udp_encode(at, UDP_OCTETS, &udp);
    memcpy(at, payload, octets);
    out->octets = (uint16_t)(LIVE_FRAMES_NS_OFFSET + octets);
}

/* --- Gb --- */

#define WRAP_GB(out, ...)                                                                                    \
    wrap((out), &gb, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define BVCI_OCTETS LIVE_FRAMES_BVCI >> 8, LIVE_FRAMES_BVCI & 0xff
#define NS_IDS      0x01, 0x82, 0, 101, 0x04, 0x82, 0, 101
#define CELL_ID     0x08, 0x88, 0x62, 0xf2, 0x24, 0x12, 0x34, 0x05, 0, 1

static const uint8_t ns_reset[] = {NS_RESET, 0x00, 0x81, 0x01, NS_IDS};

static void expect(struct live_frames_step *step, const char *answer, unsigned octets)
{
    memcpy(step->answer, answer, octets);
    step->answer_octets = (uint8_t)octets;
}

void live_frames_steps(struct live_frames_step out[LIVE_FRAMES_STEPS])
{
    wrap(&out[0].frame, &gb, ns_reset, sizeof(ns_reset));
    expect(&out[0], "\x03", 1);
    WRAP_GB(&out[1].frame, NS_UNBLOCK);
    expect(&out[1], "\x07", 1);
    WRAP_GB(&out[2].frame, 0, 0, 0, 0, BSSGP_BVC_RESET, 0x04, 0x82, 0, 0, 0x07, 0x81, 0x08);
    expect(&out[2], "\0\0\0\0\x23\x04\x82\0\0", 9);
    WRAP_GB(&out[3].frame, 0, 0, 0, 0, BSSGP_BVC_RESET, 0x04, 0x82, BVCI_OCTETS, 0x07, 0x81, 0x08, CELL_ID);
    expect(&out[3], "\0\0\0\0\x23\x04\x82\x07\x08", 9);
    WRAP_GB(&out[4].frame, 0, 0, 0, 0, BSSGP_BVC_UNBLOCK, 0x04, 0x82, BVCI_OCTETS);
    expect(&out[4], "\0\0\0\0\x25\x04\x82\x07\x08", 9);
    WRAP_GB(&out[5].frame, 0, 0, BVCI_OCTETS, BSSGP_FLOW_CONTROL_BVC, 0x1e, 0x81, 1, 0x05, 0x82, 0xff, 0xff,
            0x03, 0x82, 0xff, 0xff, 0x01, 0x82, 0xff, 0xff, 0x1c, 0x82, 0xff, 0xff);
    expect(&out[5], "\0\0\x07\x08\x27", 5);
}

void live_frames_alive_ack(struct live_frame *out)
{
    WRAP_GB(out, NS_ALIVE_ACK);
}

void live_frames_flow(struct live_frame *out, uint32_t mobile, uint8_t tag, bool is_open)
{
    uint8_t most = is_open ? 0xff : 0;
    WRAP_GB(out, 0, 0, BVCI_OCTETS, BSSGP_FLOW_CONTROL_MS, 0x1f, 0x84, 0, 0, 0, 0, 0x1e, 0x81, 0, 0x12, 0x82,
            most, most, 0x03, 0x82, most, most);
    live_frames_flow_again(out->bytes, mobile, tag);
}

void live_frames_flow_again(uint8_t *bytes, uint32_t mobile, uint8_t tag)
{
    bytes_put_u32(bytes + FLOW_TLLI_AT, LIVE_FRAMES_TLLI + mobile);
    bytes[FLOW_TAG_AT] = tag;
}

/* --- users' packets --- */

void live_frames_user(struct live_frame *out, uint32_t mobile, uint32_t number)
{
    uint8_t payload[GTPU_OCTETS + N_PDU_OCTETS] = {0}, *at = payload;
    struct gtpu gtpu = {.type = GTPU_G_PDU, .payload_octets = N_PDU_OCTETS};
    struct ipv4 ip = {.src = SENDER_IP,
                      .dst = USER_IP,
                      .ttl = 64,
                      .proto = IPV4_PROTO_UDP,
                      .payload_octets = N_PDU_OCTETS - IPV4_OCTETS};
    struct udp udp = {.payload_octets = N_PDU_OCTETS - IPV4_OCTETS - UDP_OCTETS};
    at += gtpu_encode(at, GTPU_OCTETS, &gtpu);
    at += ipv4_encode(at, IPV4_OCTETS, &ip);
    udp_encode(at, UDP_OCTETS, &udp);
    wrap(out, &gn, payload, sizeof(payload));
    live_frames_user_again(out->bytes, mobile, number);
}

void live_frames_user_again(uint8_t *bytes, uint32_t mobile, uint32_t number)
{
    bytes_put_u32(bytes + TEID_AT, LIVE_FRAMES_TEID + mobile);
    bytes_put_u32(bytes + DESTINATION_AT, USER_IP + mobile);
    bytes[SUM_AT] = bytes[SUM_AT + 1] = 0;
    bytes_put_u16(bytes + SUM_AT, ipv4_checksum(bytes + N_PDU_AT, IPV4_OCTETS));
    bytes_put_u32(bytes + NUMBER_AT, number);
}

uint32_t live_frames_number(const uint8_t *bytes, size_t octets)
{
    return bytes_get_u32(bytes + octets - FCS_OCTETS - 4);
}

/* --- the flood --- */

struct floods {
    struct live_frame *frames;
    unsigned count;
};

static void live_frames_put(struct floods *f, const uint8_t *ns, size_t octets)
{
    if (f->count < LIVE_FRAMES_FLOODS_MAX)
        wrap(&f->frames[f->count++], &gb, ns, octets);
}

static void put_cut(struct floods *f, const uint8_t *ns, size_t from, size_t octets)
{
    for (size_t cut = from; cut < octets; cut++)
        live_frames_put(f, ns, cut);
}

static void put_ns(struct floods *f)
{
    static const uint8_t unknown[] = {1, 14, 27, 60, 99, 200, 255};
    put_cut(f, ns_reset, 1, sizeof(ns_reset));
    for (size_t i = 0; i < sizeof(unknown); i++)
        live_frames_put(f, (const uint8_t[]){unknown[i], 0x81, 0}, 3);
}

static void put_bssgp(struct floods *f)
{
    static const uint16_t bvcis[] = {0, LIVE_FRAMES_BVCI, 4711};
    static const uint8_t unknown[] = {0x02, 0x3e, 0x48, 0x99, 0xfe};
    for (size_t i = 0; i < sizeof(bvcis) / sizeof(bvcis[0]); i++) {
        uint8_t pdu[] = {0, 0, (uint8_t)(bvcis[i] >> 8), (uint8_t)bvcis[i], 0, 1, 2, 3, 4, 5};
        live_frames_put(f, pdu, 4);
        for (size_t k = 0; k < sizeof(unknown); k++) {
            pdu[4] = unknown[k];
            live_frames_put(f, pdu, 5 + k);
        }
    }
}

/* Announcements with missing elements or for an unknown cell, and malformed frames of mobiles. */
static void put_almost_right(struct floods *f)
{
    static const uint8_t flow[] = {0, 0, BVCI_OCTETS, BSSGP_FLOW_CONTROL_BVC, 0x1e, 0x81, 1, 0x05, 0x82,
                                   0, 1};
    static const uint8_t elsewhere[] = {0,    0,    0x12, 0x67, BSSGP_FLOW_CONTROL_BVC, 0x1e, 0x81, 1,
                                        0x05, 0x82, 0,    1};
    uint8_t up[] = {0,    0,    BVCI_OCTETS, BSSGP_UL_UNITDATA,
                    0xc0, 0xff, 0xee,        0,
                    0,    0,    4,           CELL_ID,
                    0x00, 0x80, 0x0e,        0x85,
                    0x03, 1,    2,           3,
                    4};
    put_cut(f, flow, 5, sizeof(flow));
    live_frames_put(f, elsewhere, sizeof(elsewhere));
    live_frames_put(f, up, sizeof(up));
    live_frames_put(f, up, 11);
    bytes_put_u32(up + 5, LIVE_FRAMES_TLLI);
    live_frames_put(f, up, sizeof(up));
}

unsigned live_frames_floods(struct live_frame out[LIVE_FRAMES_FLOODS_MAX])
{
    struct floods f = {.frames = out};
    put_ns(&f);
    put_bssgp(&f);
    put_almost_right(&f);
    unsigned of_the_bss = f.count;
    for (unsigned i = 0; i < of_the_bss && f.count < LIVE_FRAMES_FLOODS_MAX; i += STRANGE_EACH)
        wrap(&out[f.count++], &stranger, out[i].bytes + LIVE_FRAMES_NS_OFFSET,
             out[i].octets - (size_t)LIVE_FRAMES_NS_OFFSET);
    return f.count;
}

/* --- the node --- */

static const char text[] =
    "local mobiles = {}\n"
    "for i = 0, %u - 1 do\n"
    "  mobiles[i + 1] = { imsi = string.format('26242%%010d', i), tlli = 0x%x + i, bvci = %d, contexts = { "
    "{\n"
    "    nsapi = 5, teid = 0x%x + i, sgsn_address = '192.0.2.1', ggsn_address = '192.0.2.2',\n"
    "    ggsn_teid = 0x200000 + i, address = string.format('10.45.%%d.%%d', i // 256, i %% 256) } } }\n"
    "end\n"
    "return {\n"
    "  gn = { port = 'net_ring0', mac = '02:00:00:00:00:01', peer_mac = '02:00:00:00:00:02' },\n"
    "  gb = { address = '198.51.100.1', port = 'net_ring1', mac = '02:00:00:00:00:01' },\n"
    "  nses = { { nsei = 101,\n"
    "    nsvcs = { { nsvci = 101, address = '198.51.100.2', mac = '02:00:00:00:00:02' } },\n"
    "    cells = { { bvci = %d, cell_id = { mcc = '262', mnc = '42', lac = 4660, rac = 5, ci = 1 } } } } },\n"
    "  mobiles = { source = 'list', list = mobiles },\n"
    "  live = { idle = '%s', cores = { %u } },\n"
    "  eal = { prefix = '%s' },\n"
    "  limits = { npdu_buffers = 16383, mobiles = %u, contexts = %u },\n"
    "}\n";

bool live_frames_write_node(const struct live_frames_node *node)
{
    FILE *file = fopen(node->path, "w");
    if (!file)
        return false;
    bool is_written = fprintf(file, text, node->mobiles, LIVE_FRAMES_TLLI, LIVE_FRAMES_BVCI, LIVE_FRAMES_TEID,
                              LIVE_FRAMES_BVCI, node->is_polling ? "poll" : "sleep", node->core, node->prefix,
                              node->mobiles + 8, node->mobiles + 8) > 0;
    return (fclose(file) == 0) & is_written;
}
