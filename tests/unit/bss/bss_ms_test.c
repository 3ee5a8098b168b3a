/* SPDX-License-Identifier: BSD-3-Clause */
/* Paging by area, SUSPEND and RESUME. */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#include "bss/bss.h"
#include "bss/bss_ms.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <stdlib.h>
#include <string.h>

struct heard {
    struct bss_page page;
    unsigned pages, suspended, resumed, refused;
    uint32_t tlli, tlli_old;
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

static void on_renamed(void *arg, uint32_t tlli, uint32_t tlli_old)
{
    struct heard *heard = arg;
    heard->tlli = tlli;
    heard->tlli_old = tlli_old;
}

static const uint16_t nsvcis[] = {101};
static const struct bss_cell_config cells[] = {
    {.bvci = 1800, .cell_id = {"262", "42", 4660, 5, 1}, .bvc = {3000, 8000}, .ms_default = {1000, 8000}}};

static struct bss *up(struct heard *heard)
{
    const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};
    static const struct bss_ms_ops ms_ops = {on_page, on_suspended, on_resumed, on_renamed};
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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

TEST(named_by_both_tllis)
{
    static const uint8_t llc_pdu[] = {0x41, 0xfb, 1, 2, 3}, qos[] = {0, 0, 0x20};
    struct heard heard = {0};
    struct bss *bss = up(&heard);
    struct bssgp pdu = {.head.type = BSSGP_DL_UNITDATA,
                        .tlli = 0xc0000002,
                        .tlli_old = 0xc0000001,
                        .qos_profile = {qos, 3},
                        .lifetime_cs = 100,
                        .llc_pdu = {llc_pdu, sizeof(llc_pdu)}};
    give(bss, 1800, &pdu);
    assert_int_equal(heard.tlli, 0);
    pdu_mark(&pdu.head, BSSGP_IE_TLLI_OLD);
    give(bss, 1800, &pdu);
    assert_int_equal(heard.tlli, 0xc0000002);
    assert_int_equal(heard.tlli_old, 0xc0000001);
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
    bss_ms_suspend(bss, 0xc0000001, 1800);
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
    bss_ms_resume(bss, 0xc0000001, 1800, 9, 0);
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

/* Packet flows: accepted where the cell has a bucket for them, announced if both sides have their flow
 * control. */

#define PLAY(pfc_config, rows) bss_player_run(pfc_config, rows, sizeof(rows) / sizeof(rows)[0])

static const uint16_t pfc_nsvcis[] = {101};

#define CELL(number)                                                                                         \
    .bvci = number, .cell_id = {"001", "01", 1, 0, 1}, .bvc = {3000, 8000}, .ms_default = {100, 100}

/* Up to the first announcement of cell 1800, with the features of both sides. */
#define BRING_UP(ours, theirs)                                                                               \
    {0, NULL, "reset"}, {0, "reset_ack", "unblock alive"}, {0, "alive_ack", ""},                             \
        {0, "unblock_ack", "bvc_reset/0" ours}, {0, "bvc_reset_ack/0" theirs, "bvc_reset/1800"},             \
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},                                                       \
        {0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},                                              \
    {                                                                                                        \
        0, "flow_control_bvc_ack@1800#1", ""                                                                 \
    }

static const struct bss_cell_config pfc_cells[] = {{CELL(1800), .pfc = {4000, 16000}}};
static const struct bss_config pfc_config = {101, pfc_nsvcis, 1, pfc_cells, 1, NULL};

/* Each creation is answered and announced, a repeated one again; the acknowledgement is expected, others are
 * not. */
TEST(created_announced_deleted)
{
    static const struct bss_play_row rows[] = {
        BRING_UP("&33", "&33"),
        {100, "create_bss_pfc@1800~c1$8",
         "create_bss_pfc_ack@1800~c1$8 flow_control_pfc@1800~c1#1$8:4000:16000"},
        {110, "flow_control_pfc_ack@1800~c1#1", ""},
        {200, "create_bss_pfc@1800~c2$9",
         "create_bss_pfc_ack@1800~c2$9 flow_control_pfc@1800~c2#2$9:4000:16000"},
        {300, "create_bss_pfc@1800~c1$8",
         "create_bss_pfc_ack@1800~c1$8 flow_control_pfc@1800~c1#3$8:4000:16000"},
        {400, "delete_bss_pfc@1800~c1$8", "delete_bss_pfc_ack@1800~c1$8"},
    };
    PLAY(&pfc_config, rows);
}

/* Between BVC-RESET and BVC-UNBLOCK; a blocked cell answers with STATUS. */
TEST(before_unblocked)
{
    static const struct bss_play_row rows[] = {
        {0, NULL, "reset"},
        {0, "reset_ack", "unblock alive"},
        {0, "alive_ack", ""},
        {0, "unblock_ack", "bvc_reset/0&33"},
        {0, "bvc_reset_ack/0&33", "bvc_reset/1800"},
        {0, "bvc_reset_ack/1800", "bvc_unblock/1800"},
        {0, "create_bss_pfc@1800~c1$8",
         "create_bss_pfc_ack@1800~c1$8 flow_control_pfc@1800~c1#1$8:4000:16000"},
        {0, "bvc_unblock_ack/1800", "flow_control_bvc@1800#1"},
        {0, "flow_control_bvc_ack@1800#1", ""},
        {100, "hold 1800", "bvc_block/1800"},
        {100, "create_bss_pfc@1800~c1$8", "status/1800!9"},
    };
    PLAY(&pfc_config, rows);
}

/* The other side has packet flows without their flow control. */
TEST(not_announced)
{
    static const struct bss_play_row rows[] = {
        BRING_UP("&33", "&1"),
        {100, "create_bss_pfc@1800~c1$8", "create_bss_pfc_ack@1800~c1$8"},
    };
    PLAY(&pfc_config, rows);
}

/* A cell without a bucket for packet flows refuses, and names no features. */
TEST(refused)
{
    static const struct bss_cell_config plain[] = {{CELL(1800)}};
    static const struct bss_config without = {101, pfc_nsvcis, 1, plain, 1, NULL};
    static const struct bss_play_row rows[] = {
        BRING_UP("", "&33"),
        {100, "create_bss_pfc@1800~c1$8", "create_bss_pfc_nack@1800~c1$8"},
    };
    PLAY(&without, rows);
}

/* --- The BSS by its octets: a real PCU's bring-up, large values, noise --- */

#define SECOND_NS INT64_C(1000000000)

static const uint16_t octets_nsvcis[] = {101, 102};
static const struct bss_cell_config one_cell[] = {ROW(.bvci = 1800, .cell_id = {"262", "42", 0x1234, 5, 1},
                                                      .bvc = {50000, 160000}, .ms_default = {25000, 80000})};
static const struct bss_config one = {101, octets_nsvcis, 1, one_cell, 1, NULL};

struct octets_log {
    uint8_t last[64];
    size_t octets;
};

static void keep_last(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct octets_log *log = arg;
    assert_in_range(octets, 1, sizeof log->last);
    memcpy(log->last, ns_pdu, octets);
    log->octets = octets;
}

static void deliver_nothing(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                            int64_t now)
{
    fail();
}

/* The octets of a real PCU's bring-up, with our identities: what must be there, what must not. */
TEST(bring_up_in_octets)
{
    static const struct {
        const char *in;
        size_t in_octets;
        const char *out;
        size_t out_octets;
    } rows[] = {
        {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", 9, "\x0a", 1},
        {"\x0b", 1, "\x0a", 1},
        {"\x07", 1, "\x00\x00\x00\x00\x22\x04\x82\x00\x00\x07\x81\x08", 12},
        {"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9,
         "\x00\x00\x00\x00\x22\x04\x82\x07\x08\x07\x81\x08\x08\x88\x62\xf2\x24\x12\x34\x05\x00\x01", 22},
        {"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9, "\x00\x00\x00\x00\x24\x04\x82\x07\x08", 9},
        {"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9,
         "\x00\x00\x07\x08\x26\x1e\x81\x01\x05\x82\x01\xf4\x03\x82\x06\x40\x01\x82\x00\xfa\x1c\x82\x03\x20",
         24},
    };
    struct octets_log log = {0};
    struct bss_ops ops = {.arg = &log, .send = keep_last, .deliver = deliver_nothing};
    struct bss *bss = bss_new(&one, &ops);
    assert_int_equal(bss_step(bss, 5), 5);
    assert_int_equal(bss_step(bss, 5), 5 + 3 * SECOND_NS);
    assert_memory_equal(log.last, "\x02\x00\x81\x01\x01\x82\x00\x65\x04\x82\x00\x65", 12);
    for (size_t i = 0; i < COUNT(rows); i++) {
        bss_rx(bss, 0, (const uint8_t *)rows[i].in, rows[i].in_octets, 5);
        assert_int_equal(log.octets, rows[i].out_octets);
        assert_memory_equal(log.last, rows[i].out, rows[i].out_octets);
    }
    /* A PDU with an error is answered, a STATUS with one is not. */
    uint64_t before = bss_stats_get(bss)->tx_pdus;
    bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x41", 5, 5);
    assert_int_equal(bss_stats_get(bss)->tx_pdus, before);
    bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x22", 5, 5);
    assert_int_equal(log.octets, 11);
    assert_memory_equal(log.last, "\x00\x00\x00\x00\x41\x07\x81\x22\x15\x81\x22", 11);
    assert_true(bss_is_up(bss, 1800));
    assert_false(bss_is_up(bss, 1801));
    bss_free(bss);
}

/* Announced values beyond 16 bits of 100: one unit for all of them, none rounded to nothing. */
TEST(large_values)
{
    static const struct {
        struct bss_bucket bvc, ms, bvc_told, ms_told;
    } rows[] = {
        {{6553500, 6553500}, {100, 0}, {6553500, 6553500}, {100, 0}},
        {{6553600, 1600000}, {100, 0}, {6554000, 1600000}, {1000, 0}},
        ROW({UINT64_C(6553500000), UINT64_C(6553500000)}, {100, 6553500000},
            {UINT64_C(6553500000), UINT64_C(6553500000)}, {100000, 6553500000}),
        {{65535400, 0}, {1600, 1500}, {65535000, 0}, {2000, 2000}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const char *const acks[] = {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", "\x07"};
        struct octets_log log = {0};
        struct bss_ops ops = {.arg = &log, .send = keep_last, .deliver = deliver_nothing};
        struct bss_cell_config cell = one_cell[0];
        struct bss_config config = {101, octets_nsvcis, 1, &cell, 1, NULL};
        struct bssgp pdu;
        cell.bvc = rows[i].bvc;
        cell.ms_default = rows[i].ms;
        struct bss *bss = bss_new(&config, &ops);
        bss_step(bss, 0);
        bss_rx(bss, 0, (const uint8_t *)acks[0], 9, 0);
        bss_rx(bss, 0, (const uint8_t *)acks[1], 1, 0);
        bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9, 0);
        bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9, 0);
        bss_rx(bss, 0, (const uint8_t *)"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9, 0);
        assert_true(bssgp_decode(&pdu, log.last + 4, log.octets - 4) > 0);
        assert_int_equal(pdu.bucket_octets, rows[i].bvc_told.bucket_octets);
        assert_int_equal(pdu.rate_bps, rows[i].bvc_told.rate_bps);
        assert_int_equal(pdu.ms_bucket_octets, rows[i].ms_told.bucket_octets);
        assert_int_equal(pdu.ms_rate_bps, rows[i].ms_told.rate_bps);
        bss_free(bss);
    }
}

static uint32_t noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

struct digest {
    uint64_t value, pdus, delivered;
};

static void digest_send(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct digest *d = arg;
    struct ns ns;
    assert_true(ns_decode(&ns, ns_pdu, octets) > 0);
    d->pdus++;
    for (size_t i = 0; i < octets; i++)
        d->value = (d->value ^ ns_pdu[i]) * UINT64_C(0x100000001b3);
}

static void digest_deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                           int64_t now)
{
    struct digest *d = arg;
    d->delivered++;
    d->value += (uint64_t)now + tlli + octets;
}

/* Answers that move the machines on, for noise to meet them in every state. */
static const struct {
    const char *bytes;
    size_t octets;
} answers[] = {
    {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", 9},
    {"\x03\x01\x82\x00\x66\x04\x82\x00\x65", 9},
    {"\x07", 1},
    {"\x0b", 1},
    {"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9},
    {"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9},
    {"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9},
    {"\x00\x00\x07\x08\x27\x1e\x81\x01", 8},
    {"\x00\x00\x07\x08\x00\xc1\x23\x45\x67\x00\x00\x20\x16\x82\x02\x58\x0e\x81\x43", 19},
};

/* Answers, their like with one octet changed or cut, and noise; in memory of its own length, so that a
   sanitizer sees every read beyond the end. */
static void feed_noise(struct bss *bss, uint32_t *seed, int64_t now)
{
    unsigned kind = noise(seed) % 16, pick = noise(seed) % (COUNT(answers));
    size_t len = answers[pick].octets;
    uint8_t *bytes = malloc(24);
    memcpy(bytes, answers[pick].bytes, len);
    if (kind == 0)
        len = noise(seed) % len;
    else if (kind == 1)
        bytes[noise(seed) % len] = (uint8_t)noise(seed);
    else if (kind == 2)
        for (len = 0; len < 24 && noise(seed) % 12; len++)
            bytes[len] = (uint8_t)(noise(seed) % 0x30);
    uint8_t *exact = realloc(bytes, len ? len : 1);
    bss_rx(bss, noise(seed) % 2, exact, len, now);
    free(exact);
}

static struct digest run_noise(uint32_t seed)
{
    static const struct bss_config config = {101, octets_nsvcis, 2, one_cell, 1, NULL};
    struct digest d = {0};
    struct bss_ops ops = {.arg = &d, .send = digest_send, .deliver = digest_deliver};
    struct bss *bss = bss_new(&config, &ops);
    int64_t now = 0;
    for (unsigned i = 0; i < 100000; i++) {
        int64_t due = bss_step(bss, now);
        now = due > now && due < now + SECOND_NS ? due : now + noise(&seed) % 10000000;
        feed_noise(bss, &seed, now);
    }
    assert_int_equal(bss_stats_get(bss)->rx_pdus, 100000);
    assert_int_equal(bss_stats_get(bss)->tx_pdus, d.pdus);
    bss_free(bss);
    return d;
}

TEST(noise_twice_is_the_same)
{
    struct digest first = run_noise(1), second = run_noise(1), other = run_noise(2);
    assert_int_equal(first.value, second.value);
    assert_int_not_equal(first.value, other.value);
    assert_in_range(first.pdus, 1000, 1000000);
    assert_in_range(first.delivered, 100, 100000);
}

UNIT_MAIN(NULL, NULL)
