/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_pcapng.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"

#include <stdlib.h>
#include <string.h>

#define SECTION     UINT32_C(0x0a0d0d0a)
#define ORDER       UINT32_C(0x1a2b3c4d)
#define LAST_SECOND INT64_C(8000000000) /* room above it in 64 bits of nanoseconds */

enum { INTERFACE = 1, OLD_PACKET = 2, SIMPLE = 3, ENHANCED = 6 };
enum { FRAME_OCTETS = 12, HEAD_OCTETS = 8, SECTION_OCTETS = 28 };
enum { OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };

#define MICROSECONDS UINT64_C(1000000)

static const char broken_off[] = "it breaks off within a block";
static const char malformed[] = "a block that contradicts itself";

bool gi_pcapng_is_next(FILE *file)
{
    int first = fgetc(file);
    if (first == EOF)
        return false;
    ungetc(first, file);
    return first == (SECTION & 0xff);
}

void gi_pcapng_fini(struct gi_pcapng *p)
{
    free(p->block);
    *p = (struct gi_pcapng){0};
}

static uint32_t u32(const struct gi_pcapng *p, size_t at)
{
    uint32_t value = bytes_get_u32(p->block + at);
    return p->is_big ? value : __builtin_bswap32(value);
}

static uint16_t u16(const struct gi_pcapng *p, size_t at)
{
    uint16_t value = bytes_get_u16(p->block + at);
    return p->is_big ? value : __builtin_bswap16(value);
}

static bool make_room(struct gi_pcapng *p, uint32_t octets)
{
    if (octets <= p->room)
        return true;
    uint8_t *block = realloc(p->block, octets);
    if (!block)
        return false;
    p->block = block;
    p->room = octets;
    return true;
}

/* A section's own byte order stands in its third word. */
static bool learn_order(struct gi_pcapng *p)
{
    uint32_t order = bytes_get_u32(p->block + HEAD_OCTETS);
    p->is_big = order == ORDER;
    return p->is_big || __builtin_bswap32(order) == ORDER;
}

static bool is_sound(uint32_t type, uint32_t octets)
{
    uint32_t least = type == SECTION ? SECTION_OCTETS : FRAME_OCTETS;
    return octets >= least && octets % 4 == 0 && octets <= GI_PCAPNG_MOST_OCTETS;
}

/* A whole block. Returns its octets; 0: the end, or what is wrong is in *error. */
static uint32_t read_block(struct gi_pcapng *p, uint32_t *type, const char **error)
{
    if (!make_room(p, FRAME_OCTETS)) {
        *error = "no memory";
        return 0;
    }
    size_t got = fread(p->block, 1, FRAME_OCTETS, p->file);
    if (got == 0 && feof(p->file))
        return 0;
    *error = broken_off;
    if (got < FRAME_OCTETS)
        return 0;
    *type = u32(p, 0);
    if (*type == SECTION && !learn_order(p)) {
        *error = "a section of no known byte order";
        return 0;
    }
    uint32_t octets = u32(p, 4);
    if (!is_sound(*type, octets) || !make_room(p, octets)) {
        *error = malformed;
        return 0;
    }
    uint32_t rest = octets - FRAME_OCTETS;
    if (fread(p->block + FRAME_OCTETS, 1, rest, p->file) < rest)
        return 0;
    *error = u32(p, octets - 4) == octets ? NULL : malformed;
    return *error ? 0 : octets;
}

const char *gi_pcapng_open(struct gi_pcapng *p, FILE *file)
{
    const char *error = NULL;
    uint32_t type = 0;
    *p = (struct gi_pcapng){.file = file};
    bool is_section = read_block(p, &type, &error) > 0 && type == SECTION;
    if (is_section)
        return NULL;
    gi_pcapng_fini(p);
    return error ? error : "it does not begin with a section";
}

/* A power of 10 or, with the top bit, of 2; what does not fit 64 bits counts as microseconds. */
static uint64_t units_of(uint8_t resolution)
{
    uint64_t units = 1;
    if (resolution & 0x80)
        return (resolution & 0x7f) < 64 ? UINT64_C(1) << (resolution & 0x7f) : MICROSECONDS;
    if (resolution > 19)
        return MICROSECONDS;
    while (resolution--)
        units *= 10;
    return units;
}

static void read_option(const struct gi_pcapng *p, struct gi_pcapng_interface *out, size_t at)
{
    uint16_t code = u16(p, at), octets = u16(p, at + 2);
    if (code == OPTION_RESOLUTION && octets == 1)
        out->units = units_of(p->block[at + 4]);
    if (code != OPTION_OFFSET || octets != 8)
        return;
    uint64_t first = u32(p, at + 4), second = u32(p, at + 8);
    out->offset_s = (int64_t)(p->is_big ? first << 32 | second : second << 32 | first);
}

static const char *add_interface(struct gi_pcapng *p, uint32_t octets)
{
    if (octets < 20)
        return malformed;
    if (p->interface_count == GI_PCAPNG_INTERFACES)
        return "more than 256 interfaces";
    struct gi_pcapng_interface *out = &p->interfaces[p->interface_count++];
    *out = (struct gi_pcapng_interface){
        .link_type = u16(p, 8), .snap_octets = u32(p, 12), .units = MICROSECONDS};
    size_t at = 16, end = octets - 4;
    while (at + 4 <= end && u16(p, at) != 0) {
        size_t next = at + 4 + (((size_t)u16(p, at + 2) + 3) & ~(size_t)3);
        if (next > end)
            break;
        read_option(p, out, at);
        at = next;
    }
    return NULL;
}

static int64_t time_ns(const struct gi_pcapng_interface *i, uint64_t stamp)
{
    int64_t whole_s = moment_min((int64_t)(stamp / i->units >> 1), LAST_SECOND) * 2 + (stamp / i->units & 1);
    int64_t offset_s = moment_max(-LAST_SECOND, moment_min(i->offset_s, LAST_SECOND));
    int64_t at_s = moment_max(0, moment_min(whole_s + offset_s, LAST_SECOND));
    __uint128_t rest = (__uint128_t)(stamp % i->units) * MOMENT_SECOND / i->units;
    return at_s * MOMENT_SECOND + (int64_t)rest;
}

/* Where what a packet block says of its packet begins, and the data behind it. */
struct place {
    uint32_t interface;
    size_t stamp, lengths, data; /* stamp 0: there is none */
};

static const char *read_packet(struct gi_pcapng *p, const struct place *at, uint32_t octets,
                               struct gi_pcapng_packet *out)
{
    if (octets < at->data + 4)
        return malformed;
    if (at->interface >= p->interface_count)
        return "a packet of an interface that is not described";
    const struct gi_pcapng_interface *interface = &p->interfaces[at->interface];
    uint32_t room = octets - (uint32_t)at->data - 4, snap = interface->snap_octets;
    out->captured = u32(p, at->lengths);
    out->wire_octets = at->stamp ? u32(p, at->lengths + 4) : out->captured;
    if (!at->stamp && snap && out->captured > snap)
        out->captured = snap;
    if (out->captured > room)
        return malformed;
    out->bytes = p->block + at->data;
    out->link_type = interface->link_type;
    if (at->stamp)
        p->last_ns = time_ns(interface, (uint64_t)u32(p, at->stamp) << 32 | u32(p, at->stamp + 4));
    out->at_ns = p->last_ns;
    return NULL;
}

int gi_pcapng_next(struct gi_pcapng *p, struct gi_pcapng_packet *out, const char **error)
{
    uint32_t type, octets;
    *error = NULL;
    while (!*error && (octets = read_block(p, &type, error)) > 0) {
        struct place at = {.interface = 0, .stamp = 12, .lengths = 20, .data = 28};
        if (type == SECTION) {
            p->interface_count = 0;
            continue;
        }
        if (type == INTERFACE) {
            *error = add_interface(p, octets);
            continue;
        }
        if (type == SIMPLE)
            at = (struct place){.interface = 0, .stamp = 0, .lengths = 8, .data = 12};
        else if (type != ENHANCED && type != OLD_PACKET)
            continue;
        if (type != SIMPLE)
            at.interface = octets < 16 ? UINT32_MAX : type == ENHANCED ? u32(p, 8) : u16(p, 8);
        *error = read_packet(p, &at, octets, out);
        if (!*error)
            return 1;
    }
    return *error ? -1 : 0;
}
