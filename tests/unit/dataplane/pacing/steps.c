/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/pacing/steps.h"

#include "dataplane/base/bytes.h"
#include "tests/unit/unit.h"

#include <string.h>

struct pacing_at at;
int64_t now;
struct change change;
uint32_t waiting_mobiles;
uint64_t sent_octets;

const struct step ACK_0 = {UP, ACK, 80, 100, 1000, 65000};

uint32_t sum_of(const uint8_t *packet, bool is_ipv6)
{
    const uint8_t *from = packet + (is_ipv6 ? 8 : 12), *end = packet + PACKET;
    uint32_t sum = 6 + (is_ipv6 ? PACKET - 40 : PACKET - 20);
    for (; from < end; from += 2)
        sum += bytes_get_u16(from);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

void put_checksum(uint8_t *packet, bool is_ipv6)
{
    uint8_t *field = packet + (is_ipv6 ? 40 : 20) + TCP_CHECKSUM_AT;
    bytes_put_u16(field, 0);
    bytes_put_u16(field, (uint16_t)~sum_of(packet, is_ipv6));
}

uint8_t *put_ip(uint8_t *packet, bool is_ipv6, unsigned way, unsigned octets)
{
    memset(packet, 0, PACKET);
    packet[0] = is_ipv6 ? 0x60 : 0x45;
    bytes_put_u16(packet + (is_ipv6 ? 4 : 2), (uint16_t)(octets - (is_ipv6 ? 40 : 0)));
    packet[is_ipv6 ? 6 : 9] = 6;
    packet[is_ipv6 ? (way == UP ? 23 : 39) : (way == UP ? 15 : 19)] = 7; /* the mobile's address */
    return packet + (is_ipv6 ? 40 : 20);
}

uint16_t steps_play(struct pacing *p, const struct step *step, bool is_ipv6)
{
    static uint8_t packet[PACKET + 2000];
    unsigned octets = PACKET, header = is_ipv6 ? 40 : 20;
    uint8_t *tcp = put_ip(packet, is_ipv6, step->way, octets);
    bytes_put_u16(tcp, step->way == UP ? 4000 : step->port);
    bytes_put_u16(tcp + 2, step->way == UP ? step->port : 4000);
    bytes_put_u32(tcp + 4, step->seq);
    bytes_put_u32(tcp + 8, step->ack);
    unsigned tcp_octets = !(step->flags & SYN) ? 20 : step->scale == -3 ? 36 : 28;
    tcp[12] = (uint8_t)(tcp_octets << 2);
    tcp[13] = step->flags;
    bytes_put_u16(tcp + TCP_WINDOW_AT, step->window);
    if (step->flags & SYN) {
        static const uint8_t options[] = {2, 4, MSS >> 8, MSS & 255, 1, 3, 3};
        memcpy(tcp + 20, options, sizeof(options));
        tcp[27] = (uint8_t)step->scale;
        static const uint8_t others[][12] = {{0}, {29, 4}, {1, 1, 8, 10}};
        if (step->scale < 0)
            memcpy(tcp + 24, others[-step->scale - 1], tcp_octets - 24);
    }
    put_checksum(packet, is_ipv6);
    unsigned length = header + tcp_octets + step->data_octets;
    bytes_put_u16(packet + (is_ipv6 ? 4 : 2), (uint16_t)(length - (is_ipv6 ? 40 : 0)));
    if (change.at > 0)
        packet[change.at] = change.value;
    if (step->way == DOWN) {
        pacing_downlink(p, &at, packet, length, now);
        return step->window;
    }
    pacing_uplink(p, &at, packet, length, now);
    assert_true(change.at > 0 || sum_of(packet, is_ipv6) == 0xffff);
    return bytes_get_u16(tcp + TCP_WINDOW_AT);
}

uint32_t steps_waiting(const void *unused_owner, uint16_t unused_bvc, uint8_t unused_qclass)
{
    return waiting_mobiles;
}

uint64_t steps_sent(const void *unused_owner, uint16_t unused_bvc)
{
    return sent_octets;
}

void steps_begin(void)
{
    waiting_mobiles = 1;
    sent_octets = 0;
    at = (struct pacing_at){
        .ms = 1, .bvc = 0, .qclass = QCLASS_THP2, .ms_rate_bps = 32000, .bvc_rate_bps = 1000000};
    now = SECOND;
    change = (struct change){0};
}

struct pacing *open_with(uint32_t flows, uint8_t classes)
{
    struct pacing_params params = {.classes = classes,
                                   .flows = flows,
                                   .ms_target_ns = TARGET,
                                   .drops_repeated = true,
                                   .view = {.waiting = steps_waiting, .sent = steps_sent},
                                   .key = {1, 2}};
    steps_begin();
    return pacing_new(&params, &(struct pacing_limits){4, 2, 1});
}

void open_flow(struct pacing *p, bool is_ipv6)
{
    const struct step steps[] = {OPEN(0, 0)};
    steps_play(p, &steps[0], is_ipv6);
    steps_play(p, &steps[1], is_ipv6);
}
