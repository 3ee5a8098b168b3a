/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "bss/bss_ms.h"

#define MS_NS INT64_C(1000000)

enum { MAX_LLC_OCTETS = 3500 };

struct player {
    struct bss *bss;
    char sent[1024];
};

static void say(struct player *p, const char *format, ...)
{
    size_t used = strlen(p->sent);
    va_list args;
    va_start(args, format);
    vsnprintf(p->sent + used, sizeof p->sent - used, format, args);
    va_end(args);
}

static void say_levels(struct player *p, const struct bssgp *pdu)
{
    if (pdu_has(&pdu->head, BSSGP_IE_FEATURE_BITMAP))
        say(p, "&%u", (unsigned)pdu->feature_bitmap);
    if (pdu_has(&pdu->head, BSSGP_IE_RATIO))
        say(p, "%%%u", (unsigned)pdu->ratio_percent);
    if (pdu_has(&pdu->head, BSSGP_IE_MEASUREMENT))
        say(p, "+%u", (unsigned)pdu->measurement_cs);
}

static void say_bssgp(struct player *p, const struct ns *ns)
{
    struct bssgp pdu;
    assert_true(bssgp_decode(&pdu, ns->sdu.at, ns->sdu.octets) > 0);
    say(p, "%s", pdu.head.row->name);
    if (pdu_has(&pdu.head, BSSGP_IE_BVCI))
        say(p, "/%u", (unsigned)pdu.bvci);
    if (ns->bvci)
        say(p, "@%u", (unsigned)ns->bvci);
    if (pdu_has(&pdu.head, BSSGP_IE_TLLI))
        say(p, "~%x", (unsigned)pdu.tlli);
    if (pdu_has(&pdu.head, BSSGP_IE_TAG))
        say(p, "#%u", (unsigned)pdu.tag);
    if (pdu.head.type == BSSGP_STATUS)
        say(p, "!%u", (unsigned)pdu.cause);
    if (pdu.head.type == BSSGP_LLC_DISCARDED)
        say(p, "=%u:%u", (unsigned)pdu.frames_discarded, (unsigned)pdu.octets_affected);
    if (pdu.head.type == BSSGP_FLUSH_LL_ACK)
        say(p, "=%u:%u", (unsigned)pdu.flush_action, (unsigned)pdu.octets_affected);
    if (pdu_has(&pdu.head, BSSGP_IE_PFI))
        say(p, "$%u", (unsigned)pdu.pfi);
    for (unsigned i = 0; i < pdu.pfcs.count && pdu_has(&pdu.head, BSSGP_IE_PFCS); i++)
        say(p, "$%u:%u:%u", pdu.pfcs.flow[i].pfi, (unsigned)pdu.pfcs.flow[i].bucket_octets,
            (unsigned)pdu.pfcs.flow[i].rate_bps);
    if (pdu_has(&pdu.head, BSSGP_IE_BVCI_NEW))
        say(p, ">%u", (unsigned)pdu.bvci_new);
    say_levels(p, &pdu);
}

static void say_blank(struct player *p)
{
    if (p->sent[0])
        say(p, " ");
}

static void on_send(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct player *p = arg;
    struct ns ns;
    assert_true(ns_decode(&ns, ns_pdu, octets) > 0);
    say_blank(p);
    if (nsvc)
        say(p, "%u:", nsvc);
    if (ns.head.type == NS_UNITDATA)
        say_bssgp(p, &ns);
    else if (ns.head.type == NS_STATUS)
        say(p, "ns_status!%u", (unsigned)ns.cause);
    else
        say(p, "%s", ns.head.row->name);
}

static void on_deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                       int64_t now)
{
    say_blank(arg);
    say(arg, "deliver@%u~%x:%zu", bvci, (unsigned)tlli, octets);
}

static void on_down(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now)
{
    const struct player *p = arg;
    if (!bss_radio_get(p->bss, bvci))
        return;
    say_blank(arg);
    say(arg, "in~%x:%zu", (unsigned)tlli, octets);
}

static void on_discard(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                       int64_t now)
{
    say_blank(arg);
    say(arg, "lost~%x:%zu!%u", (unsigned)frame->tlli, frame->octets, (unsigned)reason);
}

/* The number behind a mark, or -1. */
static long number_after(const char *text, char mark, int base)
{
    const char *at = strchr(text, mark);
    return at ? strtol(at + 1, NULL, base) : -1;
}

static const uint8_t llc[MAX_LLC_OCTETS] = {0x43, 0xc0, 0x01};

static void read_unitdata(struct bssgp *pdu, const char *text)
{
    long octets = number_after(text, '*', 10), lifetime_cs = number_after(text, '^', 10);
    if (octets >= 0)
        pdu->llc_pdu.octets = (size_t)octets;
    if (lifetime_cs >= 0)
        pdu->lifetime_cs = (uint32_t)lifetime_cs;
    assert_in_range(pdu->llc_pdu.octets, 1, MAX_LLC_OCTETS);
}

/* Of FLUSH-LL: the new cell, and the NSE that it is of. */
static void read_target(struct bssgp *pdu, const char *text)
{
    long bvci = number_after(text, '>', 10), nsei = number_after(text, '=', 10);
    if (bvci >= 0)
        pdu_mark(&pdu->head, BSSGP_IE_BVCI_NEW);
    if (nsei >= 0)
        pdu_mark(&pdu->head, BSSGP_IE_NSEI_NEW);
    pdu->bvci_new = bvci >= 0 ? (uint32_t)bvci : 0;
    pdu->nsei_new = nsei >= 0 ? (uint32_t)nsei : 0;
}

static void read_features(struct bssgp *pdu, const char *text)
{
    long bitmap = number_after(text, '&', 10);
    if (bitmap < 0)
        return;
    pdu->feature_bitmap = (uint32_t)bitmap;
    pdu_mark(&pdu->head, BSSGP_IE_FEATURE_BITMAP);
}

static int bssgp_octets(uint8_t *bytes, size_t cap, const char *text, const char *name)
{
    static const uint8_t qos[] = {0, 0, 0x20}, abqp[16];
    struct bssgp pdu = {
        .lifetime_cs = 1, .llc_pdu = {llc, 3}, .qos_profile = {qos, sizeof qos}, .abqp = {abqp, sizeof abqp}};
    const struct pdu_row *row = pdu_row_by_name(&bssgp_grammar, name);
    long bvci = number_after(text, '/', 10), on = number_after(text, '@', 10);
    assert_non_null(row);
    read_unitdata(&pdu, text);
    pdu.head.type = row->type;
    if (bvci >= 0)
        pdu_mark(&pdu.head, BSSGP_IE_BVCI);
    pdu.bvci = bvci >= 0 ? (uint32_t)bvci : 0;
    read_target(&pdu, text);
    read_features(&pdu, text);
    pdu.tlli = (uint32_t)number_after(text, '~', 16);
    pdu.tag = (uint32_t)number_after(text, '#', 10) & 0xff;
    pdu.cause = (uint32_t)number_after(text, '!', 10) & 0xff;
    pdu.pfi = (uint32_t)number_after(text, '$', 10) & 0x7f;
    int n = ns_unitdata_header_put(bytes, on >= 0 ? (uint16_t)on : 0);
    int octets = bssgp_encode(bytes + n, cap - (size_t)n, &pdu);
    assert_true(octets > 0);
    return n + octets;
}

static int octets_of(uint8_t *bytes, size_t cap, const char *text)
{
    char name[64] = {0};
    struct ns ns = {.nsvci = 101, .nsei = 101};
    strncat(name, text, strcspn(text, "/@#!~*^>=$"));
    const char *ns_name = strcmp(name, "ns_status") == 0 ? "status" : name;
    const struct pdu_row *row = strcmp(name, "status") == 0 ? NULL : pdu_row_by_name(&ns_grammar, ns_name);
    if (!row)
        return bssgp_octets(bytes, cap, text, name);
    ns.head.type = row->type;
    ns.cause = (uint32_t)number_after(text, '!', 10) & 0xff;
    if (number_after(text, '#', 10) >= 0) /* another NSEI */
        ns.nsei = (uint32_t)number_after(text, '#', 10);
    return ns_encode(bytes, cap, &ns);
}

static void play_in(struct player *p, const char *in, int64_t now)
{
    uint8_t bytes[MAX_LLC_OCTETS + 256];
    unsigned nsvc = in[1] == ':' ? (unsigned)(in[0] - '0') : 0;
    if (strncmp(in, "hold ", 5) == 0) {
        bss_block(p->bss, (uint16_t)atoi(in + 5), now);
    } else if (strncmp(in, "release ", 8) == 0) {
        bss_unblock(p->bss, (uint16_t)atoi(in + 8), now);
    } else if (strncmp(in, "uplink ", 7) == 0) {
        bss_ul_unitdata(p->bss, (uint16_t)atoi(in + 7), 0xc1, (const uint8_t *)"\x43\xc0", 2, now);
    } else if (strncmp(in, "move ", 5) == 0) {
        bss_ms_move(p->bss, (uint32_t)number_after(in, '~', 16), (uint16_t)atoi(in + 5),
                    (uint16_t)number_after(in, '>', 10), now);
    } else if (strncmp(in, "gone ", 5) == 0) { /* to another SGSN, with `*` uplink LLC-PDUs unsent */
        uint32_t tlli = (uint32_t)number_after(in, '~', 16);
        bss_ms_leave(p->bss, tlli, (uint16_t)atoi(in + 5));
        bss_ms_drop_down(p->bss, tlli, (uint16_t)atoi(in + 5), now);
        assert_int_equal(bss_ms_drop_up(p->bss, tlli, (uint16_t)atoi(in + 5), now),
                         number_after(in, '*', 10));
    } else if (strncmp(in, "back ", 5) == 0) {
        bss_ms_return(p->bss, (uint32_t)number_after(in, '~', 16), (uint16_t)atoi(in + 5), now);
    } else if (strncmp(in, "put ", 4) == 0) {
        bss_ul_put(p->bss, (uint16_t)atoi(in + 4), (uint32_t)number_after(in, '~', 16), llc,
                   (size_t)number_after(in, '*', 10), now);
    } else {
        int n = octets_of(bytes, sizeof bytes, in[1] == ':' ? in + 2 : in);
        assert_true(n > 0);
        bss_rx(p->bss, nsvc, bytes, (size_t)n, now);
    }
}

/* Lets the timers run until `now`; whatever they send before that instant belongs to no row. */
static void pass(struct player *p, int64_t *clock, int64_t now)
{
    for (int64_t due = bss_step(p->bss, *clock); due <= now; due = bss_step(p->bss, *clock)) {
        if (due > *clock) {
            if (p->sent[0])
                fail_msg("at %lld ms, unasked: %s", (long long)(*clock / MS_NS), p->sent);
            *clock = due;
        }
    }
    if (*clock < now && p->sent[0])
        fail_msg("at %lld ms, unasked: %s", (long long)(*clock / MS_NS), p->sent);
    *clock = now;
}

void bss_player_run(const struct bss_config *config, const struct bss_play_row *rows, unsigned count)
{
    struct player p = {0};
    struct bss_ops ops = {
        .arg = &p, .send = on_send, .deliver = on_deliver, .on_down = on_down, .on_discard = on_discard};
    int64_t clock = rows[0].at_ms * MS_NS;
    p.bss = bss_new(config, &ops);
    for (unsigned i = 0; i < count; i++) {
        int64_t now = rows[i].at_ms * MS_NS;
        if (i == 0 || rows[i].at_ms != rows[i - 1].at_ms)
            pass(&p, &clock, now);
        if (rows[i].in)
            play_in(&p, rows[i].in, now);
        pass(&p, &clock, now);
        if (strcmp(p.sent, rows[i].expect) != 0)
            fail_msg("row %u, at %lld ms, in %s:\n  sent   %s\n  expect %s", i, (long long)rows[i].at_ms,
                     rows[i].in ? rows[i].in : "-", p.sent, rows[i].expect);
        p.sent[0] = '\0';
    }
    bss_free(p.bss);
}

void bss_player_come_up(struct bss *bss)
{
    static const struct {
        const char *bytes;
        size_t octets;
    } answers[] = {
        {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", 9},
        {"\x0b", 1},
        {"\x07", 1},
        {"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9},
        {"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9},
        {"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9},
    };
    bss_step(bss, 0);
    for (size_t i = 0; i < COUNT(answers); i++)
        bss_rx(bss, 0, (const uint8_t *)answers[i].bytes, answers[i].octets, 0);
    assert_true(bss_is_up(bss, 1800));
}
