/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/traffic.h"

#include "bench/throughput/plan.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/teid.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_DRAWS     65536
#define DRAWS_EACH      4 /* of each mobile, on average */
#define TEID_OFFSET     (GB_HEADER_OCTETS + 4)
#define TUNNEL_OCTETS   (GB_HEADER_OCTETS + GTPU_OCTETS)
#define FCS_OCTETS      4
#define CHECKSUM_OFFSET 10 /* in an IPv4 header */
#define DST_OFFSET      16
#define MANTISSA        9007199254740992.0 /* 2^53 */

static const uint16_t mix_octets[BENCH_TRAFFIC_SIZES] = {64, 512, 1400};
static const uint8_t mix_pattern[] = {0, 1, 0, 0, 1, 0, 2, 0, 1, 0, 1, 0}; /* 7, 4, 1 */

#define PATTERN sizeof(mix_pattern)

/* --- mobiles --- */

static uint32_t *shuffled(uint32_t count, struct rng *rng)
{
    uint32_t *list = malloc(count * sizeof(*list));
    for (uint32_t i = 0; list && i < count; i++) {
        uint32_t other = (uint32_t)rng_below(rng, i + UINT64_C(1));
        list[i] = list[other];
        list[other] = i;
    }
    return list;
}

/* Cumulated weights of the ranks. */
static double *cumulated(uint32_t count, double exponent)
{
    double *sums = malloc(count * sizeof(*sums)), sum = 0;
    for (uint32_t i = 0; sums && i < count; i++)
        sums[i] = sum += pow(i + 1.0, -exponent);
    return sums;
}

/* The first rank whose cumulated weight is above a value. */
static uint32_t rank_of(const double *sums, uint32_t count, double value)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sums[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool draw_zipf(struct bench_traffic *t, struct rng *rng)
{
    uint32_t count = t->params.mobiles;
    uint32_t *places = shuffled(count, rng);
    double *sums = cumulated(count, t->params.zipf);
    for (uint32_t i = 0; places && sums && i <= t->draw_mask; i++) {
        double value = (double)(rng_u64(rng) >> 11) / MANTISSA * sums[count - 1];
        t->draws[i] = places[rank_of(sums, count, value)];
    }
    bool is_done = places && sums;
    free(places);
    free(sums);
    return is_done;
}

static bool draw(struct bench_traffic *t)
{
    struct rng rng;
    uint32_t count = LEAST_DRAWS;
    while (count < DRAWS_EACH * (uint64_t)t->params.mobiles)
        count *= 2;
    rng_init(&rng, t->params.seed, t->params.worker);
    t->draw_mask = count - 1;
    t->draws = malloc(count * sizeof(*t->draws));
    if (!t->draws)
        return false;
    if (t->params.zipf > 0)
        return draw_zipf(t, &rng);
    for (uint32_t i = 0; i < count; i++)
        t->draws[i] = (uint32_t)rng_below(&rng, t->params.mobiles);
    return true;
}

/* --- frames --- */

static void make_frame(struct bench_traffic *t, unsigned which, uint16_t octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct udp udp = {.dst_port = GTPU_PORT, .payload_octets = (uint16_t)(GTPU_OCTETS + octets)};
    struct gtpu gtpu = {.type = GTPU_G_PDU, .payload_octets = octets};
    struct udp inner_udp = {.payload_octets = (uint16_t)(octets - IPV4_OCTETS - UDP_OCTETS)};
    struct ipv4 inner = {
        .ttl = 64, .proto = IPV4_PROTO_UDP, .payload_octets = (uint16_t)(octets - IPV4_OCTETS)};
    struct ipv4 outer = inner;
    uint8_t *at = t->frames[which];

    memcpy(ether.dst, t->params.dst_mac, sizeof(ether.dst));
    memcpy(ether.src, t->params.src_mac, sizeof(ether.src));
    outer.src = t->params.ggsn_ip;
    outer.dst = t->params.sgsn_ip;
    outer.payload_octets = (uint16_t)(UDP_OCTETS + udp.payload_octets);
    at += ether_encode(at, ETHER_OCTETS, &ether);
    at += ipv4_encode(at, IPV4_OCTETS, &outer);
    at += udp_encode(at, UDP_OCTETS, &udp);
    at += gtpu_encode(at, GTPU_OCTETS, &gtpu);
    at += ipv4_encode(at, IPV4_OCTETS, &inner);
    udp_encode(at, UDP_OCTETS, &inner_udp);
    t->frame_octets[which] = (uint16_t)(TUNNEL_OCTETS + octets);
}

bool bench_traffic_new(struct bench_traffic *t, const struct bench_traffic_params *params)
{
    *t = (struct bench_traffic){.params = *params};
    for (unsigned i = 0; i < BENCH_TRAFFIC_SIZES; i++)
        make_frame(t, i, params->octets == BENCH_PLAN_IMIX ? mix_octets[i] : params->octets);
    if (draw(t))
        return true;
    bench_traffic_free(t);
    return false;
}

void bench_traffic_free(struct bench_traffic *t)
{
    free(t->draws);
    t->draws = NULL;
}

void bench_traffic_address(struct bench_traffic *t, const uint8_t mac[6])
{
    memcpy(t->params.dst_mac, mac, sizeof(t->params.dst_mac));
    for (unsigned i = 0; i < BENCH_TRAFFIC_SIZES; i++)
        memcpy(t->frames[i], mac, sizeof(t->params.dst_mac));
}

uint32_t bench_traffic_teid(const struct bench_traffic_params *params, uint32_t mobile)
{
    return params->is_foreign ? mobile + 1
                              : teid_make(params->worker, 1, mobile, teid_slot_bits(params->slots));
}

unsigned bench_traffic_size(const struct bench_traffic *t)
{
    return mix_pattern[t->at];
}

uint16_t bench_traffic_put(struct bench_traffic *t, uint8_t *out)
{
    unsigned which = bench_traffic_size(t);
    uint32_t mobile = t->params.first + t->draws[t->next++ & t->draw_mask];
    uint32_t address = BENCH_TRAFFIC_ADDRESS + mobile;
    uint8_t *inner = out + TUNNEL_OCTETS;

    t->at = t->at + 1 == PATTERN ? 0 : t->at + 1;
    memcpy(out, t->frames[which], t->frame_octets[which]);
    bytes_put_u32(out + TEID_OFFSET, bench_traffic_teid(&t->params, mobile));
    bytes_put_u32(inner + DST_OFFSET, address);
    uint16_t checksum =
        ipv4_checksum_add(bytes_get_u16(inner + CHECKSUM_OFFSET), (address >> 16) + (address & 0xffff));
    bytes_put_u16(inner + CHECKSUM_OFFSET, checksum);
    return t->frame_octets[which];
}

/* --- sizes --- */

unsigned bench_traffic_frames_of(uint16_t octets, uint16_t n201_u)
{
    struct segmenting how = ms_segmenting(false);
    unsigned first = n201_u - how.first_octets, later = n201_u - how.later_octets;
    return octets <= first ? 1 : 1 + (octets - first + later - 1) / later;
}

static double llc_octets(uint16_t octets, uint16_t n201_u)
{
    struct segmenting how = ms_segmenting(false);
    unsigned frames = bench_traffic_frames_of(octets, n201_u);
    return octets + how.first_octets + (frames - 1) * how.later_octets + frames * how.llc_octets;
}

static double frames(uint16_t octets, uint16_t n201_u)
{
    return bench_traffic_frames_of(octets, n201_u);
}

static_assert(TUNNEL_OCTETS + FCS_OCTETS == BENCH_TRAFFIC_ETHERNET_OCTETS, "of an N-PDU on Gn");

static double ethernet_octets(uint16_t octets, uint16_t unused_n201_u)
{
    (void)unused_n201_u;
    return octets + BENCH_TRAFFIC_ETHERNET_OCTETS;
}

/* Of a size, or over the pattern of imix. */
static double mean_of(double (*of)(uint16_t octets, uint16_t n201_u), uint16_t octets, uint16_t n201_u)
{
    double sum = 0;
    if (octets != BENCH_PLAN_IMIX)
        return of(octets, n201_u);
    for (unsigned i = 0; i < PATTERN; i++)
        sum += of(mix_octets[mix_pattern[i]], n201_u);
    return sum / PATTERN;
}

double bench_traffic_mean_llc_octets(uint16_t octets, uint16_t n201_u)
{
    return mean_of(llc_octets, octets, n201_u);
}

double bench_traffic_mean_frames(uint16_t octets, uint16_t n201_u)
{
    return mean_of(frames, octets, n201_u);
}

double bench_traffic_mean_frame_octets(uint16_t octets)
{
    return mean_of(ethernet_octets, octets, 0);
}

unsigned bench_traffic_most_frames(uint16_t octets, uint16_t n201_u)
{
    return bench_traffic_frames_of(octets == BENCH_PLAN_IMIX ? mix_octets[BENCH_TRAFFIC_SIZES - 1] : octets,
                                   n201_u);
}

unsigned bench_traffic_frames(const struct bench_traffic *t, unsigned size, uint16_t n201_u)
{
    return bench_traffic_frames_of((uint16_t)(t->frame_octets[size] - TUNNEL_OCTETS), n201_u);
}
