/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/llc_xid.h"
#include "tests/oracles/judges/kind.h"

#include <string.h>

enum { MOST_INFO_OCTETS = 60, WRONG_FCS_ONE_IN = 8 };

static const uint8_t sapis[] = {1, 2, 3, 5, 7, 8, 9, 11};

static size_t make_xid(struct rng *rng, uint8_t *bytes, size_t cap)
{
    uint8_t l3[MOST_INFO_OCTETS];
    struct llc_xid xid = {.has = (uint16_t)(rng_u64(rng) & rng_u64(rng) & ((1u << LLC_XID_TYPES) - 1)),
                          .l3 = l3};
    kind_fill(rng, l3, sizeof l3);
    xid.l3_octets = (uint8_t)rng_below(rng, sizeof l3 + 1);
    for (unsigned type = 0; type < LLC_XID_L3; type++)
        xid.value[type] = (uint32_t)rng_between(rng, llc_xid_row_get(type)->min, llc_xid_row_get(type)->max);
    return (size_t)llc_xid_encode(bytes, cap, &xid);
}

static size_t make_frmr(struct rng *rng, uint8_t *bytes, size_t cap)
{
    struct llc_frmr frmr = {
        .vs = (uint16_t)rng_below(rng, 512),
        .vr = (uint16_t)rng_below(rng, 512),
        .cr = kind_once_in(rng, 2),
        .why = (uint8_t)rng_below(rng, 16),
    };
    kind_fill(rng, frmr.control, sizeof frmr.control);
    return (size_t)llc_frmr_encode(bytes, cap, &frmr);
}

/* SABM and UA may bring the parameters along (TS 44.064 6.4.1.1). */
static bool has_xid(const struct llc *in)
{
    return in->format == LLC_U &&
           (in->command == LLC_XID || in->command == LLC_SABM || in->command == LLC_UA);
}

static size_t make_info(struct rng *rng, uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (in->format == LLC_U && (has_xid(in) || kind_once_in(rng, 8)))
        return make_xid(rng, bytes, cap);
    if (in->format == LLC_U)
        return in->command == LLC_FRMR ? make_frmr(rng, bytes, cap) : 0;
    size_t octets = rng_below(rng, MOST_INFO_OCTETS);
    kind_fill(rng, bytes, octets);
    return octets;
}

static struct llc random_header(struct rng *rng)
{
    static const uint8_t formats[] = {LLC_UI, LLC_UI, LLC_UI, LLC_U, LLC_U, LLC_U, LLC_I, LLC_S};
    static const uint8_t commands[] = {LLC_NULL, LLC_DM,  LLC_DISC, LLC_UA, LLC_SABM,
                                       LLC_FRMR, LLC_XID, LLC_XID,  LLC_XID};
    return (struct llc){
        .format = formats[rng_below(rng, sizeof formats)],
        .sapi = sapis[rng_below(rng, sizeof sapis)],
        .cr = kind_once_in(rng, 2),
        .nu = (uint16_t)rng_below(rng, LLC_NU_MODULUS),
        .ns = (uint16_t)rng_below(rng, LLC_NU_MODULUS),
        .nr = (uint16_t)rng_below(rng, LLC_NU_MODULUS),
        .supervisory = (uint8_t)rng_below(rng, LLC_SACK + 1),
        .a = kind_once_in(rng, 2),
        .e = kind_once_in(rng, 4),
        .pm = !kind_once_in(rng, 4),
        .pf = kind_once_in(rng, 2),
        .command = commands[rng_below(rng, sizeof commands)],
    };
}

/* Writes the right FCS over the last octets of what is a frame. */
static void set_fcs(uint8_t *bytes, size_t len)
{
    struct llc llc;
    int octets = llc_decode(&llc, bytes, len);
    if (octets < 0)
        return;
    size_t covered = llc_fcs_covered_octets((size_t)octets, llc.info_octets, llc.pm);
    llc_fcs_put(bytes + len - LLC_FCS_OCTETS, llc_fcs(bytes, covered));
}

static size_t make(struct rng *rng, uint8_t *bytes, size_t cap)
{
    struct llc in = random_header(rng);
    size_t octets = (size_t)llc_encode(bytes, cap, &in);
    octets += make_info(rng, bytes + octets, cap - octets, &in);
    return octets + LLC_FCS_OCTETS;
}

static size_t elements_at(const uint8_t *bytes, size_t len)
{
    return len;
}

static void settle(struct rng *rng, uint8_t *bytes, size_t len)
{
    if (!kind_once_in(rng, WRONG_FCS_ONE_IN))
        set_fcs(bytes, len);
}

/* One list of numbers out of the items of an XID field; L3 parameters have a dissector of their own. */
static void say_items(struct saying *out, const char *name, const uint8_t *bytes, size_t len)
{
    bool has_types = strcmp(name, "xid_types") == 0;
    struct llc_xid_item item;
    saying_list(out, name);
    for (size_t at = 0; at < len; at += (size_t)llc_xid_item_decode(&item, bytes + at, len - at)) {
        llc_xid_item_decode(&item, bytes + at, len - at);
        saying_item(out, has_types ? item.type : item.octets);
    }
}

static void say_xid(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct llc_xid_item item;
    say_items(out, "xid_types", bytes, len);
    say_items(out, "xid_lengths", bytes, len);
    saying_list(out, "xid_octets");
    for (size_t at = 0; at < len; at += (size_t)llc_xid_item_decode(&item, bytes + at, len - at)) {
        llc_xid_item_decode(&item, bytes + at, len - at);
        if (item.type != LLC_XID_L3)
            saying_octets_item(out, item.value, item.octets);
    }
}

static void say_frmr(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct llc_frmr frmr;
    llc_frmr_decode(&frmr, bytes, len);
    saying_octets(out, "frmr_control", frmr.control, sizeof frmr.control);
    saying_number(out, "frmr_vs", frmr.vs);
    saying_number(out, "frmr_vr", frmr.vr);
    saying_number(out, "frmr_cr", frmr.cr);
    saying_number(out, "frmr_why", frmr.why);
}

/* The header's answer, or that of the field behind it. */
static int answer_of(const struct llc *in, int octets, const uint8_t *bytes)
{
    struct llc_frmr frmr;
    struct llc_xid xid;
    int answer = 0;
    if (octets >= 0 && has_xid(in))
        answer = llc_xid_decode(&xid, bytes + octets, in->info_octets);
    else if (octets >= 0 && in->format == LLC_U && in->command == LLC_FRMR)
        answer = llc_frmr_decode(&frmr, bytes + octets, in->info_octets);
    return answer < 0 ? answer : octets;
}

static void say_ui(struct saying *out, const struct llc *in)
{
    saying_number(out, "nu", in->nu);
    saying_number(out, "e", in->e);
    saying_number(out, "pm", in->pm);
}

static void say_u(struct saying *out, const struct llc *in, const uint8_t *info)
{
    saying_number(out, "command", in->command);
    saying_number(out, "pf", in->pf);
    if (has_xid(in))
        say_xid(out, info, in->info_octets);
    else if (in->command == LLC_FRMR)
        say_frmr(out, info, in->info_octets);
}

static void say_numbered(struct saying *out, const struct llc *in)
{
    if (in->format == LLC_I)
        saying_number(out, "ns", in->ns);
    saying_number(out, "nr", in->nr);
    saying_number(out, "a", in->a);
    saying_number(out, "supervisory", in->supervisory);
}

static void say(struct saying *out, const uint8_t *bytes, size_t len)
{
    static const char *const formats[] = {[LLC_I] = "i", [LLC_S] = "s", [LLC_UI] = "ui", [LLC_U] = "u"};
    struct llc in;
    int octets = llc_decode(&in, bytes, len);
    int answer = answer_of(&in, octets, bytes);
    saying_begin(out, answer);
    if (answer < 0)
        return;
    size_t covered = llc_fcs_covered_octets((size_t)octets, in.info_octets, in.pm);
    uint32_t found = llc_fcs_get(bytes + len - LLC_FCS_OCTETS);
    saying_number(out, "sapi", in.sapi);
    saying_number(out, "cr", in.cr);
    saying_text(out, "format", formats[in.format]);
    saying_text(out, "fcs", llc_fcs(bytes, covered) == found ? "correct" : "incorrect");
    if (in.format == LLC_UI)
        say_ui(out, &in);
    else if (in.format == LLC_U)
        say_u(out, &in, bytes + octets);
    else
        say_numbered(out, &in);
}

const struct kind kind_llc = {"llc", make, elements_at, settle, say};
