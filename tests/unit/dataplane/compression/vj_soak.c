/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VJ soak: random packets of TCP through both ends: vj_soak [PACKETS [SEED]], PACKETS for each row it prints.
 *
 *     without loss, every packet comes out as it went in
 *     of a slot with a loss, a packet may be wrong until one is VJ_UNCOMPRESSED; then it is right
 *     with a refresh of the slot behind each loss, no packet is wrong
 */
#include "dataplane/compression/vj.h"
#include "dataplane/wire/ipv4.h"
#include "tests/unit/dataplane/compression/vj_traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRONT = 64 };

static struct soak {
    struct vj_traffic traffic;
    struct vj_compressor *c;
    struct vj_decompressor *d;
    bool is_shifted[VJ_MAX_SLOTS]; /* a packet of the slot is lost since it was VJ_UNCOMPRESSED */
    unsigned long types[3], lost;
    unsigned long wrong, unseen, ids; /* TCP's checksum shows it; it does not; IP's ID alone is wrong */
    uint8_t before[FRONT + VJ_TRAFFIC_OCTETS], packet[FRONT + VJ_TRAFFIC_OCTETS];
} soak;

static void need(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "vj_soak: %s, packet %lu\n", what, soak.types[0] + soak.types[1] + soak.types[2]);
    exit(1);
}

static void judge(unsigned octets, int put, unsigned taken, unsigned slot)
{
    const uint8_t *was = soak.before + FRONT, *is = soak.packet + FRONT + (int)taken - put;
    const bool is_same = put == (int)taken && memcmp(was, is, octets) == 0;
    if (!soak.is_shifted[slot]) {
        need(is_same, "a packet came out wrong");
        need(memcmp(soak.before, soak.packet, FRONT) == 0, "octets in front of a packet changed");
    } else if (put == (int)taken && !is_same &&
               memcmp(was + IPV4_OCTETS, is + IPV4_OCTETS, octets - IPV4_OCTETS) == 0) {
        soak.ids++;
    } else if (!is_same && put >= 0 && vj_traffic_is_tcp_sum_good(is, octets + (unsigned)put - taken)) {
        soak.unseen++;
    } else if (!is_same) {
        soak.wrong++;
    }
}

static void pass(bool is_lost, bool refreshes)
{
    uint8_t *packet = soak.packet + FRONT;
    unsigned octets = vj_traffic_next(&soak.traffic, packet);
    enum vj_type type;
    memcpy(soak.before, soak.packet, sizeof(soak.before));
    unsigned taken = vj_compress(soak.c, packet, octets, &type);
    const unsigned slot = vj_last_slot(soak.c);
    soak.types[type]++;
    if (type == VJ_IP) {
        need(memcmp(soak.before, soak.packet, FRONT + octets) == 0, "a plain packet changed");
        return;
    }
    if (is_lost) {
        soak.lost++;
        soak.is_shifted[slot] = true;
        if (refreshes)
            vj_refresh_slot(soak.c, slot);
        return;
    }
    need(!refreshes || !soak.is_shifted[slot] || type == VJ_UNCOMPRESSED, "a refresh did not come");
    if (type == VJ_UNCOMPRESSED)
        soak.is_shifted[slot] = false;
    int put = vj_decompress(soak.d, type, packet + taken, octets - taken, FRONT + taken);
    judge(octets, put, taken, slot);
}

/* Loses one packet of each `every`, none of 0. */
static void play(unsigned slots, unsigned connections, unsigned every, bool refreshes,
                 const unsigned long given[2])
{
    soak.c = malloc(vj_compressor_octets(slots));
    soak.d = malloc(vj_decompressor_octets(slots));
    need(soak.c && soak.d, "no memory");
    vj_compressor_start(soak.c, slots);
    vj_decompressor_start(soak.d, slots);
    vj_traffic_start(&soak.traffic, connections, given[1]);
    memset(soak.types, 0, sizeof(soak.types));
    memset(soak.is_shifted, 0, sizeof(soak.is_shifted));
    soak.lost = soak.wrong = soak.unseen = soak.ids = 0;
    for (unsigned long i = 1; i <= given[0]; i++)
        pass(every > 0 && i % every == 0, refreshes);
    printf("%5u %11u %5u %7s %8lu %12lu %10lu %8lu %8lu %8lu %8lu\n", slots, connections, every,
           refreshes ? "yes" : "no", soak.types[VJ_IP], soak.types[VJ_UNCOMPRESSED],
           soak.types[VJ_COMPRESSED], soak.lost, soak.wrong, soak.unseen, soak.ids);
    free(soak.c);
    free(soak.d);
}

int main(int argc, char **argv)
{
    const unsigned long given[] = {argc > 1 ? strtoul(argv[1], NULL, 10) : 100000,
                                   argc > 2 ? strtoul(argv[2], NULL, 10) : 1};
    static const unsigned ends[][2] = {{16, 24}, {16, 12}, {1, 1}, {1, 3}, {8, 20}, {256, 300}};
    static const unsigned losses[] = {2, 3, 5, 7, 10, 20, 50, 100, 1000};
    printf("slots connections loss refresh    plain uncompressed compressed     lost    wrong   unseen      "
           "IDs\n");
    for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        play(ends[i][0], ends[i][1], 0, false, given);
    for (unsigned i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
        play(16, 24, losses[i], false, given);
        play(16, 24, losses[i], true, given);
        need(soak.wrong + soak.unseen + soak.ids == 0, "a packet is wrong behind a refresh");
    }
    return 0;
}
