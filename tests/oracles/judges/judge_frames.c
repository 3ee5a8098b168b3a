/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes random frames of one kind as a capture for a judge, and what our decoder says of each.
 *
 * usage: judge_frames KIND COUNT SEED FRAMES.pcap SAYINGS.txt
 */
#include "tests/oracles/judges/kind.h"
#include "tests/oracles/judges/mutation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKTYPE_USER0 = 147, SNAPLEN = 65535 };

static const struct kind *const kinds[] = {
    &kind_gtpu, &kind_gtpc, &kind_ns, &kind_sns, &kind_bssgp, &kind_llc, &kind_sndcp,
};

static const struct kind *kind_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    fprintf(stderr, "judge_frames: no kind '%s'\n", name);
    exit(2);
}

static FILE *file_open(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

static void write_or_die(FILE *file, const void *bytes, size_t octets)
{
    if (fwrite(bytes, 1, octets, file) != octets) {
        perror("judge_frames");
        exit(2);
    }
}

static void capture_begin(FILE *file)
{
    const uint32_t head[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, SNAPLEN, LINKTYPE_USER0};
    write_or_die(file, head, sizeof head);
}

static void capture_put(FILE *file, const uint8_t *bytes, size_t octets)
{
    const uint32_t head[] = {0, 0, (uint32_t)octets, (uint32_t)octets};
    write_or_die(file, head, sizeof head);
    write_or_die(file, bytes, octets);
}

static void frames(const struct kind *kind, uint64_t count, uint64_t seed, FILE *files[2])
{
    static struct saying saying;
    struct rng rng;
    rng_init(&rng, seed, 0);
    capture_begin(files[0]);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t bytes[KIND_MAX_OCTETS];
        size_t octets = kind->make(&rng, bytes, sizeof bytes);
        octets = mutation_of(&rng, kind, bytes, octets, sizeof bytes);
        if (octets == 0) /* which no capture can show */
            bytes[octets++] = (uint8_t)rng_below(&rng, 256);
        /* In memory of its own length, so that a sanitizer sees what is read behind the end. */
        uint8_t *exact = malloc(octets);
        memcpy(exact, bytes, octets);
        capture_put(files[0], exact, octets);
        kind->say(&saying, exact, octets);
        free(exact);
        fprintf(files[1], "%s\n", saying.text);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: judge_frames KIND COUNT SEED FRAMES.pcap SAYINGS.txt\n");
        return 2;
    }
    const struct kind *kind = kind_by_name(argv[1]);
    FILE *files[2] = {file_open(argv[4]), file_open(argv[5])};
    frames(kind, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), files);
    return fclose(files[0]) || fclose(files[1]) ? 2 : 0;
}
