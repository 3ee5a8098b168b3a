/* SPDX-License-Identifier: BSD-3-Clause */
/* A peer that contradicts itself: what the fuzzer of the IP host found, as segments behind a handshake. */
#include "sim/tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { MOST = 3, PEER_ISS = 1000, OUR_ISS = 5000 };

/* place: in the peer's stream, 0 being its SYN. */
static const struct row {
    const char *name;
    struct {
        int32_t place;
        uint16_t octets;
        bool has_fin;
    } segments[MOST];
    unsigned received, ranges;
    enum tcp_state state;
} rows[] = {
    {"begins before the SYN", {{-5, 100, false}}, 0, 0, TCP_ESTABLISHED},
    {"all of it before the SYN", {{-500, 100, false}}, 0, 0, TCP_ESTABLISHED},
    {"FIN in a gap, then data over it", {{51, 10, true}, {1, 100, false}}, 60, 0, TCP_CLOSE_WAIT},
    {"data behind the place of the FIN", {{51, 10, true}, {70, 10, false}}, 0, 1, TCP_ESTABLISHED},
    {"FIN before what is held", {{101, 100, false}, {51, 10, true}}, 0, 2, TCP_ESTABLISHED},
    {"two FINs, the first one counts",
     {{51, 10, true}, {51, 20, true}, {1, 50, false}},
     60,
     0,
     TCP_CLOSE_WAIT},
    {"a sound stream out of order", {{51, 10, true}, {1, 50, false}}, 60, 0, TCP_CLOSE_WAIT},
};

static void drop(void *arg, const struct ip_packet *packet, int64_t now)
{
}

static void give(struct tcp *t, int32_t place, uint16_t octets, uint8_t flags)
{
    struct ip_packet packet = {
        .tcp = {.src_port = 1,
                .dst_port = 2,
                .seq = (uint32_t)(PEER_ISS + place),
                .ack = OUR_ISS + 1,
                .flags = flags,
                .window = 4000},
        .payload = calloc(1, octets + 1u),
        .payload_octets = octets,
    };
    if (flags & TCP_SYN)
        tcp_accept(t, &packet, 0);
    else
        tcp_rx(t, &packet, 0);
    free((void *)packet.payload);
}

static void contradictions(void **state)
{
    struct tcp_params params = tcp_params_default();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tcp t;
        tcp_init(&t, &(struct tcp_config){.params = &params, .output = {.emit = drop}, .iss = OUR_ISS});
        give(&t, 0, 0, TCP_SYN);
        give(&t, 1, 0, TCP_ACK);
        for (unsigned k = 0; k < MOST && rows[i].segments[k].octets; k++)
            give(&t, rows[i].segments[k].place, rows[i].segments[k].octets,
                 rows[i].segments[k].has_fin ? TCP_FIN | TCP_ACK : TCP_ACK);
        if (t.stats.octets_received != rows[i].received || t.ranges.count != rows[i].ranges ||
            t.state != rows[i].state)
            fail_msg("%s: received %u, ranges %u, state %u", rows[i].name, (unsigned)t.stats.octets_received,
                     t.ranges.count, t.state);
        assert_true(tcp_ranges_octets(&t.ranges) <= params.receive_window_octets);
        tcp_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contradictions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
