/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/v42bis.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Control codewords, then codewords of single octets, then those of longer strings (V.42bis 6.1, 7.3). */
enum { CODE_ETM, CODE_FLUSH, CODE_STEPUP, CODE_OCTET, CODE_STRING = CODE_OCTET + 256 };
/* Commands behind the escape octet (7.2), and what is added to it with each one in the data. */
enum { COMMAND_ECM, COMMAND_EID, COMMAND_RESET, ESCAPE_STEP = 51 };
enum { FIRST_CODE_BITS = 9, FIRST_THRESHOLD = 512 };

/* Octet and parent's codeword are a string's key, in the high bits of a word; a string's length or codeword
 * is in the low. */
enum { OCTET_SHIFT = 12, PARENT_SHIFT = 20, LOW_MASK = (1 << OCTET_SHIFT) - 1 };
enum { HASH_SPARE_BITS = 1, HASH_STEP = 0x1f35 };
enum {
    CLEAR_SHARE = 32
}; /* below heads / CLEAR_SHARE strings, clearing their heads takes less than clearing all */

/* A string: that of its parent with an octet behind it. An entry with children is never reused, so parents
 * last. */
struct entry {
    uint32_t string;   /* key and length in octets */
    uint16_t next;     /* of those with the same hash; 0: none */
    uint16_t children; /* a codeword below CODE_STRING has no such count */
};

/*
 * CODE_STRING <= code < filled, code != next_code <=> code has a string since C-INIT.
 * heads[hash] = key and codeword of the first of the strings with this hash, 0: none.
 */
struct state {
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
    struct state now;
    uint16_t codewords;    /* P1 */
    uint8_t string_octets; /* P2 */
    uint8_t code_bits_max;
    uint16_t hash_mask;
    struct entry entries[]; /* by codeword; behind them the heads */
};

static unsigned bits_of(unsigned codewords)
{
    unsigned bits = FIRST_CODE_BITS;
    while (1u << bits < codewords)
        bits++;
    return bits;
}

size_t v42bis_octets(unsigned codewords)
{
    return sizeof(struct v42bis) + codewords * sizeof(struct entry) +
           (sizeof(uint32_t) << (bits_of(codewords) + HASH_SPARE_BITS));
}

struct v42bis *v42bis_setup(void *memory, const struct v42bis_params *params)
{
    struct v42bis *v = memory;
    assert(params->codewords >= V42BIS_CODEWORDS_MIN && params->codewords <= V42BIS_CODEWORDS_MAX);
    assert(params->string_octets >= V42BIS_STRING_MIN_OCTETS &&
           params->string_octets <= V42BIS_STRING_MAX_OCTETS);
    memset(v, 0, v42bis_octets(params->codewords));
    v->codewords = params->codewords;
    v->string_octets = params->string_octets;
    v->code_bits_max = (uint8_t)bits_of(params->codewords);
    v->hash_mask = (uint16_t)((1u << (v->code_bits_max + HASH_SPARE_BITS)) - 1);
    v42bis_start(v);
    return v;
}

static inline uint32_t *heads_of(const struct v42bis *v)
{
    return (uint32_t *)(uintptr_t)(v->entries + v->codewords);
}

/* Of codewords with the same octet none have the same hash, so at most 256 strings do. Little is between
 * codeword and hash, since the next codeword waits for it. */
static inline unsigned hash_of(const struct v42bis *v, unsigned parent, uint8_t octet)
{
    return parent << HASH_SPARE_BITS ^ (octet * HASH_STEP & v->hash_mask);
}

static inline uint32_t *head_of(const struct v42bis *v, uint32_t string)
{
    return &heads_of(v)[hash_of(v, string >> PARENT_SHIFT, (uint8_t)(string >> OCTET_SHIFT))];
}

static void heads_clear(struct v42bis *v)
{
    const size_t count = (size_t)v->hash_mask + 1;
    if (v->now.filled >= CODE_STRING + count / CLEAR_SHARE) {
        memset(heads_of(v), 0, count * sizeof(*heads_of(v)));
        return;
    }
    for (unsigned code = CODE_STRING; code < v->now.filled; code++)
        *head_of(v, v->entries[code].string) = 0;
}

void v42bis_start(struct v42bis *v)
{
    heads_clear(v);
    v->now = (struct state){
        .next_code = CODE_STRING,
        .filled = CODE_STRING,
        .threshold = FIRST_THRESHOLD,
        .code_bits = FIRST_CODE_BITS,
    };
}

static inline unsigned parent_of(const struct v42bis *v, unsigned code)
{
    return v->entries[code].string >> PARENT_SHIFT;
}

static inline unsigned length_of(const struct v42bis *v, unsigned code)
{
    return code < CODE_STRING ? 1 : v->entries[code].string & LOW_MASK;
}

static inline uint32_t key_of(unsigned parent, uint8_t octet)
{
    return parent << PARENT_SHIFT | (uint32_t)octet << OCTET_SHIFT;
}

/* Codeword of the string with an octet behind it, 0: it has none. */
static inline unsigned find(const struct v42bis *v, unsigned string, uint8_t octet)
{
    const uint32_t key = key_of(string, octet), head = heads_of(v)[hash_of(v, string, octet)];
    if (__builtin_expect((head ^ key) <= LOW_MASK, 1))
        return head ^ key;
    unsigned code = head & LOW_MASK;
    do
        code = v->entries[code].next;
    while (code && (v->entries[code].string ^ key) > LOW_MASK);
    return code;
}

static inline void link_in(struct v42bis *v, unsigned code, uint32_t string)
{
    uint32_t *head = head_of(v, string);
    v->entries[code] = (struct entry){.string = string, .next = (uint16_t)(*head & LOW_MASK)};
    *head = (string & ~(uint32_t)LOW_MASK) | code;
    v->entries[string >> PARENT_SHIFT].children++;
}

static inline void link_out(struct v42bis *v, unsigned code)
{
    uint32_t *head = head_of(v, v->entries[code].string);
    const unsigned next = v->entries[code].next;
    unsigned at = *head & LOW_MASK;
    v->entries[parent_of(v, code)].children--;
    if (at == code) {
        *head = next ? (v->entries[next].string & ~(uint32_t)LOW_MASK) | next : 0;
        return;
    }
    while (v->entries[at].next != code)
        at = v->entries[at].next;
    v->entries[at].next = (uint16_t)next;
}

/*
 * Gives next_code the string with an octet behind it, and takes the string of the next leaf, which becomes
 * next_code (6.4, 6.5). Returns the latter string, 0: it had none. The search ends: a chain of strings up to
 * P2 does not hold all entries, so there is a leaf beside the new one.
 */
static inline uint32_t add(struct v42bis *v, unsigned string, uint8_t octet)
{
    const unsigned code = v->now.next_code;
    link_in(v, code, key_of(string, octet) | (length_of(v, string) + 1));
    v->now.last_added = (uint16_t)code;
    if (code == v->now.filled)
        v->now.filled++;
    unsigned next = code;
    do
        next = next + 1 == v->codewords ? CODE_STRING : next + 1;
    while (next < v->now.filled && v->entries[next].children > 0);
    v->now.next_code = (uint16_t)next;
    if (next >= v->now.filled)
        return 0;
    link_out(v, next);
    return v->entries[next].string;
}

/* The string does not grow by this octet, which is the first of the next one: see add(). */
static inline uint32_t update(struct v42bis *v, unsigned string, uint8_t octet)
{
    v->now.last_added = 0;
    return length_of(v, string) < v->string_octets && !find(v, string, octet) ? add(v, string, octet) : 0;
}

/* ---- encoder ---- */

enum { NEVER_BITS = 1 << 24, PADDING_BITS = 4 };

/* A string of the N-PDU, and what the dictionary got and lost behind it. */
struct step {
    uint32_t taken;       /* string that next_code had before, 0: none */
    uint16_t code, added; /* added 0: nothing */
    uint8_t octets,
        hits; /* of this N-PDU, none if an N-PDU before had them all; those that are the escape octet */
    bool is_longest;
    bool is_compressed;    /* by choose() */
    bool is_from_other[2]; /* whether the cheapest way to end it in a mode was in the other one before */
};

static inline void step_add(struct v42bis *v, struct step *step, uint8_t octet)
{
    step->added = v->now.next_code;
    step->taken = add(v, step->code, octet);
}

/*
 * Splits an N-PDU into strings. A decoder in transparent mode makes the same ones; one in compressed mode
 * takes any. Only behind ETM it forgets last_added, which matters behind a string of P2 octets: is_longest.
 */
static unsigned parse(struct v42bis *v, const uint8_t *in, unsigned octets, struct step *steps)
{
    struct step *step = steps;
    unsigned at = 0, start = 0, code = v->now.string;
    if (code && v->now.is_closed) {
        *step = (struct step){.code = (uint16_t)code};
        v->now.last_added = 0;
        if (length_of(v, code) < v->string_octets && !find(v, code, in[0]))
            step_add(v, step, in[0]);
        step++;
    }
    if (!code || v->now.is_closed)
        code = CODE_OCTET + in[at++];
    for (;; step++) {
        unsigned next = 0;
        while (at < octets && (next = find(v, code, in[at])) != 0 && next != v->now.last_added) {
            code = next;
            at++;
        }
        *step = (struct step){.code = (uint16_t)code, .octets = (uint8_t)(at - start)};
        if (at == octets)
            break;
        if (next)
            v->now.last_added = 0;
        else if (length_of(v, code) < v->string_octets)
            step_add(v, step, in[at]);
        else
            step->is_longest = true;
        start = at;
        code = CODE_OCTET + in[at++];
    }
    return (unsigned)(step - steps) + 1;
}

struct escapes {
    const uint8_t *next, *end; /* next is end: no more */
    uint8_t escape;
};

static inline void escapes_seek(struct escapes *e, const uint8_t *from)
{
    const uint8_t *next = memchr(from, e->escape, (size_t)(e->end - from));
    e->next = next ? next : e->end;
}

/* How many escape octets there are in front of this place; each changes the next. */
static inline unsigned escapes_take(struct escapes *e, const uint8_t *before)
{
    unsigned count = 0;
    for (; e->next < before; count++) {
        e->escape += ESCAPE_STEP;
        escapes_seek(e, e->next + 1);
    }
    return count;
}

/*
 * Chooses the mode of each step so that the sum of bits is least, but for rounding: of both modes the
 * cheapest way to be in them behind a step is known, and follows from those behind the step before. An open
 * string ends in the mode it began.
 */
static void choose(const struct v42bis *v, const uint8_t *in, unsigned octets, struct step *steps,
                   unsigned count)
{
    const bool is_open = v->now.string && !v->now.is_closed && !v->now.is_compressed;
    struct escapes escapes = {.end = in + octets, .escape = v->now.escape};
    unsigned plain = v->now.is_compressed ? NEVER_BITS : 0,
             compressed = v->now.is_compressed ? 0 : NEVER_BITS;
    unsigned code_bits = v->now.code_bits, threshold = v->now.threshold;
    const uint8_t *at = in;
    escapes_seek(&escapes, in);
    for (unsigned i = 0; i < count; i++) {
        struct step *step = &steps[i];
        const unsigned to_plain =
            i && steps[i - 1].is_longest ? NEVER_BITS : compressed + code_bits + PADDING_BITS;
        const unsigned to_compressed = i == 0 && is_open ? NEVER_BITS : plain + 16;
        unsigned step_bits = step->octets > 0 ? code_bits : 0;
        for (; step->code >= threshold; threshold *= 2)
            step_bits += ++code_bits;
        at += step->octets;
        step->hits = (uint8_t)escapes_take(&escapes, at);
        step->is_from_other[false] = to_plain < plain;
        step->is_from_other[true] = to_compressed < compressed;
        plain = (to_plain < plain ? to_plain : plain) + 8u * (step->octets + step->hits);
        compressed = (to_compressed < compressed ? to_compressed : compressed) + step_bits;
    }
    bool is_compressed = compressed + code_bits + PADDING_BITS < plain;
    for (unsigned i = count; i-- > 0; is_compressed ^= steps[i].is_from_other[is_compressed])
        steps[i].is_compressed = is_compressed;
}

struct writer {
    uint8_t *at, *end;
    uint64_t bits; /* less than 8 of them wait for their octet */
    unsigned count;
    bool is_full;
};

static inline void write_octets(struct writer *w, const uint8_t *octets, size_t count)
{
    w->is_full |= count > (size_t)(w->end - w->at);
    if (w->is_full)
        return;
    memcpy(w->at, octets, count);
    w->at += count;
}

static inline void write_command(struct writer *w, uint8_t escape, uint8_t command)
{
    write_octets(w, (const uint8_t[]){escape, command}, 2);
}

static inline void put_low_first(uint8_t *at, uint64_t bits)
{
    bits = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(bits) : bits;
    memcpy(at, &bits, sizeof(bits));
}

/* Low bits come first. */
static inline void write_code(struct v42bis *v, struct writer *w, unsigned code)
{
    w->bits |= (uint64_t)code << w->count;
    w->count += v->now.code_bits;
    if (w->end - w->at >= (ptrdiff_t)sizeof(w->bits)) {
        put_low_first(w->at, w->bits);
        w->at += w->count / 8;
        w->bits >>= w->count & ~7u;
        w->count &= 7;
        return;
    }
    for (; w->count >= 8; w->count -= 8, w->bits >>= 8) {
        w->is_full |= w->at == w->end;
        if (w->is_full)
            return;
        *w->at++ = (uint8_t)w->bits;
    }
}

/* A control code behind which the next octet is a new one. */
static void write_last_code(struct v42bis *v, struct writer *w, unsigned code)
{
    write_code(v, w, code);
    if (w->count > 0)
        write_octets(w, (const uint8_t[]){(uint8_t)w->bits}, 1);
    w->bits = w->count = 0;
}

static inline void write_compressed(struct v42bis *v, struct writer *w, const struct step *step)
{
    for (; step->code >= v->now.threshold; v->now.threshold *= 2) {
        write_code(v, w, CODE_STEPUP);
        v->now.code_bits++;
    }
    if (step->octets > 0)
        write_code(v, w, step->code);
    v->now.escape += (uint8_t)(step->hits * ESCAPE_STEP);
}

static inline void write_transparent(struct v42bis *v, struct writer *w, const uint8_t *in,
                                     const struct step *step)
{
    const uint8_t *end = in + step->octets;
    for (unsigned hits = step->hits; hits > 0; hits--) {
        const uint8_t *hit = memchr(in, v->now.escape, (size_t)(end - in));
        write_octets(w, in, (size_t)(hit - in));
        write_command(w, v->now.escape, COMMAND_EID);
        v->now.escape += ESCAPE_STEP;
        in = hit + 1;
    }
    write_octets(w, in, (size_t)(end - in));
}

static void write_steps(struct v42bis *v, struct writer *w, const uint8_t *in, const struct step *steps,
                        unsigned count)
{
    for (unsigned i = 0; i < count && !w->is_full; in += steps[i].octets, i++) {
        const struct step *step = &steps[i];
        if (step->is_compressed != v->now.is_compressed) {
            if (step->is_compressed)
                write_command(w, v->now.escape, COMMAND_ECM);
            else
                write_last_code(v, w, CODE_ETM);
            v->now.is_compressed = step->is_compressed;
        }
        if (step->is_compressed)
            write_compressed(v, w, step);
        else
            write_transparent(v, w, in, step);
    }
    if (v->now.is_compressed)
        write_last_code(v, w, CODE_FLUSH);
    v->now.is_closed = v->now.is_compressed;
}

/* Takes back what the steps did to the dictionary, the last first. */
static void undo(struct v42bis *v, const struct step *steps, unsigned count)
{
    for (const struct step *step = steps + count; step-- > steps;) {
        if (!step->added)
            continue;
        if (step->taken)
            link_in(v, v->now.next_code, step->taken);
        link_out(v, step->added);
        v->now.next_code = step->added;
    }
}

int v42bis_encode(struct v42bis *v, const uint8_t *in, unsigned octets, uint8_t *out, unsigned room)
{
    struct step steps[V42BIS_N_PDU_MAX_OCTETS + 1];
    const struct state before = v->now;
    struct writer w = {.at = out, .end = out + room};
    if (octets > V42BIS_N_PDU_MAX_OCTETS)
        return V42BIS_NO_ROOM;
    if (octets == 0)
        return 0;
    const unsigned count = parse(v, in, octets, steps);
    choose(v, in, octets, steps, count);
    v->now.string = steps[count - 1].code;
    write_steps(v, &w, in, steps, count);
    if (!w.is_full)
        return (int)(w.at - out);
    undo(v, steps, count);
    v->now = before;
    return V42BIS_NO_ROOM;
}

/* ---- decoder ---- */

/* Adds the strings of octets of transparent mode, the same ones as parse(). */
static void train(struct v42bis *v, const uint8_t *in, unsigned octets)
{
    unsigned at = 0, code = v->now.string;
    if (octets == 0)
        return;
    if (code && v->now.is_closed)
        update(v, code, in[0]);
    if (!code || v->now.is_closed)
        code = CODE_OCTET + in[at++];
    for (;;) {
        unsigned next = 0;
        while (at < octets && (next = find(v, code, in[at])) != 0 && next != v->now.last_added) {
            code = next;
            at++;
        }
        if (at == octets)
            break;
        if (next)
            v->now.last_added = 0;
        else if (length_of(v, code) < v->string_octets)
            add(v, code, in[at]);
        code = CODE_OCTET + in[at++];
    }
    v->now.string = (uint16_t)code;
    v->now.is_closed = false;
}

/* An N-PDU while it is decoded. */
struct reader {
    const uint8_t *in, *in_end;
    uint8_t *out, *out_end;
};

static int take_transparent(struct v42bis *v, struct reader *r, const uint8_t *octets, size_t count)
{
    if (count > (size_t)(r->out_end - r->out))
        return V42BIS_NO_ROOM;
    memcpy(r->out, octets, count);
    r->out += count;
    train(v, octets, (unsigned)count);
    return 0;
}

static int take_command(struct v42bis *v, struct reader *r)
{
    const uint8_t escape = v->now.escape;
    v->now.is_escaped = false;
    switch (*r->in++) {
    case COMMAND_ECM:
        v->now.is_compressed = true;
        v->now.is_closed = true;
        return 0;
    case COMMAND_EID:
        v->now.escape += ESCAPE_STEP;
        return take_transparent(v, r, &escape, 1);
    case COMMAND_RESET:
        v42bis_start(v);
        return 0;
    default:
        return V42BIS_COMMAND;
    }
}

static int read_transparent(struct v42bis *v, struct reader *r)
{
    if (v->now.is_escaped)
        return take_command(v, r);
    const uint8_t *from = r->in, *escape = memchr(from, v->now.escape, (size_t)(r->in_end - from));
    v->now.is_escaped = escape != NULL;
    r->in = escape ? escape + 1 : r->in_end;
    return take_transparent(v, r, from, (size_t)((escape ? escape : r->in_end) - from));
}

/* Writes the string of a codeword, the last octet first. */
static inline int take_string(struct v42bis *v, struct reader *r, unsigned code)
{
    if (code >= v->now.filled || code == v->now.next_code)
        return V42BIS_EMPTY_CODE;
    const unsigned length = length_of(v, code);
    if (length > (size_t)(r->out_end - r->out))
        return V42BIS_NO_ROOM;
    uint8_t *first = r->out, *at = r->out + length;
    unsigned part = code;
    for (; part >= CODE_STRING; part = parent_of(v, part))
        *--at = (uint8_t)(v->entries[part].string >> OCTET_SHIFT);
    *--at = (uint8_t)(part - CODE_OCTET);
    r->out += length;
    if (v->now.string)
        update(v, v->now.string, *first);
    v->now.string = (uint16_t)code;
    /* The update may have taken it: the encoder updates before it looks for a string. */
    return code == v->now.next_code ? V42BIS_EMPTY_CODE : 0;
}

/* Bits from this one on; behind the end they are zeros. */
static inline uint32_t peek_bits(const struct reader *r, size_t bit)
{
    const uint8_t *at = r->in + bit / 8;
    uint32_t value = 0;
    if (r->in_end - at >= 4)
        memcpy(&value, at, 4);
    else
        memcpy(&value, at, (size_t)(r->in_end - at));
    value = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(value) : value;
    return value >> bit % 8;
}

/* Codewords up to ETM or the end of the N-PDU. */
static int read_codes(struct v42bis *v, struct reader *r)
{
    const size_t bits = (size_t)(r->in_end - r->in) * 8;
    bool is_flushed = true;
    int error = 0;
    size_t bit = 0;
    while (!error && v->now.is_compressed && bit + v->now.code_bits <= bits) {
        const unsigned code = peek_bits(r, bit) & ((1u << v->now.code_bits) - 1);
        bit += v->now.code_bits;
        is_flushed = code < CODE_STEPUP;
        if (code >= CODE_OCTET) {
            error = take_string(v, r, code);
        } else if (is_flushed) {
            bit = (bit + 7) / 8 * 8;
            v->now.is_compressed = code == CODE_FLUSH;
        } else if (++v->now.code_bits > v->code_bits_max) {
            error = V42BIS_STEPUP;
        }
    }
    if (!error && v->now.is_compressed && (!is_flushed || bit < bits))
        error = V42BIS_CUT;
    r->in = v->now.is_compressed ? r->in_end : r->in + bit / 8;
    return error;
}

static int read_compressed(struct v42bis *v, struct reader *r)
{
    const uint8_t *from = r->out;
    const int error = read_codes(v, r);
    struct escapes escapes = {.end = r->out, .escape = v->now.escape};
    escapes_seek(&escapes, from);
    escapes_take(&escapes, r->out);
    v->now.escape = escapes.escape;
    v->now.last_added = 0;
    return error;
}

int v42bis_decode(struct v42bis *v, const uint8_t *in, unsigned octets, uint8_t *out, unsigned room)
{
    struct reader r = {.in = in, .in_end = in + octets, .out = out, .out_end = out + room};
    int error = v->now.has_failed ? V42BIS_FAILED : 0;
    while (!error && r.in < r.in_end)
        error = v->now.is_compressed ? read_compressed(v, &r) : read_transparent(v, &r);
    v->now.has_failed = error < 0;
    return error ? error : (int)(r.out - out);
}
