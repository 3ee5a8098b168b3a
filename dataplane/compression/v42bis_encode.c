/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/v42bis_encode.h"

#include "dataplane/compression/v42bis_dictionary.h"

#include <stddef.h>

enum { NEVER_BITS = 1 << 24, PADDING_BITS = 4 };

/* A string of the N-PDU, and what the dictionary got and lost behind it. */
struct step {
    uint32_t taken;       /* string that next_code had before, 0: none */
    uint16_t code, added; /* added 0: nothing */
    uint8_t octets;       /* of this N-PDU, 0 if an N-PDU before had them all */
    uint8_t hits;         /* those that are the escape octet */
    bool is_longest;
    bool is_compressed;    /* by choose() */
    bool is_from_other[2]; /* whether the cheapest way to end it in a mode was in the other one before */
};

static inline void step_add(struct v42bis *v, struct step *step, uint8_t octet)
{
    step->added = v->now.next_code;
    step->taken = v42bis_add(v, step->code, octet);
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
        if (v42bis_length_of(v, code) < v->string_octets && !v42bis_find(v, code, in[0]))
            step_add(v, step, in[0]);
        step++;
    }
    if (!code || v->now.is_closed)
        code = V42BIS_CODE_OCTET + in[at++];
    for (;; step++) {
        unsigned next = 0;
        while (at < octets && (next = v42bis_find(v, code, in[at])) != 0 && next != v->now.last_added) {
            code = next;
            at++;
        }
        *step = (struct step){.code = (uint16_t)code, .octets = (uint8_t)(at - start)};
        if (at == octets)
            break;
        if (next)
            v->now.last_added = 0;
        else if (v42bis_length_of(v, code) < v->string_octets)
            step_add(v, step, in[at]);
        else
            step->is_longest = true;
        start = at;
        code = V42BIS_CODE_OCTET + in[at++];
    }
    return (unsigned)(step - steps) + 1;
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
    struct v42bis_escapes escapes = {.end = in + octets, .escape = v->now.escape};
    unsigned plain = v->now.is_compressed ? NEVER_BITS : 0,
             compressed = v->now.is_compressed ? 0 : NEVER_BITS;
    unsigned code_bits = v->now.code_bits, threshold = v->now.threshold;
    const uint8_t *at = in;
    v42bis_escapes_seek(&escapes, in);
    for (unsigned i = 0; i < count; i++) {
        struct step *step = &steps[i];
        const unsigned to_plain =
            i && steps[i - 1].is_longest ? NEVER_BITS : compressed + code_bits + PADDING_BITS;
        const unsigned to_compressed = i == 0 && is_open ? NEVER_BITS : plain + 16;
        unsigned step_bits = step->octets > 0 ? code_bits : 0;
        for (; step->code >= threshold; threshold *= 2)
            step_bits += ++code_bits;
        at += step->octets;
        step->hits = (uint8_t)v42bis_escapes_take(&escapes, at);
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
    if (w->is_full)
        return;
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
        write_code(v, w, V42BIS_CODE_STEPUP);
        v->now.code_bits++;
    }
    if (step->octets > 0)
        write_code(v, w, step->code);
    v->now.escape += (uint8_t)(step->hits * V42BIS_ESCAPE_STEP);
}

static void write_transparent(struct v42bis *v, struct writer *w, const uint8_t *in, unsigned octets,
                              unsigned hits)
{
    const uint8_t *end = in + octets;
    for (; hits > 0; hits--) {
        const uint8_t *hit = memchr(in, v->now.escape, (size_t)(end - in));
        write_octets(w, in, (size_t)(hit - in));
        write_command(w, v->now.escape, V42BIS_COMMAND_EID);
        v->now.escape += V42BIS_ESCAPE_STEP;
        in = hit + 1;
    }
    write_octets(w, in, (size_t)(end - in));
}

static void write_change(struct v42bis *v, struct writer *w)
{
    if (v->now.is_compressed)
        write_last_code(v, w, V42BIS_CODE_ETM);
    else
        write_command(w, v->now.escape, V42BIS_COMMAND_ECM);
    v->now.is_compressed = !v->now.is_compressed;
}

static void write_steps(struct v42bis *v, struct writer *w, const uint8_t *in, const struct step *steps,
                        unsigned count)
{
    for (unsigned i = 0; i < count && !w->is_full;) {
        unsigned octets = 0, hits = 0;
        if (steps[i].is_compressed != v->now.is_compressed)
            write_change(v, w);
        for (; i < count && steps[i].is_compressed == v->now.is_compressed; i++) {
            if (v->now.is_compressed)
                write_compressed(v, w, &steps[i]);
            octets += steps[i].octets;
            hits += steps[i].hits;
        }
        if (!v->now.is_compressed)
            write_transparent(v, w, in, octets, hits);
        in += octets;
    }
    if (v->now.is_compressed)
        write_last_code(v, w, V42BIS_CODE_FLUSH);
    v->now.is_closed = v->now.is_compressed;
}

/* Takes back what the steps did to the dictionary, the last first. */
static void undo(struct v42bis *v, const struct step *steps, unsigned count)
{
    for (const struct step *step = steps + count; step-- > steps;) {
        if (!step->added)
            continue;
        if (step->taken)
            v42bis_link_in(v, v->now.next_code, step->taken);
        v42bis_link_out(v, step->added);
        v->now.next_code = step->added;
    }
}

int v42bis_encode(struct v42bis *v, const uint8_t *in, unsigned octets, uint8_t *out, unsigned room)
{
    struct step steps[V42BIS_N_PDU_MAX_OCTETS + 1];
    const struct v42bis_state before = v->now;
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
