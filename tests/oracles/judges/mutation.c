/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/judges/mutation.h"

#include "dataplane/wire/ie.h"

#include <string.h>

enum { MOST_ELEMENTS = 64, MOST_CHANGES = 3, GOOD_ONE_IN = 6, LONG_FORM_OCTETS = 2 };

/* A frame on its way. */
struct frame {
    struct rng *rng;
    uint8_t *bytes;
    size_t octets, cap;
    size_t first; /* where its elements begin */
};

static size_t below(struct frame *f, size_t n)
{
    return (size_t)rng_below(f->rng, n);
}

static void flip_bit(struct frame *f)
{
    if (f->octets)
        f->bytes[below(f, f->octets)] ^= (uint8_t)(1u << below(f, 8));
}

static void change_octet(struct frame *f)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
    if (f->octets)
        f->bytes[below(f, f->octets)] =
            kind_once_in(f->rng, 2) ? edges[below(f, sizeof edges)] : (uint8_t)below(f, 256);
}

static void cut(struct frame *f)
{
    f->octets = below(f, f->octets + 1);
}

static void append(struct frame *f)
{
    size_t more = below(f, 9);
    if (f->octets + more > f->cap)
        return;
    kind_fill(f->rng, f->bytes + f->octets, more);
    f->octets += more;
}

/* Offsets of the elements, as far as they can be followed. Returns their number. */
static size_t elements_of(const struct frame *f, size_t at[MOST_ELEMENTS + 1])
{
    size_t count = 0;
    at[0] = f->first;
    while (count < MOST_ELEMENTS && at[count] < f->octets) {
        struct tlv tlv;
        int n = ie_tlv_decode(&tlv, f->bytes + at[count], f->octets - at[count]);
        if (n < 0)
            break;
        at[count + 1] = at[count] + (size_t)n;
        count++;
    }
    return count;
}

/* Puts `more` octets in place of `less` at `at`. False: no room. */
static bool splice(struct frame *f, size_t at, size_t less, const uint8_t *more, size_t octets)
{
    uint8_t copy[KIND_MAX_OCTETS];
    if (f->octets - less + octets > f->cap)
        return false;
    if (octets)
        memcpy(copy, more, octets);
    memmove(f->bytes + at + octets, f->bytes + at + less, f->octets - at - less);
    if (octets)
        memcpy(f->bytes + at, copy, octets);
    f->octets += octets - less;
    return true;
}

static void repeat_element(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    if (count == 0)
        return;
    size_t which = below(f, count), where = at[below(f, count + 1)];
    splice(f, where, 0, f->bytes + at[which], at[which + 1] - at[which]);
}

static void drop_element(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    if (count == 0)
        return;
    size_t which = below(f, count);
    splice(f, at[which], at[which + 1] - at[which], NULL, 0);
}

static void move_element(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    if (count < 2)
        return;
    size_t which = below(f, count - 1);
    uint8_t copy[KIND_MAX_OCTETS];
    size_t octets = at[which + 1] - at[which];
    memcpy(copy, f->bytes + at[which], octets);
    splice(f, at[which], octets, NULL, 0);
    splice(f, at[which + 2 + below(f, count - 1 - which)] - octets, 0, copy, octets);
}

static void insert_element(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    uint8_t value[200], element[204];
    size_t octets = below(f, kind_once_in(f->rng, 4) ? sizeof value : 12);
    struct tlv tlv = {.iei = (uint8_t)below(f, 256), .octets = (uint16_t)octets, .value = value};
    kind_fill(f->rng, value, octets);
    int n = ie_tlv_encode(element, sizeof element, &tlv);
    splice(f, at[below(f, count + 1)], 0, element, (size_t)n);
}

/* The other length form than the one we send: two octets for what fits one. */
static void lengthen_form(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    if (count == 0)
        return;
    size_t which = below(f, count), length_at = at[which] + 1;
    uint8_t form[LONG_FORM_OCTETS] = {0, f->bytes[length_at] & TLV_SHORT_OCTETS};
    if (f->bytes[length_at] & 0x80)
        splice(f, length_at, 1, form, sizeof form);
}

/* A length that lies, the octets staying. */
static void lie_about_length(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    if (count == 0)
        return;
    uint8_t *length = &f->bytes[at[below(f, count)] + 1];
    *length = kind_once_in(f->rng, 2) ? (uint8_t)below(f, 256) : (uint8_t)(*length + 1 - 2 * below(f, 2));
}

/* A value cut or extended, its length with it. */
static void resize_value(struct frame *f)
{
    size_t at[MOST_ELEMENTS + 1], count = elements_of(f, at);
    if (count == 0)
        return;
    size_t which = below(f, count), octets = below(f, 16);
    uint8_t value[200], element[204];
    struct tlv tlv;
    ie_tlv_decode(&tlv, f->bytes + at[which], f->octets - at[which]);
    kind_fill(f->rng, value, sizeof value);
    memcpy(value, tlv.value, tlv.octets < sizeof value ? tlv.octets : sizeof value);
    tlv = (struct tlv){.iei = tlv.iei, .octets = (uint16_t)octets, .value = value};
    int n = ie_tlv_encode(element, sizeof element, &tlv);
    splice(f, at[which], at[which + 1] - at[which], element, (size_t)n);
}

static void (*const changes[])(struct frame *) = {
    flip_bit,     change_octet,   cut,           append,           repeat_element, drop_element,
    move_element, insert_element, lengthen_form, lie_about_length, resize_value,   flip_bit,
};

size_t mutation_of(struct rng *rng, const struct kind *kind, uint8_t *bytes, size_t octets, size_t cap)
{
    struct frame f = {rng, bytes, octets, cap, 0};
    size_t count = kind_once_in(rng, GOOD_ONE_IN) ? 0 : 1 + rng_below(rng, MOST_CHANGES);
    for (size_t i = 0; i < count; i++) {
        f.first = kind->elements_at(f.bytes, f.octets);
        size_t choice = below(&f, sizeof changes / sizeof changes[0]);
        changes[choice](&f);
    }
    if (kind->settle)
        kind->settle(rng, bytes, f.octets);
    return f.octets;
}
