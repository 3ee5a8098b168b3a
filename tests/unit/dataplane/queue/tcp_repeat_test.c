/* SPDX-License-Identifier: BSD-3-Clause */
/* Which TCP segments repeat a queued one. */
#include "dataplane/queue/tcp_repeat.h"
#include "tests/unit/unit.h"

#include <string.h>

#define PACKET 160

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, URG = 32 };

struct packet {
    uint32_t seq, data_octets, ack;
    uint8_t flags; /* 0: ACK */
    uint8_t port;  /* last octet of the source port */
    uint8_t host;  /* of the source address */
    uint8_t proto; /* 0: TCP */
    uint8_t is_v6;
    uint8_t is_fragment;
    uint8_t cut_octets; /* off the packet's end */
};

static void put32(uint8_t *p, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static struct n_pdu make(uint8_t octets[PACKET], const struct packet *p)
{
    uint32_t head = p->is_v6 ? 40 : 20, all = head + 20 + p->data_octets;
    uint8_t proto = p->proto ? p->proto : 6;
    memset(octets, 0, PACKET);
    assert_in_range(all, 40, PACKET);
    if (p->is_v6) {
        octets[0] = 0x60;
        put16(octets + 4, all - head);
        octets[6] = proto;
        octets[23] = p->host;
    } else {
        octets[0] = 0x45;
        put16(octets + 2, all);
        octets[6] = p->is_fragment ? 0x20 : 0x40;
        octets[9] = proto;
        octets[15] = p->host;
    }
    octets[head + 1] = p->port;
    put32(octets + head + 4, p->seq);
    put32(octets + head + 8, p->ack);
    octets[head + 12] = 5 << 4;
    octets[head + 13] = p->flags ? p->flags : ACK;
    return (struct n_pdu){.data = octets, .octets = (uint16_t)(all - p->cut_octets)};
}

static const struct {
    const char *name;
    struct packet queued, coming;
    bool is_repeat;
} rows[] = {
    {"the same", {.seq = 1000, .data_octets = 50}, {.seq = 1000, .data_octets = 50}, true},
    {"of IPv6", {.seq = 5, .data_octets = 9, .is_v6 = 1}, {.seq = 5, .data_octets = 9, .is_v6 = 1}, true},
    {"its first part", {.seq = 1000, .data_octets = 50}, {.seq = 1000, .data_octets = 20}, true},
    {"its last part", {.seq = 1000, .data_octets = 50}, {.seq = 1030, .data_octets = 20}, true},
    {"an octet more", {.seq = 1000, .data_octets = 50}, {.seq = 1030, .data_octets = 21}, false},
    {"an octet earlier", {.seq = 1000, .data_octets = 50}, {.seq = 999, .data_octets = 20}, false},
    {"the next", {.seq = 1000, .data_octets = 50}, {.seq = 1050, .data_octets = 50}, false},
    {"over the wrap", {.seq = 0xffffffe0, .data_octets = 64}, {.seq = 16, .data_octets = 16}, true},
    {"no data", {.seq = 1000, .data_octets = 50}, {.seq = 1000}, false},
    {"none queued", {.seq = 1000}, {.seq = 1000, .data_octets = 50}, false},
    {"an older ACK", {.data_octets = 9, .ack = 8}, {.data_octets = 9, .ack = 7}, true},
    {"a newer ACK", {.data_octets = 9, .ack = 8}, {.data_octets = 9, .ack = 9}, false},
    {"with PSH", {.data_octets = 9}, {.data_octets = 9, .flags = PSH | ACK}, true},
    {"with FIN", {.data_octets = 9}, {.data_octets = 9, .flags = FIN | ACK}, false},
    {"with SYN", {.data_octets = 9}, {.data_octets = 9, .flags = SYN}, false},
    {"with RST", {.data_octets = 9}, {.data_octets = 9, .flags = RST}, false},
    {"with URG", {.data_octets = 9}, {.data_octets = 9, .flags = URG | ACK}, false},
    {"of a SYN with data", {.data_octets = 9, .flags = SYN}, {.data_octets = 9}, false},
    {"of one with FIN", {.data_octets = 9, .flags = FIN | ACK}, {.data_octets = 9}, true},
    {"the first ACK", {.data_octets = 9, .flags = PSH}, {.data_octets = 9}, false},
    {"another port", {.data_octets = 9}, {.data_octets = 9, .port = 1}, false},
    {"another host", {.data_octets = 9}, {.data_octets = 9, .host = 1}, false},
    {"another version", {.data_octets = 9}, {.data_octets = 9, .is_v6 = 1}, false},
    {"UDP", {.data_octets = 9, .proto = 17}, {.data_octets = 9, .proto = 17}, false},
    {"a fragment", {.data_octets = 9}, {.data_octets = 9, .is_fragment = 1}, false},
    {"of a fragment", {.data_octets = 9, .is_fragment = 1}, {.data_octets = 9}, false},
    {"cut short", {.data_octets = 9}, {.data_octets = 9, .cut_octets = 1}, false},
    {"cut to 19 octets", {.data_octets = 9}, {.data_octets = 9, .cut_octets = 30}, false},
    ROW("IPv6 cut to 39 octets", {.data_octets = 9, .is_v6 = 1},
        {.data_octets = 9, .is_v6 = 1, .cut_octets = 30}, false),
};

TEST(of_one)
{
    uint8_t octets[2][PACKET];
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct n_pdu queued = make(octets[0], &rows[i].queued), coming = make(octets[1], &rows[i].coming);
        struct n_pdu_list list = {0};
        assert_false(tcp_repeat_has(&list, &coming));
        n_pdu_list_put(&list, &queued);
        if (tcp_repeat_has(&list, &coming) != rows[i].is_repeat)
            fail_msg("%s", rows[i].name);
    }
}

/* The search ends after TCP_REPEAT_MOST_PKTS; N-PDUs without octets are no TCP. */
TEST(of_many)
{
    static uint8_t octets[TCP_REPEAT_MOST_PKTS + 2][PACKET];
    struct n_pdu n_pdus[TCP_REPEAT_MOST_PKTS + 1], none = {.octets = 100};
    struct n_pdu_list list = {0};
    for (uint32_t i = 0; i <= TCP_REPEAT_MOST_PKTS; i++) {
        n_pdus[i] = make(octets[i], &(struct packet){.seq = 10 * i, .data_octets = 10});
        n_pdu_list_put(&list, &n_pdus[i]);
    }
    for (uint32_t i = 0; i <= TCP_REPEAT_MOST_PKTS; i++) {
        struct n_pdu coming =
            make(octets[TCP_REPEAT_MOST_PKTS + 1], &(struct packet){.seq = 10 * i, .data_octets = 10});
        assert_int_equal(tcp_repeat_has(&list, &coming), i < TCP_REPEAT_MOST_PKTS);
    }
    assert_false(tcp_repeat_has(&list, &none));
}

UNIT_MAIN(NULL, NULL)
