/* SPDX-License-Identifier: BSD-3-Clause */
/* One cell of the cross-checks with ns-3 and Linux, played by sim/'s TCP: a sender, a link with a queue, a
   receiver.

   usage: play_cell RATE_BPS DELAY_MS QUEUE_PACKETS LOSE_ONE_IN SACK TIMESTAMPS ACK_EVERY WINDOW OCTETS
                    [CC HYSTART PRR RACK INITIAL_CWND MIN_RTO_MS OVERHEAD]

   The sender connects, sends OCTETS and closes. Prints what arrived, and when the last of it did, in seconds
   since the SYN; then the octets sent again and the timeouts; with CC (0 NewReno, 1 CUBIC) also the quantiles
   .5 and .95 of the time that packets with data wait for the link, in ms. Status: 0, 1 it did not arrive, 2
   usage. */
#include "tests/unit/sim/link_lab.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { PORT = 80, PPP_OCTETS = 2, WAITS = 1 << 20 };
enum { RATE, DELAY, QUEUE, LOSE, SACK, TIMESTAMPS, ACK_EVERY, WINDOW, OCTETS, LEAST_ARGUMENTS };
enum { CC = LEAST_ARGUMENTS, HYSTART, PRR, RACK, INITIAL_CWND, MIN_RTO, OVERHEAD, ARGUMENTS };

struct play {
    struct tcp_params params;
    uint64_t octets;
    int64_t last_ns;
    struct tcp_stats sender;
    struct lab *lab;
    int64_t *waits_ns;
    size_t wait_count;
};

static void receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct play *play = arg;
    play->octets += octets;
    play->last_ns = now;
}

static void peer_closed(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static void sender_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct play *play = arg;
    play->sender = t->stats;
}

/* Closing before would end it (RFC 9293 3.10.4). */
static void established(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static bool accept_one(void *arg, struct tcp *t, int64_t now)
{
    t->events = (struct tcp_events){.arg = arg, .on_receive = receive, .on_peer_closed = peer_closed};
    return true;
}

static struct tcp_params params_of(const uint64_t *given)
{
    struct tcp_params params = tcp_params_default();
    params.sack = given[SACK];
    params.timestamps = given[TIMESTAMPS];
    params.delayed_ack_segments = (uint32_t)given[ACK_EVERY];
    params.receive_window_octets = (uint32_t)given[WINDOW];
    params.window_scale = given[WINDOW] > UINT16_MAX;
    params.cc = given[CC] ? TCP_CC_CUBIC : TCP_CC_NEWRENO;
    params.count_octets = given[CC] < 2;
    params.has_hystart = given[HYSTART];
    params.has_prr = given[PRR];
    params.has_rack = given[RACK];
    params.initial_cwnd_segments = (uint32_t)given[INITIAL_CWND];
    params.min_rto_ns = (int64_t)given[MIN_RTO] * LAB_MS;
    return params;
}

static void set_links(struct lab *lab, const uint64_t *given)
{
    struct lab_link *down = &lab->link[LAB_SERVER];
    lab->link[LAB_MOBILE].delay_ns = down->delay_ns = (int64_t)given[DELAY] * LAB_MS;
    down->rate_bps = given[RATE];
    down->overhead_octets = (uint32_t)given[OVERHEAD];
    down->queue_limit_packets = (uint32_t)given[QUEUE] + 1; /* one is on the link */
    down->lose_one_in = (uint32_t)given[LOSE];
}

/* Before the packet joins the queue. */
static void note_wait(void *arg, int from, const struct ip_packet *packet, int64_t now)
{
    struct play *play = arg;
    const struct lab_link *link = &play->lab->link[LAB_SERVER];
    bool is_dropped = link->waiting >= link->queue_limit_packets;
    if (from == LAB_SERVER && packet->payload_octets > 0 && !is_dropped && play->wait_count < WAITS)
        play->waits_ns[play->wait_count++] = link->free_at_ns > now ? link->free_at_ns - now : 0;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double quantile_ms(const struct play *play, double share)
{
    return play->wait_count
               ? (double)play->waits_ns[(size_t)(share * (double)(play->wait_count - 1))] / LAB_MS
               : 0;
}

static void print_waits(struct play *play)
{
    qsort(play->waits_ns, play->wait_count, sizeof(*play->waits_ns), by_size);
    printf("%.3f %.3f\n", quantile_ms(play, .5), quantile_ms(play, .95));
}

static void play_out(struct lab *lab, struct play *play, uint64_t octets)
{
    struct host_listener listener = {
        .port = PORT, .params = &play->params, .arg = play, .accept = accept_one};
    struct host_remote remote = {
        .address = host_address(lab->host[LAB_MOBILE]), .port = PORT, .params = &play->params};
    struct tcp_events events = {.arg = play, .on_established = established, .on_closed = sender_closed};
    host_listen(lab->host[LAB_MOBILE], &listener);
    struct tcp *sender = host_connect(lab->host[LAB_SERVER], &remote, &events, 0);
    tcp_write(sender, octets, 0);
    link_lab_run(lab, LAB_RUN);
}

int main(int argc, char **argv)
{
    static struct lab lab;
    uint64_t given[ARGUMENTS] = {[INITIAL_CWND] = 3, [MIN_RTO] = 1000, [OVERHEAD] = PPP_OCTETS};
    if (argc != LEAST_ARGUMENTS + 1 && argc != ARGUMENTS + 1) {
        fprintf(stderr, "usage: play_cell RATE_BPS DELAY_MS QUEUE_PACKETS LOSE_ONE_IN SACK TIMESTAMPS "
                        "ACK_EVERY WINDOW OCTETS [CC HYSTART PRR RACK INITIAL_CWND MIN_RTO_MS OVERHEAD]\n");
        return 2;
    }
    for (int i = 0; i < argc - 1; i++)
        given[i] = strtoull(argv[i + 1], NULL, 10);
    struct play play = {.params = params_of(given), .lab = &lab, .waits_ns = calloc(WAITS, sizeof(int64_t))};
    link_lab_init(&lab, 1);
    lab.watch = note_wait;
    lab.arg = &play;
    set_links(&lab, given);
    play_out(&lab, &play, given[OCTETS]);
    printf("%" PRIu64 " %.9f %" PRIu64 " %" PRIu64 "\n", play.octets, (double)play.last_ns / MOMENT_SECOND,
           play.sender.octets_retransmitted, play.sender.timeouts);
    if (argc > LEAST_ARGUMENTS + 1)
        print_waits(&play);
    free(play.waits_ns);
    link_lab_fini(&lab);
    return play.octets == given[OCTETS] ? 0 : 1;
}
