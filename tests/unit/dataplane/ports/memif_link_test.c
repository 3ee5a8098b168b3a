/* SPDX-License-Identifier: BSD-3-Clause */
/* What the peer of a memif link may say: whole ways up of both roles, and one wrong message each. */
#include "dataplane/ports/memif_link.h"
#include "tests/unit/unit.h"

#include <string.h>

#define REGION 65536
#define QUEUES 2

/* A message by the fields that the node looks at. */
struct said {
    enum memif_link_kind kind;
    unsigned a, b, c, d,
        e; /* region: index, octets; ring: flags, index, region, offset, log2; hello: rings less one */
    uint64_t file_octets;
    unsigned files;
};

static const char *say(struct memif_link *link, const struct said *said)
{
    uint8_t message[MEMIF_LINK_OCTETS] = {(uint8_t)said->kind};
    uint16_t words[] = {(uint16_t)said->a, (uint16_t)said->b, (uint16_t)said->c};
    uint64_t octets = said->b;
    uint32_t offset = said->d;
    if (said->kind == MEMIF_LINK_HELLO)
        memcpy(message + 2 + 38, words, 4);
    if (said->kind == MEMIF_LINK_ADD_REGION) {
        memcpy(message + 2, words, 2);
        memcpy(message + 4, &octets, sizeof(octets));
    }
    if (said->kind == MEMIF_LINK_ADD_RING) {
        memcpy(message + 2, words, 6);
        memcpy(message + 8, &offset, sizeof(offset));
        message[12] = (uint8_t)said->e;
    }
    struct memif_link_files files = {.count = said->files, .octets = said->file_octets};
    return memif_link_take(link, message, &files);
}

#define INIT                                                                                                 \
    {                                                                                                        \
        .kind = MEMIF_LINK_INIT                                                                              \
    }
#define HELLO                                                                                                \
    {                                                                                                        \
        .kind = MEMIF_LINK_HELLO, .a = 1, .b = 1                                                             \
    }
#define CONNECT                                                                                              \
    {                                                                                                        \
        .kind = MEMIF_LINK_CONNECT                                                                           \
    }
#define REGION_OF(index, octets)                                                                             \
    {                                                                                                        \
        .kind = MEMIF_LINK_ADD_REGION, .a = (index), .b = (octets), .file_octets = REGION, .files = 1        \
    }
#define RING(flags, index, region, offset, log2)                                                             \
    {                                                                                                        \
        MEMIF_LINK_ADD_RING, flags, index, region, offset, log2, 0, 1                                        \
    }
#define RINGS RING(1, 0, 0, 0, 5), RING(1, 1, 0, 1024, 5), RING(0, 0, 0, 2048, 5), RING(0, 1, 0, 4096, 5)

#define MOST 8
static const struct {
    bool is_client;
    const char *why; /* of the last message; NULL: all may pass */
    struct said said[MOST];
} rows[] = {
    {false, NULL, {INIT, REGION_OF(0, REGION), RINGS, CONNECT, {.kind = MEMIF_LINK_DISCONNECT}}},
    {true, NULL, {HELLO, {.kind = MEMIF_LINK_ACK}, {.kind = MEMIF_LINK_CONNECTED}}},
    {false, NULL, {INIT, REGION_OF(0, REGION), RING(1, 0, 0, REGION - 128 - 16 * 32, 5)}},
    {false,
     "not within its region",
     {INIT, REGION_OF(0, REGION), RING(1, 0, 0, REGION - 128 - 16 * 32 + 1, 5)}},
    {false, "not within its region", {INIT, REGION_OF(0, REGION), RING(1, 0, 0, 0xffffffff, 5)}},
    {false, "not within its region", {INIT, REGION_OF(0, REGION), RING(1, 0, 0, 0, 15)}},
    {false, "not within its region", {INIT, REGION_OF(0, REGION), RING(1, 0, 1, 0, 5)}},
    {false, "not within its region", {INIT, RING(1, 0, 0, 0, 5)}},
    {false, "longer than the region's file", {INIT, REGION_OF(0, REGION + 1)}},
    {false, "out of order", {INIT, REGION_OF(1, REGION)}},
    {false, "out of order", {INIT, REGION_OF(0, REGION), RING(1, QUEUES, 0, 0, 5)}},
    {false, "out of order", {INIT, REGION_OF(0, REGION), RING(1, 0, 0, 0, 5), RING(1, 0, 0, 0, 5)}},
    {false, "out of order", {INIT, INIT}},
    {false, "out of order", {REGION_OF(0, REGION)}},
    {false, "out of order", {CONNECT}},
    {false, "out of order", {HELLO}},
    {false, "out of order", {INIT, {.kind = 9}}},
    {false, "out of order", {INIT, REGION_OF(0, REGION), RINGS, CONNECT, REGION_OF(1, REGION)}},
    {false,
     "fewer rings",
     {INIT, REGION_OF(0, REGION), RING(1, 0, 0, 0, 5), RING(0, 0, 0, 1024, 5), CONNECT}},
    {true, "fewer rings", {{.kind = MEMIF_LINK_HELLO, .a = 1, .b = 0}}},
    {true, "out of order", {HELLO, HELLO}},
    {true, "out of order", {{.kind = MEMIF_LINK_CONNECTED}}},
    {true, "out of order", {INIT}},
    {false, "more files", {{.kind = MEMIF_LINK_INIT, .files = 1}}},
    {false, "more files", {INIT, {.kind = MEMIF_LINK_ACK, .files = 1}}},
    {false, "more files", {INIT, {.kind = MEMIF_LINK_DISCONNECT, .files = 1}}},
    {false,
     "more files",
     {INIT, {.kind = MEMIF_LINK_ADD_REGION, .b = REGION, .file_octets = REGION, .files = 2}}},
    {false, "more files", {INIT, REGION_OF(0, REGION), {MEMIF_LINK_ADD_RING, 1, 0, 0, 0, 5, 0, 2}}},
};

TEST(messages)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct memif_link link = {.is_server = !rows[i].is_client, .queues = QUEUES};
        const char *why = NULL;
        for (size_t k = 0; k < MOST && rows[i].said[k].kind; k++) {
            assert_null(why); /* only the last is wrong */
            why = say(&link, &rows[i].said[k]);
        }
        if (!rows[i].why)
            assert_null(why);
        else if (!why || !strstr(why, rows[i].why))
            fail_msg("row %zu: '%s' instead of '%s'", i, why ? why : "it passes", rows[i].why);
    }
}

UNIT_MAIN(NULL, NULL)
