/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP's compression behind Gb: what a mobile of the same functions restores is what came, and buckets are
 * charged what leaves. */
#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"
#include "dataplane/compression/compression_pool.h"
#include "dataplane/wire/ipv4.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <string.h>

enum {
    CONNECTIONS = 20,
    ROUNDS = 2000,
    GB_HEADERS = 42,
    NS_HEADER = 4,
    LLC_HEADER = 3,
    FCS = 3,
    IP_TCP = 40,
    ROOM = 128,
    MOST = 1600,
    LONGEST = 1400,
    PCOMP1 = 1,
    PCOMP2 = 2,
};

#define SETTINGS                                                                                             \
    {                                                                                                        \
        .entities = 4, .slots = 16, .codewords = 2048, .string_octets = 20, .directions = 3                  \
    }

static const struct compression_settings settings = SETTINGS;

static const struct kit_options options = {
    .compression = SETTINGS,
    .n201_u = 500,
    .no_uplink_filter = true,
};

static const struct compression_params rfc1144 = {.nsapis = 1u << KIT_NSAPI,
                                                  .slots = 16,
                                                  .kind = COMPRESSION_RFC1144,
                                                  .sapi = KIT_SAPI,
                                                  .first = PCOMP1,
                                                  .second = PCOMP2};

static const struct compression_params v42bis = {.nsapis = 1u << KIT_NSAPI,
                                                 .codewords = 2048,
                                                 .string_octets = 20,
                                                 .directions = 3,
                                                 .kind = COMPRESSION_V42BIS,
                                                 .sapi = KIT_SAPI,
                                                 .number = 1,
                                                 .first = 3};

/* N-PDUs of one direction by their comp on the way, and octets. */
struct tally {
    uint64_t n_pdus, compressed, before, after; /* before and after: of compressed ones */
    uint64_t headers, full_headers, data;
};

static void tally_add(struct tally *t, uint8_t comp, uint16_t before, uint16_t after)
{
    t->n_pdus++;
    t->compressed += comp != 0;
    t->before += comp ? before : 0;
    t->after += comp ? after : 0;
    t->headers += (comp & 15) == PCOMP2;
    t->full_headers += (comp & 15) == PCOMP1;
    t->data += comp >> 4 != 0;
}

/* Both sides, and the pool that both have their entities from. */
struct sides {
    struct kit *kit;
    struct compression_pool pool;
    struct compression_scratch scratch;
    struct compression_entity *phone;
    struct rng rng;
    struct gb_frame_uplink uplink;
    struct tally tally;
};

static void sides_begin(struct sides *s, const struct compression_params *params)
{
    struct msg order = {.type = MSG_MS_COMPRESSION,
                        .compression = {compression_pool_take(&s->pool, params->kind), *params}};
    struct compression_entity *own = compression_pool_take(&s->pool, params->kind);
    assert_non_null(own);
    assert_non_null(order.compression.memory);
    kit_do(s->kit, &order);
    compression_start(own, params, false);
    own->next = s->phone;
    s->phone = own;
}

static void sides_open(struct sides *s, struct kit *kit)
{
    *s = (struct sides){.kit = kit};
    rng_init(&s->rng, 3, 1);
    assert_true(compression_pool_new(&s->pool, &settings));
    assert_true(compression_scratch_new(&s->scratch, &settings));
}

static void sides_close(struct sides *s)
{
    compression_scratch_free(&s->scratch);
    compression_pool_free(&s->pool);
}

/* --- TCP --- */

struct connection {
    uint32_t seq, ack;
    uint16_t id;
};

static uint16_t sum(const uint8_t *bytes, size_t octets)
{
    uint32_t total = 0;
    for (size_t i = 0; i + 1 < octets; i += 2)
        total += bytes_get_u16(bytes + i);
    while (total >> 16)
        total = (total & 0xffff) + (total >> 16);
    return (uint16_t)~total;
}

/* The next packet of a connection; TCP's checksum is any number: no part of the test checks it. */
static uint16_t put_tcp(struct sides *s, struct connection *c, unsigned number, uint8_t *ip)
{
    uint64_t draw = rng_u64(&s->rng);
    uint16_t data = draw % 3 == 0 ? 0 : (uint16_t)(draw >> 8) % LONGEST, octets = IP_TCP + data;
    memset(ip, 0, IP_TCP);
    ip[0] = 0x45;
    bytes_put_u16(ip + 2, octets);
    bytes_put_u16(ip + 4, ++c->id);
    ip[8] = 64;
    ip[9] = 6;
    bytes_put_u32(ip + 12, 0xc0000300u + number);
    bytes_put_u32(ip + 16, 0x0a000001u);
    bytes_put_u16(ip + 10, sum(ip, 20));
    bytes_put_u16(ip + 20, 80);
    bytes_put_u16(ip + 22, (uint16_t)(40000 + number));
    bytes_put_u32(ip + 24, c->seq);
    bytes_put_u32(ip + 28, c->ack);
    ip[32] = 0x50;
    ip[33] = 0x10;
    bytes_put_u16(ip + 34, 5840);
    bytes_put_u16(ip + 36, (uint16_t)(draw >> 32));
    for (unsigned i = 0; i < data; i++)
        ip[IP_TCP + i] = draw % 7 == 0 ? (uint8_t)rng_u64(&s->rng) : "a page of text, "[i * i % 61 % 16];
    c->seq += data;
    c->ack += draw % 5 == 0 ? 700 : 0;
    return octets;
}

/* --- downlink --- */

static void from_ggsn(struct sides *s, const uint8_t *ip, uint16_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS], gtp[MOST] = {0x30, 0xff};
    bytes_put_u16(gtp + 2, octets);
    bytes_put_u32(gtp + 4, KIT_TEID);
    memcpy(gtp + 8, ip, octets);
    const uint32_t ends[2] = {KIT_GGSN_IP, KIT_SGSN_IP};
    const uint16_t ports[2] = {2152, 2152};
    kit_from_gn(s->kit, frame, gn_frame_wrap(frame, ends, ports, gtp, 8u + octets));
}

/* The SN-UNITDATA of a frame of Gb, and its octets. */
static const uint8_t *sndcp_of(const uint8_t *frame, size_t octets, size_t *left)
{
    size_t at = GB_HEADERS + NS_HEADER + 1 + 4 + 3;
    while (at < octets) {
        uint8_t type = frame[at++];
        size_t value = frame[at] & 0x80 ? frame[at] & 0x7f : (size_t)frame[at] << 8 | frame[at + 1];
        at += frame[at] & 0x80 ? 1 : 2;
        if (type == 0x0e) {
            *left = value - LLC_HEADER - FCS;
            return frame + at + LLC_HEADER;
        }
        at += value;
    }
    fail();
    return NULL;
}

/* The next N-PDU that the mobile gets, restored; 0: none. *sent: its octets on the way. */
static uint16_t to_phone(struct sides *s, uint8_t *ip, uint16_t *sent)
{
    uint8_t frame[KIT_FRAME_OCTETS], whole[ROOM + MOST];
    struct compression_n_pdu n_pdu = {.data = whole + ROOM, .sapi = KIT_SAPI, .nsapi = KIT_NSAPI};
    bool more = true;
    while (more) {
        size_t left, octets = kit_take_gb(s->kit, frame);
        if (octets == 0)
            return 0;
        const uint8_t *sndcp = sndcp_of(frame, octets, &left);
        bool is_first = sndcp[0] & 0x40;
        size_t header = is_first ? 4 : 3;
        more = sndcp[0] & 0x10;
        if (is_first)
            n_pdu.comp = sndcp[1];
        n_pdu.number = bytes_get_u16(sndcp + header - 2) & 0xfff;
        memcpy(n_pdu.data + n_pdu.octets, sndcp + header, left - header);
        n_pdu.octets = (uint16_t)(n_pdu.octets + left - header);
    }
    *sent = n_pdu.octets;
    assert_int_equal(compression_unpack(s->phone, &s->scratch, &n_pdu, ROOM), COMPRESSION_DONE);
    tally_add(&s->tally, n_pdu.comp, n_pdu.octets, *sent);
    memcpy(ip, n_pdu.data, n_pdu.octets);
    return n_pdu.octets;
}

/* The octets that are saved in each N-PDU, on average. */
static uint64_t check_downlink(struct kit *kit, const struct compression_params *const *all, unsigned count)
{
    struct connection connections[CONNECTIONS] = {0};
    struct sides s;
    uint64_t before = 0, after = 0;
    sides_open(&s, kit);
    for (unsigned i = 0; i < count; i++)
        sides_begin(&s, all[i]);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint8_t ip[MOST], restored[MOST];
        unsigned number = (unsigned)(rng_u64(&s.rng) % CONNECTIONS);
        uint16_t octets = put_tcp(&s, &connections[number], number, ip), sent;
        from_ggsn(&s, ip, octets);
        assert_int_equal(to_phone(&s, restored, &sent), octets);
        assert_memory_equal(restored, ip, octets);
        before += octets;
        after += sent;
    }
    const struct worker_stats *stats = &kit->worker->stats;
    assert_int_equal(stats->npdu_octets_out, before);
    assert_int_equal(stats->compression_octets, before);
    assert_int_equal(stats->compression_octets_left, after);
    assert_int_equal(stats->compression_npdus, ROUNDS); /* plain ones, too, and not segments */
    assert_int_equal(before - after, s.tally.before - s.tally.after);
    assert_int_equal(stats->compression_headers, s.tally.headers);
    assert_int_equal(stats->compression_full_headers, s.tally.full_headers);
    assert_int_equal(stats->compression_data, s.tally.data);
    sides_close(&s);
    return (before - after) / ROUNDS;
}

KIT_TEST(what_leaves_is_shorter_and_is_restored, &options)
{
    const struct compression_params *header = &rfc1144;
    assert_in_range(check_downlink(kit, &header, 1), 20, 40);
    assert_int_equal(kit->worker->stats.compression_data, 0);
}

KIT_TEST(data_are_shorter_and_are_restored, &options)
{
    const struct compression_params *data = &v42bis;
    assert_in_range(check_downlink(kit, &data, 1), 100, 400);
    assert_int_equal(kit->worker->stats.compression_headers, 0);
}

KIT_TEST(both_are_shorter_and_are_restored, &options)
{
    const struct compression_params *both[] = {&rfc1144, &v42bis};
    assert_in_range(check_downlink(kit, both, 2), 120, 400);
    assert_true(kit->worker->stats.compression_data > 0 && kit->worker->stats.compression_headers > 0);
}

/* Bucket of one N-PDU and a rate: the time between ACKs is that of what leaves. */
KIT_TEST(buckets_are_charged_what_leaves, &options)
{
    enum { COUNT_ACKS = 50, RATE_BPS = 8000, ACK_OCTETS = 40 };
    struct connection c = {.seq = 5};
    struct sides s;
    uint8_t ip[MOST], restored[MOST];
    uint64_t llc_octets = 0;
    unsigned got = 0;
    sides_open(&s, kit);
    sides_begin(&s, &rfc1144);
    kit_flow(kit, 60, RATE_BPS);
    for (unsigned i = 0; i < COUNT_ACKS; i++) {
        put_tcp(&s, &c, 1, ip);
        c.ack += 1400;
        bytes_put_u16(ip + 2, ACK_OCTETS);
        bytes_put_u16(ip + 10, 0);
        bytes_put_u16(ip + 10, sum(ip, 20));
        bytes_put_u32(ip + 24, 5);
        from_ggsn(&s, ip, ACK_OCTETS);
    }
    int64_t began_ns = kit->now, at_ns = began_ns;
    while (got < COUNT_ACKS && at_ns < began_ns + INT64_C(60000) * KIT_MS) {
        uint16_t sent;
        while (to_phone(&s, restored, &sent) == ACK_OCTETS) {
            llc_octets += sent + 4u + LLC_HEADER + FCS;
            got++;
        }
        at_ns += KIT_MS;
        kit_settle_at(kit, at_ns);
    }
    assert_int_equal(got, COUNT_ACKS);
    int64_t took_ms = (at_ns - began_ns) / KIT_MS;
    assert_in_range(took_ms, (int64_t)llc_octets - 120, (int64_t)llc_octets + 60); /* an octet takes 1 ms */
    assert_true(llc_octets < (uint64_t)COUNT_ACKS * 25);
    sides_close(&s);
}

/* --- uplink --- */

static void from_phone(struct sides *s, const uint8_t *ip, uint16_t octets)
{
    uint8_t frame[KIT_FRAME_OCTETS], packed[MOST];
    struct compression_n_pdu n_pdu = {
        .data = packed, .octets = octets, .sapi = KIT_SAPI, .nsapi = KIT_NSAPI, .is_ip = true};
    memcpy(packed, ip, octets);
    compression_pack(s->phone, &s->scratch, &n_pdu);
    tally_add(&s->tally, n_pdu.comp, octets, n_pdu.octets);
    s->uplink.compression = n_pdu.comp;
    for (uint16_t at = 0; at < n_pdu.octets; at = (uint16_t)(at + s->uplink.octets)) {
        uint16_t left = (uint16_t)(n_pdu.octets - at);
        s->uplink.segment = (uint8_t)(at / 400);
        s->uplink.octets = left < 400 ? left : 400;
        s->uplink.more = left > 400;
        s->uplink.data = n_pdu.data + at;
        kit_from_gb(s->kit, frame, gb_frame_uplink(frame, &s->uplink));
        s->uplink.nu = (s->uplink.nu + 1) % 512;
    }
    s->uplink.number = (s->uplink.number + 1) % 4096;
}

KIT_TEST(what_a_mobile_compresses_reaches_the_ggsn_whole, &options)
{
    struct connection connections[CONNECTIONS] = {0};
    struct sides s;
    sides_open(&s, kit);
    sides_begin(&s, &rfc1144);
    sides_begin(&s, &v42bis);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint8_t ip[MOST], frame[KIT_FRAME_OCTETS];
        unsigned number = (unsigned)(rng_u64(&s.rng) % CONNECTIONS);
        uint16_t octets = put_tcp(&s, &connections[number], number, ip);
        from_phone(&s, ip, octets);
        assert_int_equal(kit_take_gn(kit, frame), GN_FRAME_INNER + octets);
        assert_memory_equal(frame + GN_FRAME_INNER, ip, octets);
    }
    const struct worker_stats *stats = &kit->worker->stats;
    assert_in_range(s.tally.compressed, ROUNDS / 2, ROUNDS);
    assert_int_equal(stats->ul_compression_npdus, s.tally.compressed); /* not plain ones, nor segments */
    assert_int_equal(stats->ul_compression_octets, s.tally.before);
    assert_int_equal(stats->ul_compression_octets_came, s.tally.after);
    assert_int_equal(stats->ul_compression_headers, s.tally.headers);
    assert_int_equal(stats->ul_compression_full_headers, s.tally.full_headers);
    assert_int_equal(stats->ul_compression_data, s.tally.data);
    sides_close(&s);
}

/* --- losses --- */

/* A phone that leaves the slot out where it is the last one's: a compressed header without C. */
static void from_phone_without_slot(struct sides *s, uint16_t checksum)
{
    uint8_t frame[KIT_FRAME_OCTETS], header[] = {0, (uint8_t)(checksum >> 8), (uint8_t)checksum};
    s->uplink.compression = PCOMP2;
    s->uplink.segment = 0;
    s->uplink.more = false;
    s->uplink.octets = sizeof(header);
    s->uplink.data = header;
    kit_from_gb(s->kit, frame, gb_frame_uplink(frame, &s->uplink));
    s->uplink.nu = (s->uplink.nu + 1) % 512;
    s->uplink.number = (s->uplink.number + 1) % 4096;
}

KIT_TEST(headers_without_a_slot_are_tossed_behind_a_loss, &options)
{
    struct connection c = {0};
    struct sides s;
    uint8_t ip[MOST], frame[KIT_FRAME_OCTETS];
    const uint64_t *tossed = &kit->worker->stats.gb_drops[DROP_SNDCP_TOSSED];
    sides_open(&s, kit);
    sides_begin(&s, &rfc1144);
    from_phone(&s, ip, put_tcp(&s, &c, 1, ip)); /* whole */
    from_phone_without_slot(&s, 1);
    ip[9] = 17; /* no TCP: it goes plain, and is no loss */
    bytes_put_u16(ip + 2, 40);
    from_phone(&s, ip, 40);
    from_phone_without_slot(&s, 2);
    assert_int_equal(kit_drain(&kit->gn), 4);
    s.uplink.number++; /* lost */
    from_phone_without_slot(&s, 3);
    from_phone_without_slot(&s, 4);
    assert_int_equal(*tossed, 2);
    assert_int_equal(kit_take_gn(kit, frame), 0);
    compression_refresh(s.phone);
    from_phone(&s, ip, put_tcp(&s, &c, 1, ip));
    from_phone_without_slot(&s, 5);
    assert_int_equal(kit_drain(&kit->gn), 2);
    assert_int_equal(*tossed, 2);
    sides_close(&s);
}

/* What was lost behind the compressor is told by the BSS: the next header of each connection is whole. */
KIT_TEST(a_discarded_frame_refreshes, &options)
{
    struct connection c = {0};
    struct sides s;
    uint8_t ip[MOST], restored[MOST];
    uint16_t sent;
    const struct worker_stats *stats = &kit->worker->stats;
    struct msg discarded = {.type = MSG_MS_DISCARDED, .tlli = KIT_TLLI, .discard = {.bvc = 0, .octets = 1}};
    sides_open(&s, kit);
    sides_begin(&s, &rfc1144);
    for (unsigned i = 0; i < 5; i++) {
        from_ggsn(&s, ip, put_tcp(&s, &c, 1, ip));
        assert_int_equal(to_phone(&s, restored, &sent) > 0, true);
    }
    uint64_t before = stats->compression_full_headers;
    assert_in_range(before, 1, 2);
    c.seq += 10; /* which would be compressed */
    kit_do(kit, &discarded);
    from_ggsn(&s, ip, put_tcp(&s, &c, 1, ip));
    assert_int_equal(stats->compression_full_headers, before + 1);
    sides_close(&s);
}

/* A header that the mobile gets no end of is not one to build on: the one behind it is whole. */
TEST(an_n_pdu_dropped_in_the_middle_refreshes)
{
    struct kit kit;
    struct sides s;
    struct connection c = {0};
    struct kit_options short_lived = options;
    uint8_t ip[MOST], restored[MOST];
    uint16_t octets = 0, sent;
    short_lived.n201_u = 140;
    short_lived.lifetime_ns = 1500 * KIT_MS;
    kit_open(&kit, &short_lived);
    const struct worker_stats *stats = &kit.worker->stats;
    sides_open(&s, &kit);
    sides_begin(&s, &rfc1144);
    kit_flow(&kit, 100000, 80000);
    for (unsigned i = 0; i < 5; i++) {
        from_ggsn(&s, ip, put_tcp(&s, &c, 1, ip));
        assert_true(to_phone(&s, restored, &sent) > 0);
    }
    const uint64_t whole = stats->compression_full_headers, packed = stats->compression_headers;
    kit_settle_at(&kit, kit.now + 10 * MOMENT_SECOND); /* the bucket is empty */
    kit_flow(&kit, 200, 400);
    while (octets < LONGEST / 2)
        octets = put_tcp(&s, &c, 1, ip);
    from_ggsn(&s, ip, octets);
    kit_settle_at(&kit, kit.now + 4 * MOMENT_SECOND);
    assert_true(kit_drain(&kit.gb) > 0);
    assert_int_equal(stats->gn_drops[DROP_PARTIAL], 1);
    assert_int_equal(stats->compression_headers, packed + 1);
    kit_flow(&kit, 100000, 80000);
    octets = put_tcp(&s, &c, 1, ip);
    from_ggsn(&s, ip, octets);
    assert_int_equal(to_phone(&s, restored, &sent), octets);
    assert_memory_equal(restored, ip, octets);
    assert_int_equal(stats->compression_full_headers, whole + 1);
    sides_close(&s);
    kit_close(&kit);
}

/* --- without an entity, after its end --- */

KIT_TEST(a_compressed_n_pdu_without_an_entity_is_dropped, &options)
{
    struct connection c = {0};
    struct sides s;
    uint8_t ip[MOST], frame[KIT_FRAME_OCTETS];
    sides_open(&s, kit);
    sides_begin(&s, &rfc1144);
    struct msg end = {.type = MSG_MS_COMPRESSION, .compression = {NULL, rfc1144}};
    end.compression.params.nsapis = 0;
    assert_int_equal(kit->worker->stats.compression_entities, 1);
    kit_do(kit, &end);
    assert_int_equal(kit->worker->stats.compression_entities, 0);
    assert_int_equal(kit_order(kit, &end), -1);
    from_phone(&s, ip, put_tcp(&s, &c, 1, ip));
    assert_int_equal(kit_take_gn(kit, frame), 0);
    assert_true(kit->worker->stats.gb_drops[DROP_SNDCP_NO_ENTITY] > 0);
    from_ggsn(&s, ip, put_tcp(&s, &c, 1, ip));
    assert_true(kit_take_gb(kit, frame) > 0);
    sides_close(&s);
}

/* Memory comes back with the mobile's end. */
KIT_TEST(a_deleted_mobile_returns_its_entities, &options)
{
    struct sides s;
    struct msg del = {.type = MSG_MS_DEL, .slot = 0};
    sides_open(&s, kit);
    for (unsigned i = 0; i < 3; i++) {
        struct compression_params params = rfc1144;
        params.sapi = (uint8_t)(3 + 2 * i);
        sides_begin(&s, &params);
    }
    struct msg next = {
        .type = MSG_MS_COMPRESSION, /* a SAPI has one of a kind: the one before returns its memory */
        .compression = {compression_pool_take(&s.pool, COMPRESSION_RFC1144), rfc1144}};
    next.compression.params.number++;
    kit_do(kit, &next);
    for (unsigned i = 0; i < 2; i++)
        assert_non_null(compression_pool_take(&s.pool, COMPRESSION_RFC1144));
    assert_null(compression_pool_take(&s.pool, COMPRESSION_RFC1144));
    kit_do(kit, &del);
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(compression_pool_take(&s.pool, COMPRESSION_RFC1144));
    assert_null(compression_pool_take(&s.pool, COMPRESSION_RFC1144));
    sides_close(&s);
}

UNIT_MAIN(kit_start, NULL)
