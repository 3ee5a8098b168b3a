/* SPDX-License-Identifier: BSD-3-Clause */
/* Dictionary of V.42bis, and the count of escape octets: for the files of this folder alone. */
#ifndef DATAPLANE_COMPRESSION_V42BIS_DICTIONARY_H
#define DATAPLANE_COMPRESSION_V42BIS_DICTIONARY_H

#include "dataplane/compression/v42bis.h"

#include <stdbool.h>
#include <string.h>

/* Control codewords, then codewords of single octets, then those of longer strings (V.42bis 6.1, 7.3). */
enum {
    V42BIS_CODE_ETM,
    V42BIS_CODE_FLUSH,
    V42BIS_CODE_STEPUP,
    V42BIS_CODE_OCTET,
    V42BIS_CODE_STRING = V42BIS_CODE_OCTET + 256
};
/* Commands behind the escape octet (7.2), and what is added to it with each one in the data. */
enum { V42BIS_COMMAND_ECM, V42BIS_COMMAND_EID, V42BIS_COMMAND_RESET, V42BIS_ESCAPE_STEP = 51 };

/* Octet and parent's codeword are a string's key, in the high bits of a word; a string's length or codeword
 * is in the low. */
enum { V42BIS_OCTET_SHIFT = 12, V42BIS_PARENT_SHIFT = 20, V42BIS_LOW_MASK = (1 << V42BIS_OCTET_SHIFT) - 1 };
enum { V42BIS_HASH_SPARE_BITS = 1, V42BIS_HASH_STEP = 0x1f35 };

/* A string: that of its parent with an octet behind it. An entry with children is never reused, so parents
 * last. */
struct v42bis_entry {
    uint32_t string;   /* key and length in octets */
    uint16_t next;     /* of those with the same hash; 0: none */
    uint16_t children; /* a codeword below V42BIS_CODE_STRING has no such count */
};

/*
 * V42BIS_CODE_STRING <= code < filled, code != next_code <=> code has a string since C-INIT.
 * heads[hash] = key and codeword of the first of the strings with this hash, 0: none.
 */
struct v42bis_state {
    uint16_t next_code;  /* C1: it has no string and gets the next one */
    uint16_t filled;     /* above all codewords that have had a string since C-INIT */
    uint16_t last_added; /* which the string being matched may not become (6.3); 0: none */
    uint16_t string;     /* codeword of the last string; 0: none */
    uint16_t threshold;  /* C3 */
    uint8_t code_bits;   /* C2 */
    uint8_t escape;
    bool is_compressed;
    bool is_closed;  /* string gets no longer: the next octet begins another */
    bool is_escaped; /* decoder: the last octet was the escape */
    bool has_failed;
};

struct v42bis {
    struct v42bis_state now;
    uint16_t codewords;    /* P1 */
    uint16_t room;         /* most codewords that its memory has room for */
    uint8_t string_octets; /* P2 */
    uint8_t code_bits_max;
    uint16_t hash_mask;
    uint64_t parents[V42BIS_CODEWORDS_MAX / 64]; /* a bit for each codeword: has children */
    struct v42bis_entry entries[];               /* by codeword; behind them the heads */
};

static inline uint32_t *v42bis_heads_of(const struct v42bis *v)
{
    return (uint32_t *)(uintptr_t)(v->entries + v->room);
}

/* Of codewords with the same octet none have the same hash, so at most 256 strings do. Little is between
 * codeword and hash, since the next codeword waits for it. */
static inline unsigned v42bis_hash_of(const struct v42bis *v, unsigned parent, uint8_t octet)
{
    return parent << V42BIS_HASH_SPARE_BITS ^ (octet * V42BIS_HASH_STEP & v->hash_mask);
}

static inline uint32_t *v42bis_head_of(const struct v42bis *v, uint32_t string)
{
    return &v42bis_heads_of(
        v)[v42bis_hash_of(v, string >> V42BIS_PARENT_SHIFT, (uint8_t)(string >> V42BIS_OCTET_SHIFT))];
}

static inline unsigned v42bis_parent_of(const struct v42bis *v, unsigned code)
{
    return v->entries[code].string >> V42BIS_PARENT_SHIFT;
}

static inline unsigned v42bis_length_of(const struct v42bis *v, unsigned code)
{
    return code < V42BIS_CODE_STRING ? 1 : v->entries[code].string & V42BIS_LOW_MASK;
}

static inline uint32_t v42bis_key_of(unsigned parent, uint8_t octet)
{
    return parent << V42BIS_PARENT_SHIFT | (uint32_t)octet << V42BIS_OCTET_SHIFT;
}

/* Codeword of the string with an octet behind it, 0: it has none. */
static inline unsigned v42bis_find(const struct v42bis *v, unsigned string, uint8_t octet)
{
    const uint32_t key = v42bis_key_of(string, octet),
                   head = v42bis_heads_of(v)[v42bis_hash_of(v, string, octet)];
    if (__builtin_expect((head ^ key) <= V42BIS_LOW_MASK, 1))
        return head ^ key;
    unsigned code = head & V42BIS_LOW_MASK;
    do
        code = v->entries[code].next;
    while (code && (v->entries[code].string ^ key) > V42BIS_LOW_MASK);
    return code;
}

static inline void v42bis_link_in(struct v42bis *v, unsigned code, uint32_t string)
{
    uint32_t *head = v42bis_head_of(v, string);
    v->entries[code] = (struct v42bis_entry){.string = string, .next = (uint16_t)(*head & V42BIS_LOW_MASK)};
    *head = (string & ~(uint32_t)V42BIS_LOW_MASK) | code;
    const unsigned parent = string >> V42BIS_PARENT_SHIFT;
    v->entries[parent].children++;
    v->parents[code / 64] &= ~(UINT64_C(1) << code % 64);
    v->parents[parent / 64] |= UINT64_C(1) << parent % 64;
}

static inline void v42bis_link_out(struct v42bis *v, unsigned code)
{
    uint32_t *head = v42bis_head_of(v, v->entries[code].string);
    const unsigned next = v->entries[code].next;
    unsigned at = *head & V42BIS_LOW_MASK;
    const unsigned parent = v42bis_parent_of(v, code);
    v->parents[parent / 64] &= ~((uint64_t)(--v->entries[parent].children == 0) << parent % 64);
    if (at == code) {
        *head = next ? (v->entries[next].string & ~(uint32_t)V42BIS_LOW_MASK) | next : 0;
        return;
    }
    while (v->entries[at].next != code)
        at = v->entries[at].next;
    v->entries[at].next = (uint16_t)next;
}

static inline unsigned v42bis_next_leaf(const struct v42bis *v, unsigned code)
{
    for (;;) {
        if (code >= v->codewords)
            code = V42BIS_CODE_STRING;
        const uint64_t leaves = ~v->parents[code / 64] >> code % 64;
        if (leaves) {
            code += (unsigned)__builtin_ctzll(leaves);
            if (code < v->codewords)
                return code;
        } else {
            code = (code | 63) + 1;
        }
    }
}

/*
 * Gives next_code the string with an octet behind it, and takes the string of the next leaf, which becomes
 * next_code (6.4, 6.5). Returns the latter string, 0: it had none. The search ends: a chain of strings up to
 * P2 does not hold all entries, so there is a leaf beside the new one.
 */
static inline uint32_t v42bis_add(struct v42bis *v, unsigned string, uint8_t octet)
{
    const unsigned code = v->now.next_code;
    v42bis_link_in(v, code, v42bis_key_of(string, octet) | (v42bis_length_of(v, string) + 1));
    v->now.last_added = (uint16_t)code;
    if (code == v->now.filled)
        v->now.filled++;
    const unsigned next = v->now.filled < v->codewords ? v->now.filled : v42bis_next_leaf(v, code + 1);
    v->now.next_code = (uint16_t)next;
    if (next >= v->now.filled)
        return 0;
    v42bis_link_out(v, next);
    return v->entries[next].string;
}

struct v42bis_escapes {
    const uint8_t *next, *end; /* next is end: no more */
    uint8_t escape;
};

static inline void v42bis_escapes_seek(struct v42bis_escapes *e, const uint8_t *from)
{
    const uint8_t *next = memchr(from, e->escape, (size_t)(e->end - from));
    e->next = next ? next : e->end;
}

/* How many escape octets there are in front of this place; each changes the next. */
static inline unsigned v42bis_escapes_take(struct v42bis_escapes *e, const uint8_t *before)
{
    unsigned count = 0;
    for (; e->next < before; count++) {
        e->escape += V42BIS_ESCAPE_STEP;
        v42bis_escapes_seek(e, e->next + 1);
    }
    return count;
}

#endif
