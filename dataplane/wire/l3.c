/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/l3.h"

#include <string.h>

#include "dataplane/base/bytes.h"

enum { HEAD_OCTETS = 2, HALF = 15, SHORT_IEI = 0x80, COMPREHENSION_IEI = 0x10, MAX_LENGTH = 255 };

/* State of a decode. */
struct walk {
    struct l3 *out;
    const struct l3_grammar *grammar;
    const uint8_t *at;
    size_t left;
};

const struct l3_row *l3_row_get(const struct l3_grammar *grammar, uint8_t type, enum l3_sender from)
{
    for (size_t i = 0; i < grammar->row_count; i++)
        if (grammar->rows[i].type == type && grammar->rows[i].senders & from)
            return &grammar->rows[i];
    return NULL;
}

const struct l3_row *l3_row_by_name(const struct l3_grammar *grammar, const char *name)
{
    for (size_t i = 0; i < grammar->row_count; i++)
        if (strcmp(grammar->rows[i].name, name) == 0)
            return &grammar->rows[i];
    return NULL;
}

/* --- decoding --- */

static int l3_fail(struct l3 *out, enum l3_cause cause, int err)
{
    out->cause = (uint8_t)cause;
    return err;
}

static void skip(struct walk *w, size_t octets)
{
    w->at += octets;
    w->left -= octets;
}

static const struct ie *ie_of(const struct walk *w, const struct l3_place *place)
{
    return &w->grammar->ies[place->ie];
}

static int store(struct walk *w, const struct l3_place *place, const uint8_t *value, size_t octets)
{
    int err = ie_decode(w->out, ie_of(w, place), value, octets);
    if (err == 0)
        l3_mark(w->out, place->ie);
    return err;
}

static bool is_half(const struct l3_place *place)
{
    return place->form == L3_LOW || place->form == L3_HIGH || place->form == L3_SPARE;
}

static int take_half(struct walk *w, const struct l3_place *place)
{
    if (w->left < 1)
        return ERR_TRUNCATED;
    uint8_t value = place->form == L3_LOW ? w->at[0] & HALF : w->at[0] >> 4;
    if (place->form != L3_LOW)
        skip(w, 1);
    return place->form == L3_SPARE ? 0 : store(w, place, &value, 1);
}

static int take_mandatory(struct walk *w, const struct l3_place *place)
{
    if (is_half(place))
        return take_half(w, place);
    size_t octets = ie_of(w, place)->min_octets, header = place->form == L3_LV;
    if (w->left < header)
        return ERR_TRUNCATED;
    if (header)
        octets = w->at[0];
    skip(w, header);
    if (w->left < octets)
        return ERR_TRUNCATED;
    int err = store(w, place, w->at, octets);
    skip(w, octets);
    return err;
}

/* The place of the element that begins here; NULL: the message has none, or has had it. */
static const struct l3_place *place_of(const struct walk *w)
{
    uint8_t iei = w->at[0];
    for (const struct l3_place *p = w->out->row->places; p->form != L3_END; p++)
        if (p->form >= L3_TV && p->iei == (p->form == L3_TV1 ? iei & ~HALF : iei))
            return p;
    return NULL;
}

/* Octets of the element that begins here, up to its end; 0: it overruns the message. */
static size_t l3_octets_of(const struct walk *w, const struct l3_place *place)
{
    size_t octets = 1;
    if (place ? place->form == L3_TV : false)
        octets += ie_of(w, place)->min_octets;
    else if (place ? place->form == L3_TLV : w->at[0] < SHORT_IEI)
        octets += w->left < 2 ? w->left : 1u + w->at[1];
    return octets > w->left ? 0 : octets;
}

static void store_optional(struct walk *w, const struct l3_place *place, size_t octets)
{
    uint8_t value = place->form == L3_TV1 ? w->at[0] & HALF : 1;
    size_t header = place->form == L3_TLV ? 2 : 1;
    if (l3_has(w->out, place->ie))
        return;
    if (place->form == L3_TV1 || place->form == L3_T)
        store(w, place, &value, 1);
    else
        store(w, place, w->at + header, octets - header);
}

static int take_optional(struct walk *w)
{
    const struct l3_place *place = place_of(w);
    size_t octets = l3_octets_of(w, place);
    if (!place && w->at[0] < COMPREHENSION_IEI)
        return l3_fail(w->out, L3_CAUSE_MANDATORY_INVALID, ERR_MALFORMED);
    if (place && octets > 0)
        store_optional(w, place, octets);
    skip(w, octets > 0 ? octets : w->left);
    return 0;
}

static int elements_decode(struct l3 *out, const struct l3_grammar *grammar, const uint8_t *bytes, size_t len)
{
    struct walk w = {.out = out, .grammar = grammar, .at = bytes, .left = len};
    for (const struct l3_place *p = out->row->places; p->form != L3_END && p->form < L3_TV; p++) {
        int err = take_mandatory(&w, p);
        if (err < 0)
            return l3_fail(out, L3_CAUSE_MANDATORY_INVALID, err);
    }
    while (w.left > 0) {
        int err = take_optional(&w);
        if (err < 0)
            return err;
    }
    return (int)len;
}

int l3_decode(struct l3 *out, const struct l3_grammar *grammar, enum l3_sender from, const uint8_t *bytes,
              size_t len)
{
    if (len < HEAD_OCTETS)
        return l3_fail(out, L3_CAUSE_MANDATORY_INVALID, ERR_TRUNCATED);
    out->head = bytes[0];
    out->type = bytes[1];
    out->row = l3_row_get(grammar, bytes[1], from);
    if (!out->row)
        return l3_fail(out, L3_CAUSE_TYPE_UNKNOWN, ERR_UNSUPPORTED);
    int n = elements_decode(out, grammar, bytes + HEAD_OCTETS, len - HEAD_OCTETS);
    return n < 0 ? n : HEAD_OCTETS + n;
}

/* --- encoding --- */

static int put_half(uint8_t *at, const struct ie *ie, const void *in, const struct l3_place *place)
{
    uint32_t value = 0;
    if (place->form != L3_SPARE)
        value = *(const uint32_t *)((const char *)in + ie->at);
    if (value > HALF)
        return ERR_RANGE;
    if (place->form == L3_LOW) {
        *at = (uint8_t)value;
        return 0;
    }
    *at |= (uint8_t)(value << 4);
    return 1;
}

/* Identifier and length of an element; returns their octets. */
static int put_header(uint8_t *bytes, size_t cap, const struct l3_place *place, size_t octets)
{
    size_t n = 0;
    if (cap < 2)
        return ERR_NO_SPACE;
    if (place->form >= L3_TV)
        bytes[n++] = place->iei;
    if (place->form != L3_LV && place->form != L3_TLV)
        return (int)n;
    if (octets > MAX_LENGTH)
        return ERR_RANGE;
    bytes[n++] = (uint8_t)octets;
    return (int)n;
}

static int l3_put(uint8_t *bytes, size_t cap, const struct ie *ie, const struct l3 *in,
                  const struct l3_place *place)
{
    const uint32_t *number = (const uint32_t *)(const void *)((const char *)in + ie->at);
    if (cap < 1)
        return ERR_NO_SPACE;
    if (is_half(place))
        return put_half(bytes, ie, in, place);
    if (place->form == L3_T || place->form == L3_TV1) {
        bytes[0] = (uint8_t)(place->iei | (place->form == L3_TV1 ? *number : 0));
        return place->form == L3_TV1 && *number > HALF ? ERR_RANGE : 1;
    }
    int header = put_header(bytes, cap, place, ie_octets(ie, in));
    if (header < 0)
        return header;
    int n = ie_encode(bytes + header, cap - (size_t)header, ie, in, 1);
    return n < 0 ? n : header + n;
}

static int elements_encode(uint8_t *bytes, size_t cap, const struct l3_grammar *grammar, const struct l3 *in)
{
    size_t done = 0;
    for (const struct l3_place *p = in->row->places; p->form != L3_END; p++) {
        if (p->form >= L3_TV && !l3_has(in, p->ie))
            continue;
        int n = l3_put(bytes + done, cap - done, &grammar->ies[p->ie], in, p);
        if (n < 0)
            return n;
        done += (size_t)n;
    }
    return (int)done;
}

int l3_encode(uint8_t *bytes, size_t cap, const struct l3_grammar *grammar, const struct l3 *in)
{
    if (cap < HEAD_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = in->head;
    bytes[1] = in->row->type;
    int n = elements_encode(bytes + HEAD_OCTETS, cap - HEAD_OCTETS, grammar, in);
    return n < 0 ? n : HEAD_OCTETS + n;
}
