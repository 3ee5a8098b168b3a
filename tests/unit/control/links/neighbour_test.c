/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"

#include "control/links/neighbour.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#define OUR_IP   0xc0000201 /* 192.0.2.1 */
#define THEIR_IP 0xc0000202
#define S        MOMENT_SECOND

static const uint8_t our_mac[6] = {2, 0, 0, 0, 0, 1}, their_mac[6] = {2, 0, 0, 0, 0, 2},
                     new_mac[6] = {2, 0, 0, 0, 0, 3};

struct rig {
    struct neighbour n;
    unsigned sent, told;
    uint8_t frame[NEIGHBOUR_FRAME_OCTETS]; /* sent last */
    size_t octets;
    struct neighbour_entry entry; /* told last */
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
    rig->entry = *entry;
}

static struct rig *rig_new(void)
{
    static struct rig rig;
    struct neighbour_ops ops = {.arg = &rig, .send = on_send, .tell = on_tell};
    struct neighbour_ip own = neighbour_ip_v4(OUR_IP);
    rig = (struct rig){0};
    neighbour_init(&rig.n, our_mac, &ops);
    assert_true(neighbour_add_own(&rig.n, &own));
    return &rig;
}

/* An ARP packet from them, as a frame. */
static void hear(struct rig *rig, uint16_t operation, uint32_t sender_ip, const uint8_t *mac,
                 uint32_t target_ip, int64_t now)
{
    uint8_t frame[60] = {0};
    struct ether ether = {.type = ETHER_TYPE_ARP};
    struct arp arp = {.operation = operation, .sender_ip = sender_ip, .target_ip = target_ip};
    memcpy(arp.sender_mac, mac, 6);
    memcpy(ether.src, mac, 6);
    ether_encode(frame, sizeof frame, &ether);
    arp_encode(frame + ETHER_OCTETS, ARP_OCTETS, &arp);
    neighbour_receive(&rig->n, frame, sizeof frame, now);
}

static struct arp arp_sent(const struct rig *rig)
{
    struct arp arp;
    struct ether ether;
    assert_int_equal(rig->octets, 60);
    assert_int_equal(ether_decode(&ether, rig->frame, rig->octets), ETHER_OCTETS);
    assert_int_equal(ether.type, ETHER_TYPE_ARP);
    assert_memory_equal(ether.src, our_mac, 6);
    assert_int_equal(arp_decode(&arp, rig->frame + ETHER_OCTETS, ARP_OCTETS), ARP_OCTETS);
    return arp;
}

TEST(requests_for_us_are_answered)
{
    static const struct {
        uint16_t operation;
        uint32_t sender, target;
        unsigned answers, entries;
    } rows[] = {
        {ARP_REQUEST, THEIR_IP, OUR_IP, 1, 1},     {ARP_REQUEST, 0, OUR_IP, 1, 0}, /* a probe, RFC 5227 */
        {ARP_REQUEST, THEIR_IP, OUR_IP + 7, 0, 0}, {ARP_REPLY, THEIR_IP, OUR_IP, 0, 0},
        {ARP_REQUEST, OUR_IP, OUR_IP, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new();
        hear(rig, rows[i].operation, rows[i].sender, their_mac, rows[i].target, 0);
        assert_int_equal(rig->sent, rows[i].answers);
        assert_int_equal(rig->n.arp_answers, rows[i].answers);
        assert_int_equal(rig->n.ignored, 1 - rows[i].answers);
        assert_int_equal(rig->told, 0); /* no datagram wants it */
        assert_int_equal(rig->n.entry_count, rows[i].entries);
        if (rows[i].answers == 0)
            continue;
        struct arp arp = arp_sent(rig);
        assert_int_equal(arp.operation, ARP_REPLY);
        assert_int_equal(arp.sender_ip, OUR_IP);
        assert_int_equal(arp.target_ip, rows[i].sender);
        assert_memory_equal(arp.sender_mac, our_mac, 6);
        assert_memory_equal(rig->frame, their_mac, 6);
    }
}

/* Time, what happens, and what is expected after it. */
enum event { WANT, STEP, REPLY, REPLY_NEW, REQUEST, MULTICAST };

static const struct {
    int64_t at_ns;
    enum event event;
    enum neighbour_state state;
    unsigned sent, told;
    int64_t next_ns;
} life[] = {
    {0, WANT, NEIGHBOUR_ASKED, 1, 0, S},
    {S / 2, WANT, NEIGHBOUR_ASKED, 1, 0, S},
    {S - 1, STEP, NEIGHBOUR_ASKED, 1, 0, S},
    {S, STEP, NEIGHBOUR_ASKED, 2, 0, 2 * S},
    {2 * S, STEP, NEIGHBOUR_ASKED, 3, 0, 3 * S},
    {3 * S, STEP, NEIGHBOUR_SILENT, 4, 1, 8 * S},
    {8 * S, STEP, NEIGHBOUR_SILENT, 5, 1, 13 * S},
    {9 * S, MULTICAST, NEIGHBOUR_SILENT, 5, 1, 13 * S},
    {9 * S, REPLY, NEIGHBOUR_KNOWN, 5, 2, 39 * S},
    {10 * S, REPLY, NEIGHBOUR_KNOWN, 5, 2, 39 * S}, /* not asked for: no verification */
    {11 * S, REPLY_NEW, NEIGHBOUR_KNOWN, 5, 3, 12 * S},
    {11 * S + 1, REQUEST, NEIGHBOUR_KNOWN, 6, 4, 12 * S}, /* it asks us: answered, its old address is back */
    {12 * S, STEP, NEIGHBOUR_CHECKED, 7, 4, 13 * S},
    {12 * S, REQUEST, NEIGHBOUR_CHECKED, 8, 4, 13 * S},
    {12 * S, REPLY, NEIGHBOUR_KNOWN, 8, 4, 42 * S},
    {41 * S, REQUEST, NEIGHBOUR_KNOWN, 9, 4, 42 * S},
    {42 * S, STEP, NEIGHBOUR_CHECKED, 10, 4, 43 * S},
    {42 * S + 1, REPLY, NEIGHBOUR_KNOWN, 10, 4, 72 * S + 1},
    {72 * S + 1, STEP, NEIGHBOUR_CHECKED, 11, 4, 73 * S + 1},
    {73 * S + 1, STEP, NEIGHBOUR_CHECKED, 12, 4, 74 * S + 1},
    {74 * S + 1, STEP, NEIGHBOUR_CHECKED, 13, 4, 75 * S + 1},
    {75 * S + 1, STEP, NEIGHBOUR_SILENT, 14, 5, 80 * S + 1},
    {76 * S, REPLY, NEIGHBOUR_KNOWN, 14, 6, 106 * S},
};

static void play(struct rig *rig, enum event event, int64_t now)
{
    static const uint8_t multicast[6] = {1, 0, 0, 0, 0, 2};
    struct neighbour_ip ip = neighbour_ip_v4(THEIR_IP);
    switch (event) {
    case WANT:
        neighbour_want(&rig->n, &ip, now);
        break;
    case STEP:
        break;
    case REQUEST:
        hear(rig, ARP_REQUEST, THEIR_IP, their_mac, OUR_IP, now);
        break;
    case MULTICAST:
        hear(rig, ARP_REPLY, THEIR_IP, multicast, OUR_IP, now);
        break;
    default:
        hear(rig, ARP_REPLY, THEIR_IP, event == REPLY ? their_mac : new_mac, OUR_IP, now);
        break;
    }
}

TEST(an_entry_lives)
{
    struct rig *rig = rig_new();
    for (size_t i = 0; i < COUNT(life); i++) {
        play(rig, life[i].event, life[i].at_ns);
        assert_int_equal(neighbour_step(&rig->n, life[i].at_ns), life[i].next_ns);
        const struct neighbour_entry *entry = &rig->n.entries[0];
        assert_int_equal(rig->n.entry_count, 1);
        assert_int_equal(entry->state, life[i].state);
        assert_int_equal(rig->sent, life[i].sent);
        assert_int_equal(rig->told, life[i].told);
        assert_int_equal(entry->has_mac, i >= 8);
        if (entry->has_mac)
            assert_memory_equal(entry->mac, life[i].event == REPLY_NEW ? new_mac : their_mac, 6);
    }
}

/* The MAC address of one that asks us is used when it is wanted, and asked for at once. */
TEST(an_asker_is_known)
{
    struct rig *rig = rig_new();
    struct neighbour_ip ip = neighbour_ip_v4(THEIR_IP);
    hear(rig, ARP_REQUEST, THEIR_IP, their_mac, OUR_IP, 0);
    hear(rig, ARP_REPLY, THEIR_IP, new_mac, OUR_IP, 2 * S);
    assert_int_equal(neighbour_step(&rig->n, 4 * S), MOMENT_NEVER);
    assert_int_equal(rig->sent, 1);
    const struct neighbour_entry *entry = neighbour_want(&rig->n, &ip, 5 * S);
    assert_true(entry->state == NEIGHBOUR_CHECKED && entry->has_mac);
    assert_memory_equal(entry->mac, new_mac, 6);
    assert_true(rig->told == 0 && rig->sent == 2 && rig->n.heard_count == 0);
    struct arp arp = arp_sent(rig);
    assert_true(arp.operation == ARP_REQUEST && arp.target_ip == THEIR_IP);
    assert_int_equal(neighbour_step(&rig->n, 5 * S), 6 * S);
    hear(rig, ARP_REPLY, THEIR_IP, their_mac, OUR_IP, 5 * S);
    assert_true(entry->state == NEIGHBOUR_KNOWN && rig->told == 1);
    assert_memory_equal(rig->entry.mac, their_mac, 6);
    assert_int_equal(neighbour_step(&rig->n, 6 * S), 35 * S);
}

/* Requests of a forger do not keep the owner of an address from being asked. */
TEST(forged_requests_do_not_verify)
{
    struct rig *rig = rig_new();
    struct neighbour_ip ip = neighbour_ip_v4(THEIR_IP);
    hear(rig, ARP_REQUEST, THEIR_IP, new_mac, OUR_IP, 0);
    const struct neighbour_entry *entry = neighbour_want(&rig->n, &ip, S);
    for (int64_t at = 2; at < 200; at++) {
        if (at % 20 == 0)
            hear(rig, ARP_REQUEST, THEIR_IP, new_mac, OUR_IP, at * S);
        neighbour_step(&rig->n, at * S);
    }
    assert_true(rig->sent - rig->n.arp_answers > 200 / 5);
    hear(rig, ARP_REPLY, THEIR_IP, their_mac, OUR_IP, 200 * S);
    assert_memory_equal(entry->mac, their_mac, 6);
    assert_memory_equal(rig->entry.mac, their_mac, 6);
}

/* The latest of them stay, and none in the place of one that is wanted or configured. */
TEST(askers_leave_room)
{
    struct rig *rig = rig_new();
    struct neighbour_ip ip;
    for (uint32_t i = 0; i <= NEIGHBOUR_HEARD_MAX; i++)
        hear(rig, ARP_REQUEST, 0x0a000000 + i, their_mac, OUR_IP, i);
    assert_int_equal(rig->n.entry_count, NEIGHBOUR_HEARD_MAX);
    ip = neighbour_ip_v4(0x0a000000);
    assert_int_equal(neighbour_want(&rig->n, &ip, S)->state, NEIGHBOUR_ASKED); /* replaced */
    for (uint32_t i = 0; i < NEIGHBOUR_ENTRIES - 2; i++) {
        ip = neighbour_ip_v4(0x0b000000 + i);
        assert_non_null(neighbour_want(&rig->n, &ip, S));
    }
    assert_int_equal(rig->n.heard_count, 1);
    ip = neighbour_ip_v4(0x0a000000 + NEIGHBOUR_HEARD_MAX);
    neighbour_forget(&rig->n, &ip);
    assert_int_equal(rig->n.heard_count, 0);
    ip = neighbour_ip_v4(THEIR_IP);
    assert_true(neighbour_set(&rig->n, &ip, their_mac));
    hear(rig, ARP_REQUEST, THEIR_IP + 1, their_mac, OUR_IP, S);
    assert_int_equal(rig->n.entry_count, NEIGHBOUR_ENTRIES);
    assert_int_equal(rig->n.heard_count, 0);
}

TEST(questions_name_our_nearest_address)
{
    struct rig *rig = rig_new();
    struct neighbour_ip far = neighbour_ip_v4(0x0a000001), them = neighbour_ip_v4(0x0a0000fe);
    assert_true(neighbour_add_own(&rig->n, &far));
    neighbour_want(&rig->n, &them, 0);
    struct arp arp = arp_sent(rig);
    assert_int_equal(arp.operation, ARP_REQUEST);
    assert_int_equal(arp.sender_ip, 0x0a000001);
    assert_int_equal(arp.target_ip, 0x0a0000fe);
    assert_memory_equal(rig->frame, "\xff\xff\xff\xff\xff\xff", 6);
    neighbour_announce(&rig->n);
    assert_int_equal(rig->sent, 3);
    assert_int_equal(arp_sent(rig).sender_ip, arp_sent(rig).target_ip);
}

TEST(a_static_one_is_never_asked)
{
    struct rig *rig = rig_new();
    struct neighbour_ip ip = neighbour_ip_v4(THEIR_IP);
    assert_true(neighbour_set(&rig->n, &ip, their_mac));
    assert_int_equal(rig->told, 1);
    hear(rig, ARP_REPLY, THEIR_IP, new_mac, OUR_IP, 1);
    const struct neighbour_entry *entry = neighbour_want(&rig->n, &ip, 2);
    assert_int_equal(neighbour_step(&rig->n, 1000 * S), MOMENT_NEVER);
    assert_int_equal(entry->state, NEIGHBOUR_STATIC);
    assert_memory_equal(entry->mac, their_mac, 6);
    assert_int_equal(rig->sent, 0);
}

/* --- ICMP --- */

static size_t echo_frame(uint8_t *frame, uint32_t dst, size_t octets, uint8_t type)
{
    uint8_t data[1500] = {1, 2, 3};
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {
        .src = THEIR_IP, .dst = dst, .ttl = 64, .proto = 1, .payload_octets = (uint16_t)(8 + octets)};
    struct icmp_echo echo = {.type = type, .id = 5, .seq = 6, .data = data, .data_octets = octets};
    memcpy(ether.src, their_mac, 6);
    size_t at = (size_t)ether_encode(frame, 14, &ether);
    at += (size_t)ipv4_encode(frame + at, 20, &ip);
    return at + (size_t)icmp_echo_encode(frame + at, 8 + octets, &echo);
}

static void check_reply(const struct rig *rig, size_t octets)
{
    struct ipv4 ip = {0};
    struct icmp_echo echo;
    assert_memory_equal(rig->frame, their_mac, 6);
    assert_memory_equal(rig->frame + 6, our_mac, 6);
    assert_int_equal(ipv4_decode(&ip, rig->frame + 14, rig->octets - 14), 20);
    assert_true(ipv4_is_checksum_good(rig->frame + 14, 20));
    assert_int_equal(ip.src, OUR_IP);
    assert_int_equal(ip.dst, THEIR_IP);
    assert_int_equal(icmp_echo_decode(&echo, rig->frame + 34, ip.payload_octets), 8 + octets);
    assert_int_equal(echo.type, ICMP_ECHO_REPLY);
    assert_int_equal(echo.seq, 6);
}

TEST(echoes_to_us_are_answered)
{
    static const struct {
        uint32_t dst;
        size_t octets, cut;
        uint8_t type;
        unsigned answers;
    } rows[] = {
        {OUR_IP, 0, 0, ICMP_ECHO, 1},       {OUR_IP, 56, 0, ICMP_ECHO, 1},
        {OUR_IP, 1476, 0, ICMP_ECHO, 1},    {OUR_IP, 1477, 0, ICMP_ECHO, 0},
        {OUR_IP + 1, 56, 0, ICMP_ECHO, 0},  {OUR_IP, 56, 1, ICMP_ECHO, 0},
        {OUR_IP, 8, 0, ICMP_ECHO_REPLY, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new();
        uint8_t frame[1600];
        size_t octets = echo_frame(frame, rows[i].dst, rows[i].octets, rows[i].type);
        neighbour_receive(&rig->n, frame, octets - rows[i].cut, 0);
        assert_int_equal(rig->sent, rows[i].answers);
        assert_int_equal(rig->n.echo_answers, rows[i].answers);
        if (rows[i].answers)
            check_reply(rig, rows[i].octets);
    }
}

/* Each half of one is an echo of its own by its looks. */
TEST(fragments_are_not_answered)
{
    static const uint16_t fields[] = {0x2000, 0x0001};
    for (size_t i = 0; i < COUNT(fields); i++) {
        struct rig *rig = rig_new();
        uint8_t frame[80];
        size_t octets = echo_frame(frame, OUR_IP, 20, ICMP_ECHO);
        frame[20] = (uint8_t)(fields[i] >> 8);
        frame[21] = (uint8_t)fields[i];
        frame[24] = frame[25] = 0;
        uint16_t checksum = ipv4_checksum(frame + 14, 20);
        frame[24] = (uint8_t)(checksum >> 8);
        frame[25] = (uint8_t)checksum;
        neighbour_receive(&rig->n, frame, octets, 0);
        assert_int_equal(rig->sent, 0);
    }
}

TEST(any_cut_or_flip_is_harmless)
{
    struct rig *rig = rig_new();
    uint8_t frame[80];
    size_t octets = echo_frame(frame, OUR_IP, 20, ICMP_ECHO);
    for (size_t len = 0; len < octets; len++)
        neighbour_receive(&rig->n, frame, len, 0);
    assert_int_equal(rig->sent, 0);
    for (size_t bit = 14 * 8; bit < 8 * octets; bit++) {
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        neighbour_receive(&rig->n, frame, octets, 0);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(rig->sent, 0);
}

TEST(tables_fill_up)
{
    struct rig *rig = rig_new();
    struct neighbour_ip ip;
    for (uint32_t i = 0; i < NEIGHBOUR_ENTRIES; i++) {
        ip = neighbour_ip_v4(0x0a000000 + i);
        assert_non_null(neighbour_want(&rig->n, &ip, 0));
    }
    ip = neighbour_ip_v4(THEIR_IP);
    assert_null(neighbour_want(&rig->n, &ip, 0));
    assert_false(neighbour_set(&rig->n, &ip, their_mac));
    for (uint32_t i = 1; i < NEIGHBOUR_ADDRESSES; i++) {
        ip = neighbour_ip_v4(OUR_IP + i);
        assert_true(neighbour_add_own(&rig->n, &ip));
        assert_true(neighbour_add_own(&rig->n, &ip));
    }
    ip = neighbour_ip_v4(0x0b000000);
    assert_false(neighbour_add_own(&rig->n, &ip));
}

/* Neighbours over IPv6. Frames are made octet by octet here, their checksums summed up in another way. */

#define OURS   1 /* last octet of 2001:db8::1 */
#define THEIRS 2
#define GROUP  3 /* an address that is not ours */

static struct neighbour_ip host(uint8_t last)
{
    return (struct neighbour_ip){.octets = {0x20, 0x01, 0x0d, 0xb8, [15] = last}};
}

static struct rig *ipv6_rig_new(void)
{
    struct rig *rig = rig_new();
    struct neighbour_ip own = host(OURS);
    assert_true(neighbour_add_own(&rig->n, &own));
    return rig;
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
    message[4] = m->type == 136 && m->dst != GROUP ? 0x60 : 0; /* solicited */
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

static size_t ipv6_hear(struct rig *rig, const struct message *m, int64_t now)
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
    bool is_learned;
} ipv6_rows[] = {
    {{135, 255, THEIRS, OURS, OURS, 32, false}, 136, true},
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

TEST(ipv6_requests_for_us_are_answered)
{
    for (size_t i = 0; i < COUNT(ipv6_rows); i++) {
        struct rig *rig = ipv6_rig_new();
        size_t octets = ipv6_hear(rig, &ipv6_rows[i].m, 0);
        assert_int_equal(rig->sent, ipv6_rows[i].answer != 0);
        assert_int_equal(rig->n.ignored, ipv6_rows[i].answer == 0);
        assert_int_equal(rig->n.entry_count, ipv6_rows[i].is_learned);
        if (ipv6_rows[i].answer == 0)
            continue;
        struct neighbour_ip own = host(OURS);
        assert_int_equal(rig->frame[54], ipv6_rows[i].answer);
        assert_int_equal(sum_of(rig->frame), 0xffff);
        assert_memory_equal(rig->frame + 22, own.octets, 16);
        assert_memory_equal(rig->frame, ipv6_rows[i].m.src ? their_mac : (const uint8_t *)"\x33\x33\0\0\0\1",
                            6);
        if (ipv6_rows[i].answer == 129) {
            assert_int_equal(rig->octets, octets);
            continue;
        }
        assert_int_equal(rig->frame[21], 255);
        assert_int_equal(rig->frame[58], ipv6_rows[i].m.src ? 0x60 : 0x20);
        assert_memory_equal(rig->frame + 62, own.octets, 16);
        assert_memory_equal(rig->frame + 80, our_mac, 6);
    }
}

/* An IPv4 address in the form of IPv6 (RFC 4291 clause 2.5.5.2), as source, destination or target. */
TEST(mapped_addresses_are_ignored)
{
    for (unsigned at = 22; at <= 62; at += at == 22 ? 16 : 24) {
        struct rig *rig = ipv6_rig_new();
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
    struct rig *rig = ipv6_rig_new();
    struct neighbour_ip them = host(THEIRS);
    const struct message advertisement = {136, 255, THEIRS, OURS, THEIRS, 32, false},
                         gratuitous = {136, 255, THEIRS, GROUP, THEIRS, 32, false},
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
    ipv6_hear(rig, &forwarded, S);
    ipv6_hear(rig, &silent, S);
    assert_false(entry->has_mac);
    ipv6_hear(rig, &advertisement, S);
    assert_int_equal(entry->state, NEIGHBOUR_KNOWN);
    assert_memory_equal(entry->mac, their_mac, 6);
    assert_int_equal(rig->told, 1);
    assert_int_equal(neighbour_step(&rig->n, 2 * S), 31 * S);
    neighbour_step(&rig->n, 31 * S);
    ipv6_hear(rig, &gratuitous, 31 * S); /* answers nothing */
    assert_int_equal(entry->state, NEIGHBOUR_CHECKED);
    assert_int_equal(neighbour_step(&rig->n, 31 * S), 32 * S);
}

TEST(we_announce_ourselves)
{
    struct rig *rig = ipv6_rig_new();
    neighbour_announce(&rig->n);
    assert_int_equal(rig->sent, 2); /* an address of either version */
    assert_memory_equal(rig->frame, "\x33\x33\0\0\0\1", 6);
    assert_int_equal(rig->frame[54], 136);
    assert_int_equal(sum_of(rig->frame), 0xffff);
}

TEST(ipv6_any_cut_or_flip_is_harmless)
{
    const struct message solicitation = {135, 255, THEIRS, OURS, OURS, 32, false};
    struct rig *rig = ipv6_rig_new();
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
