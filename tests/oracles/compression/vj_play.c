/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VJ play: packets of a judge in another language through one end:
 *
 *     vj_play compress SLOTS      packets in; what the compressor makes of them out
 *     vj_play decompress SLOTS    what a compressor makes in; packets out
 *
 * A record is a signed octet, a length in two octets, and as many octets. The first octet is enum vj_type,
 * LOST for a packet that the decompressor does not get, or enum vj_error, which no octets follow.
 */
#include "dataplane/base/bytes.h"
#include "dataplane/compression/vj.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 128, HEAD = 3, MOST = 65535, LOST = 3 };

static uint8_t block[ROOM + MOST];

static bool get(int *type, unsigned *octets)
{
    uint8_t head[HEAD];
    if (fread(head, HEAD, 1, stdin) != 1)
        return false;
    *type = head[0];
    *octets = bytes_get_u16(head + 1);
    return fread(block + ROOM, 1, *octets, stdin) == *octets;
}

static void put(int type, const uint8_t *at, unsigned octets)
{
    uint8_t head[HEAD] = {(uint8_t)type};
    bytes_put_u16(head + 1, (uint16_t)octets);
    fwrite(head, HEAD, 1, stdout);
    fwrite(at, 1, octets, stdout);
}

static void compress(struct vj_compressor *c, unsigned slots)
{
    int unused_type;
    unsigned octets;
    vj_compressor_start(c, slots);
    while (get(&unused_type, &octets)) {
        enum vj_type type;
        unsigned taken = vj_compress(c, block + ROOM, octets, &type);
        put((int)type, block + ROOM + taken, octets - taken);
    }
}

static void decompress(struct vj_decompressor *d, unsigned slots)
{
    int type;
    unsigned octets;
    vj_decompressor_start(d, slots);
    while (get(&type, &octets)) {
        if (type == LOST) {
            vj_toss(d);
            continue;
        }
        int more = type == VJ_IP ? 0 : vj_decompress(d, (enum vj_type)type, block + ROOM, octets, ROOM);
        put(more < 0 ? more : 0, block + ROOM - (more > 0 ? more : 0),
            more < 0 ? 0 : octets + (unsigned)more);
    }
}

int main(int argc, char **argv)
{
    const unsigned slots = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    const bool is_compressor = argc == 3 && strcmp(argv[1], "compress") == 0;
    if (slots < 1 || slots > VJ_MAX_SLOTS || (!is_compressor && strcmp(argv[1], "decompress") != 0)) {
        fprintf(stderr, "usage: vj_play compress|decompress SLOTS, 1 to %d\n", VJ_MAX_SLOTS);
        return 2;
    }
    void *end = malloc(is_compressor ? vj_compressor_octets(slots) : vj_decompressor_octets(slots));
    if (!end)
        return 1;
    if (is_compressor)
        compress(end, slots);
    else
        decompress(end, slots);
    free(end);
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
