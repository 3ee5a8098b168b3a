/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/compression/v42bis_dictionary.h"

#include <assert.h>

enum { FIRST_CODE_BITS = 9, FIRST_THRESHOLD = 512 };
/* With fewer strings than heads / CLEAR_SHARE, clearing their heads takes less than clearing all. */
enum { CLEAR_SHARE = 32 };

static unsigned bits_of(unsigned codewords)
{
    unsigned bits = FIRST_CODE_BITS;
    while (1u << bits < codewords)
        bits++;
    return bits;
}

size_t v42bis_octets(unsigned codewords)
{
    return sizeof(struct v42bis) + codewords * sizeof(struct v42bis_entry) +
           (sizeof(uint32_t) << (bits_of(codewords) + V42BIS_HASH_SPARE_BITS));
}

static void set_params(struct v42bis *v, const struct v42bis_params *params)
{
    assert(params->codewords >= V42BIS_CODEWORDS_MIN && params->codewords <= V42BIS_CODEWORDS_MAX);
    assert(params->string_octets >= V42BIS_STRING_MIN_OCTETS &&
           params->string_octets <= V42BIS_STRING_MAX_OCTETS);
    v->codewords = params->codewords;
    v->string_octets = params->string_octets;
    v->code_bits_max = (uint8_t)bits_of(params->codewords);
    v->hash_mask = (uint16_t)((1u << (v->code_bits_max + V42BIS_HASH_SPARE_BITS)) - 1);
}

struct v42bis *v42bis_setup(void *memory, const struct v42bis_params *params)
{
    struct v42bis *v = memory;
    memset(v, 0, v42bis_octets(params->codewords));
    v->room = params->codewords;
    set_params(v, params);
    v42bis_start(v);
    return v;
}

static void heads_clear(struct v42bis *v)
{
    const size_t count = (size_t)v->hash_mask + 1;
    if (v->now.filled >= V42BIS_CODE_STRING + count / CLEAR_SHARE) {
        memset(v42bis_heads_of(v), 0, count * sizeof(*v42bis_heads_of(v)));
        return;
    }
    for (unsigned code = V42BIS_CODE_STRING; code < v->now.filled; code++)
        *v42bis_head_of(v, v->entries[code].string) = 0;
}

void v42bis_start(struct v42bis *v)
{
    heads_clear(v);
    v->now = (struct v42bis_state){
        .next_code = V42BIS_CODE_STRING,
        .filled = V42BIS_CODE_STRING,
        .threshold = FIRST_THRESHOLD,
        .code_bits = FIRST_CODE_BITS,
    };
}

void v42bis_restart(struct v42bis *v, const struct v42bis_params *params)
{
    assert(params->codewords <= v->room);
    v42bis_start(v); /* the heads are found by the parameters of before */
    set_params(v, params);
}

/* The string does not grow by this octet, which is the first of the next one: see v42bis_add(). */
static inline uint32_t update(struct v42bis *v, unsigned string, uint8_t octet)
{
    v->now.last_added = 0;
    return v42bis_length_of(v, string) < v->string_octets && !v42bis_find(v, string, octet)
               ? v42bis_add(v, string, octet)
               : 0;
}

/* Adds the strings of octets of transparent mode, the same ones as parse(). */
static void train(struct v42bis *v, const uint8_t *in, unsigned octets)
{
    unsigned at = 0, code = v->now.string;
    if (octets == 0)
        return;
    if (code && v->now.is_closed)
        update(v, code, in[0]);
    if (!code || v->now.is_closed)
        code = V42BIS_CODE_OCTET + in[at++];
    for (;;) {
        unsigned next = 0;
        while (at < octets && (next = v42bis_find(v, code, in[at])) != 0 && next != v->now.last_added) {
            code = next;
            at++;
        }
        if (at == octets)
            break;
        if (next)
            v->now.last_added = 0;
        else if (v42bis_length_of(v, code) < v->string_octets)
            v42bis_add(v, code, in[at]);
        code = V42BIS_CODE_OCTET + in[at++];
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
    case V42BIS_COMMAND_ECM:
        v->now.is_compressed = true;
        v->now.is_closed = true;
        return 0;
    case V42BIS_COMMAND_EID:
        v->now.escape += V42BIS_ESCAPE_STEP;
        return take_transparent(v, r, &escape, 1);
    case V42BIS_COMMAND_RESET:
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
    const unsigned length = v42bis_length_of(v, code);
    if (length > (size_t)(r->out_end - r->out))
        return V42BIS_NO_ROOM;
    uint8_t *first = r->out, *at = r->out + length;
    unsigned part = code;
    for (; part >= V42BIS_CODE_STRING; part = v42bis_parent_of(v, part))
        *--at = (uint8_t)(v->entries[part].string >> V42BIS_OCTET_SHIFT);
    *--at = (uint8_t)(part - V42BIS_CODE_OCTET);
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
        is_flushed = code < V42BIS_CODE_STEPUP;
        if (code >= V42BIS_CODE_OCTET) {
            error = take_string(v, r, code);
        } else if (is_flushed) {
            bit = (bit + 7) / 8 * 8;
            v->now.is_compressed = code == V42BIS_CODE_FLUSH;
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
    struct v42bis_escapes escapes = {.end = r->out, .escape = v->now.escape};
    v42bis_escapes_seek(&escapes, from);
    v42bis_escapes_take(&escapes, r->out);
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
