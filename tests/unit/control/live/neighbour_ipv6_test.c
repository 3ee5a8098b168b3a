/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours over IPv6. Frames are made octet by octet here, their checksums summed up in another way. */
#include "control/live/neighbour.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#define OURS   1 /* last octet of 2001:db8::1 */
#define THEIRS 2
#define S      MOMENT_SECOND

static const uint8_t our_mac[6] = {2, 0, 0, 0, 0, 1}, their_mac[6] = {2, 0, 0, 0, 0, 2};

struct rig {
    struct neighbour n;
    unsigned sent, told;
    uint8_t frame[NEIGHBOUR_FRAME_OCTETS]; /* sent last */
    size_t octets;
};

static void on_send(void *arg, const uint8_t *frame, size_t octets)
{
    struct rig *rig = arg;
    rig->sent++;
    rig->octets = octets;
    memcpy(rig->frame, frame, octets);
}

static void on_tell(void *arg, const struct neighbour_entry *entry)
{
    struct rig *rig = arg;
    rig->told++;
}

static struct neighbour_ip host(uint8_t last)
{
    return (struct neighbour_ip){.octets = {0x20, 0x01, 0x0d, 0xb8, [15] = last}};
}

static struct rig *rig_new(void)
{
    static struct rig rig;
    struct neighbour_ops ops = {.arg = &rig, .send = on_send, .tell = on_tell};
    struct neighbour_ip own = host(OURS), v4 = neighbour_ip_v4(0xc0000201);
    rig = (struct rig){0};
    neighbour_init(&rig.n, our_mac, &ops);
    assert_true(neighbour_add_own(&rig.n, &v4));
    assert_true(neighbour_add_own(&rig.n, &own));
    return &rig;
}

/* Sum of a frame's message with its pseudo-header: 0xffff when its checksum is right. */
static uint32_t sum_of(const uint8_t *frame)
{
    uint32_t length = (uint32_t)frame[18] << 8 | frame[19], sum = length + 58;
    for (size_t i = 22; i < 54 + length; i++)
        sum += i % 2 ? frame[i] : (uint32_t)frame[i] << 8;
    while (sum > 0xffff)
        sum = (sum >> 16) + (sum & 0xffff);
    return sum;
}

struct message {
    uint8_t type, hops, src, dst, target; /* last octets of addresses; src 0: unspecified */
    uint8_t octets;                       /* of it */
    bool has_no_mac;
};

/* A frame from them with a solicitation, an advertisement or an Echo Request. Returns its octets. */
static size_t build(uint8_t *frame, const struct message *m)
{
    struct neighbour_ip src = host(m->src), dst = host(m->dst), target = host(m->target);
    uint8_t *message = frame + 54;
    memset(frame, 0, 200);
    memcpy(frame, our_mac, 6);
    memcpy(frame + 6, their_mac, 6);
    frame[12] = 0x86;
    frame[13] = 0xdd;
    frame[14] = 0x60;
    frame[19] = m->octets;
    frame[20] = 58;
    frame[21] = m->hops;
    if (m->src != 0)
        memcpy(frame + 22, src.octets, 16);
    memcpy(frame + 38, dst.octets, 16);
    message[0] = m->type;
    if (m->type >= 135) {
        memcpy(message + 8, target.octets, 16);
        message[24] = m->has_no_mac ? 14 : m->type - 134;
        message[25] = 1;
        memcpy(message + 26, their_mac, 6);
    }
    uint32_t missing = 0xffff - sum_of(frame);
    message[2] = (uint8_t)(missing >> 8);
    message[3] = (uint8_t)missing;
    return 54 + m->octets;
}

static size_t hear(struct rig *rig, const struct message *m, int64_t now)
{
    uint8_t frame[200];
    size_t octets = build(frame, m);
    neighbour_receive(&rig->n, frame, octets, now);
    return octets;
}

/* What is answered, and by which type. */
static const struct {
    struct message m;
    uint8_t answer; /* 0: nothing */
} rows[] = {
    {{135, 255, THEIRS, OURS, OURS, 32, false}, 136},
    {{135, 255, THEIRS, OURS, OURS, 32, true}, 136},
    {{135, 255, THEIRS, OURS, OURS, 24, false}, 136},
    {{135, 255, 0, OURS, OURS, 24, false}, 136}, /* a probe */
    {{135, 254, THEIRS, OURS, OURS, 32, false}, 0},
    {{135, 255, THEIRS, OURS, 9, 32, false}, 0},
    {{135, 255, OURS, OURS, OURS, 32, false}, 0},
    {{136, 255, THEIRS, OURS, THEIRS, 32, false}, 0},
    {{128, 64, THEIRS, OURS, 0, 8, false}, 129},
    {{128, 64, THEIRS, OURS, 0, 64, false}, 129},
    {{128, 64, THEIRS, 9, 0, 8, false}, 0},
    {{129, 64, THEIRS, OURS, 0, 8, false}, 0},
    {{128, 64, OURS, OURS, 0, 8, false}, 0},
};

TEST(requests_for_us_are_answered)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *rig = rig_new();
        size_t octets = hear(rig, &rows[i].m, 0);
        assert_int_equal(rig->sent, rows[i].answer != 0);
        assert_int_equal(rig->n.ignored, rows[i].answer == 0);
        if (rows[i].answer == 0)
            continue;
        struct neighbour_ip own = host(OURS);
        assert_int_equal(rig->frame[54], rows[i].answer);
        assert_int_equal(sum_of(rig->frame), 0xffff);
        assert_memory_equal(rig->frame + 22, own.octets, 16);
        assert_memory_equal(rig->frame, rows[i].m.src ? their_mac : (const uint8_t *)"\x33\x33\0\0\0\1", 6);
        if (rows[i].answer == 129) {
            assert_int_equal(rig->octets, octets);
            continue;
        }
        assert_int_equal(rig->frame[21], 255);
        assert_int_equal(rig->frame[58], rows[i].m.src ? 0x60 : 0x20);
        assert_memory_equal(rig->frame + 62, own.octets, 16);
        assert_memory_equal(rig->frame + 80, our_mac, 6);
    }
}

/* An IPv4 address in the form of IPv6 (RFC 4291 clause 2.5.5.2), as source, destination or target. */
TEST(mapped_addresses_are_ignored)
{
    for (unsigned at = 22; at <= 62; at += at == 22 ? 16 : 24) {
        struct rig *rig = rig_new();
        const struct neighbour_ip v4 = neighbour_ip_v4(0xc0000202);
        const struct message m = {at == 62 ? 136 : 135, 255, THEIRS, OURS, OURS, 32, false};
        uint8_t frame[200];
        size_t octets = build(frame, &m);
        neighbour_want(&rig->n, &v4, 0);
        rig->sent = rig->told = 0;
        memcpy(frame + at, v4.octets, 16);
        frame[56] = frame[57] = 0;
        uint32_t missing = 0xffff - sum_of(frame);
        frame[56] = (uint8_t)(missing >> 8);
        frame[57] = (uint8_t)missing;
        neighbour_receive(&rig->n, frame, octets, 0);
        assert_int_equal(rig->sent + rig->told, 0);
        assert_int_equal(rig->n.entries[0].state, NEIGHBOUR_ASKED);
    }
}

TEST(a_neighbour_is_found)
{
    struct rig *rig = rig_new();
    struct neighbour_ip them = host(THEIRS);
    const struct message advertisement = {136, 255, THEIRS, OURS, THEIRS, 32, false},
                         forwarded = {136, 64, THEIRS, OURS, THEIRS, 32, false},
                         silent = {136, 255, THEIRS, OURS, THEIRS, 24, false};
    const struct neighbour_entry *entry = neighbour_want(&rig->n, &them, 0);
    assert_int_equal(rig->sent, 1);
    assert_memory_equal(rig->frame, "\x33\x33\xff\0\0\2\2\0\0\0\0\1\x86\xdd", 14);
    assert_memory_equal(rig->frame + 38, "\xff\2\0\0\0\0\0\0\0\0\0\1\xff\0\0\2", 16);
    assert_int_equal(rig->frame[54], 135);
    assert_memory_equal(rig->frame + 62, them.octets, 16);
    assert_memory_equal(rig->frame + 78, "\1\1\2\0\0\0\0\1", 8);
    assert_int_equal(sum_of(rig->frame), 0xffff);
    hear(rig, &forwarded, S);
    hear(rig, &silent, S);
    assert_false(entry->has_mac);
    hear(rig, &advertisement, S);
    assert_int_equal(entry->state, NEIGHBOUR_KNOWN);
    assert_memory_equal(entry->mac, their_mac, 6);
    assert_int_equal(rig->told, 1);
    assert_int_equal(neighbour_step(&rig->n, 2 * S), 31 * S);
}

TEST(we_announce_ourselves)
{
    struct rig *rig = rig_new();
    neighbour_announce(&rig->n);
    assert_int_equal(rig->sent, 2); /* an address of either version */
    assert_memory_equal(rig->frame, "\x33\x33\0\0\0\1", 6);
    assert_int_equal(rig->frame[54], 136);
    assert_int_equal(sum_of(rig->frame), 0xffff);
}

TEST(any_cut_or_flip_is_harmless)
{
    const struct message solicitation = {135, 255, THEIRS, OURS, OURS, 32, false};
    struct rig *rig = rig_new();
    uint8_t frame[200];
    size_t octets = build(frame, &solicitation);
    for (size_t len = 0; len < octets; len++)
        neighbour_receive(&rig->n, frame, len, 0);
    assert_int_equal(rig->sent, 0);
    for (size_t bit = 8 * 20; bit < 8 * octets; bit++) {
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        neighbour_receive(&rig->n, frame, octets, 0);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(rig->sent, 0);
    assert_int_equal(rig->told, 0);
}

UNIT_MAIN(NULL, NULL)
