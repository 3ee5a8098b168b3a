/* SPDX-License-Identifier: BSD-3-Clause */
/* Paging by area, SUSPEND and RESUME. */
#include "bss/bss_ms.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#include <string.h>

struct heard {
    struct bss_page page;
    unsigned pages, suspended, resumed, refused;
    uint32_t tlli;
    uint8_t reference;
    uint8_t sent[64];
    size_t sent_octets;
};

static void sends(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct heard *heard = arg;
    heard->sent_octets = octets < sizeof(heard->sent) ? octets : 0;
    memcpy(heard->sent, ns_pdu, heard->sent_octets);
}

static void delivers(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now)
{
}

static void on_page(void *arg, const struct bss_page *page)
{
    struct heard *heard = arg;
    heard->page = *page;
    heard->pages++;
}

static void on_suspended(void *arg, uint32_t tlli, uint8_t reference)
{
    struct heard *heard = arg;
    heard->tlli = tlli;
    heard->reference = reference;
    heard->suspended++;
}

static void on_resumed(void *arg, uint32_t tlli, bool is_acknowledged)
{
    struct heard *heard = arg;
    heard->resumed += is_acknowledged;
    heard->refused += !is_acknowledged;
}

static const uint16_t nsvcis[] = {101};
static const struct bss_cell_config cells[] = {
    {.bvci = 1800, .cell_id = {"262", "42", 4660, 5, 1}, .bvc = {3000, 8000}, .ms_default = {1000, 8000}}};

static struct bss *up(struct heard *heard)
{
    const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    static const struct bss_ms_ops ms_ops = {on_page, on_suspended, on_resumed};
    const struct bss_ops ops = {.arg = heard, .send = sends, .deliver = delivers, .ms = &ms_ops};
    struct bss *bss = bss_new(&config, &ops);
    assert_non_null(bss);
    bss_player_come_up(bss);
    return bss;
}

static void give(struct bss *bss, uint16_t bvci, const struct bssgp *pdu)
{
    uint8_t octets[128];
    int header = ns_unitdata_header_put(octets, bvci);
    int length = bssgp_encode(octets + header, sizeof(octets) - (size_t)header, pdu);
    assert_true(length > 0);
    bss_rx(bss, 0, octets, (size_t)(header + length), 0);
}

static struct bssgp paging(void)
{
    static const uint8_t imsi[] = {0x29, 0x26, 0x24, 0, 0, 0, 0, 0x10}, qos[] = {0, 0, 0x20};
    return (struct bssgp){.head.type = BSSGP_PAGING_PS, .imsi = {imsi, 8}, .qos_profile = {qos, 3}};
}

TEST(paged_in_its_area)
{
    static const struct {
        struct area area;
        uint16_t bvci; /* 0: by the area */
        unsigned pages;
    } rows[] = {
        {{"262", "42", 4660, 5, 0}, 0, 1}, {{"262", "42", 4660, 6, 0}, 0, 0},
        {{"262", "42", 4661, 5, 0}, 0, 0}, {{"262", "43", 4660, 5, 0}, 0, 0},
        {{"263", "42", 4660, 5, 0}, 0, 0}, {{""}, 1800, 1},
    };
    struct heard heard = {0};
    struct bss *bss = up(&heard);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bssgp pdu = paging();
        pdu.routeing_area = rows[i].area;
        pdu.bvci = rows[i].bvci;
        pdu.tmsi = 0xc0000007;
        pdu_mark(&pdu.head, rows[i].bvci ? BSSGP_IE_BVCI : BSSGP_IE_ROUTEING_AREA);
        pdu_mark(&pdu.head, BSSGP_IE_TMSI);
        heard.pages = 0;
        give(bss, rows[i].bvci, &pdu);
        assert_int_equal(heard.pages, rows[i].pages);
    }
    assert_int_equal(heard.page.bvci, 1800);
    assert_true(heard.page.has_tmsi);
    assert_int_equal(heard.page.tmsi, 0xc0000007);
    assert_int_equal(heard.page.imsi_octets, 8);
    bss_free(bss);
}

static struct bssgp last_sent(const struct heard *heard)
{
    struct bssgp pdu;
    struct ns ns;
    assert_true(ns_decode(&ns, heard->sent, heard->sent_octets) > 0);
    assert_true(bssgp_decode(&pdu, ns.sdu.at, ns.sdu.octets) > 0);
    return pdu;
}

TEST(suspended_and_resumed)
{
    struct heard heard = {0};
    struct bss *bss = up(&heard);
    bss_suspend(bss, 0xc0000001, 1800);
    struct bssgp pdu = last_sent(&heard);
    assert_int_equal(pdu.head.type, BSSGP_SUSPEND);
    assert_int_equal(pdu.tlli, 0xc0000001);
    assert_int_equal(pdu.routeing_area.rac, 5);
    struct bssgp ack = {.head.type = BSSGP_SUSPEND_ACK,
                        .tlli = 0xc0000001,
                        .routeing_area = cells[0].cell_id,
                        .suspend_ref = 9};
    give(bss, 0, &ack);
    assert_int_equal(heard.suspended, 1);
    assert_int_equal(heard.tlli, 0xc0000001);
    assert_int_equal(heard.reference, 9);
    bss_resume(bss, 0xc0000001, 1800, 9, 0);
    pdu = last_sent(&heard);
    assert_int_equal(pdu.head.type, BSSGP_RESUME);
    assert_int_equal(pdu.suspend_ref, 9);
    ack.head.type = BSSGP_RESUME_ACK;
    give(bss, 0, &ack);
    ack.head.type = BSSGP_RESUME_NACK;
    give(bss, 0, &ack);
    assert_int_equal(heard.resumed, 1);
    assert_int_equal(heard.refused, 1);
    assert_int_equal(bss_stats_get(bss)->unexpected, 0);
    bss_free(bss);
}

UNIT_MAIN(NULL, NULL)
