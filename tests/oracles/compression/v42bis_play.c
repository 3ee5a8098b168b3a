/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: v42bis_play
 *
 * V.42bis for test_v42bis.py. Each line of the input is an order, each has a line of output: "new P1 P2"
 * makes an encoder and a decoder, "start" begins both again, "encode ROOM HEX" and "decode ROOM HEX" print
 * the octets or the negative error.
 */
#include "dataplane/compression/v42bis.h"
#include "dataplane/compression/v42bis_encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_OCTETS = 20000, ROOM_MAX = 8000 };

static struct v42bis *encoder, *decoder;

static struct v42bis *end_new(const struct v42bis_params *params)
{
    void *memory = malloc(v42bis_octets(params->codewords));
    return memory ? v42bis_setup(memory, params) : NULL;
}

static void make(unsigned codewords, unsigned string_octets)
{
    const struct v42bis_params params = {(uint16_t)codewords, (uint8_t)string_octets};
    free(encoder);
    free(decoder);
    encoder = end_new(&params);
    decoder = end_new(&params);
}

static unsigned from_hex(uint8_t *octets, const char *hex)
{
    unsigned count = 0, octet;
    for (; sscanf(hex, "%2x", &octet) == 1; hex += 2)
        octets[count++] = (uint8_t)octet;
    return count;
}

static void print(const uint8_t *octets, int count)
{
    if (count < 0)
        printf("%d", count);
    for (int i = 0; i < count; i++)
        printf("%02x", octets[i]);
}

int main(void)
{
    static char line[LINE_MAX_OCTETS];
    static uint8_t in[LINE_MAX_OCTETS / 2], out[ROOM_MAX];
    while (fgets(line, sizeof(line), stdin)) {
        unsigned a, b;
        int hex = 0;
        if (sscanf(line, "new %u %u", &a, &b) == 2)
            make(a, b);
        else if (strncmp(line, "start", 5) == 0)
            v42bis_start(encoder), v42bis_start(decoder);
        else if (sscanf(line, "encode %u %n", &a, &hex) == 1 && hex && a <= ROOM_MAX)
            print(out, v42bis_encode(encoder, in, from_hex(in, line + hex), out, a));
        else if (sscanf(line, "decode %u %n", &a, &hex) == 1 && hex && a <= ROOM_MAX)
            print(out, v42bis_decode(decoder, in, from_hex(in, line + hex), out, a));
        else
            return EXIT_FAILURE;
        putchar('\n');
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
