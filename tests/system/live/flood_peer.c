/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BSS and GGSN of a live node over memif: brings Gb up, sends users' packets on Gn at a constant rate and a
 * flood of other frames on Gb in every second half of a second, and measures the time of users' packets to
 * Gb. Others on Gb send requests all the time, and wait for the answer to each.
 *   flood_peer SOCKET SECONDS PPS SCRIPT
 *
 * SCRIPT has lines of hexadecimal Ethernet frames: "step FRAME PREFIX" is sent on Gb until an NS PDU arrives
 * that begins with PREFIX; "alive FRAME" answers NS-ALIVE to its sender; "flood FRAME" is one frame of the
 * flood; "other FRAME PREFIX" is a request of another NSE; "user FRAME" is sent on Gn, its last eight octets
 * a number, and returns before the FCS of a DL-UNITDATA. Prints one line of JSON, and stays until the end of
 * its standard input.
 */
#include "control/base/clock.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GN, GB, PORTS };

#define FRAMES_MAX   256
#define FRAME_OCTETS 1600
#define LINE_CHARS   (2 * FRAME_OCTETS + 200)
#define BURST        32
#define LATE_MOST    1024 /* frames of the flood that are sent in a row when it is late: a ring's */
#define TRANSIT_MOST 256  /* users' packets, fewer than a ring holds */
#define NS_OFFSET    42
#define IP_SOURCE    26
#define IP_TARGET    30
#define FCS_OCTETS   3
#define LEAST_OCTETS 30 /* of an NS PDU with a user's packet */
#define USER_NS      (MOMENT_SECOND / 1000)
#define PHASE_NS     (MOMENT_SECOND / 2)
#define STEP_NS      (MOMENT_SECOND / 5)
#define GIVE_UP_NS   (20 * MOMENT_SECOND)
#define USERS_MAX    200000u
#define OTHERS_NS    (MOMENT_SECOND / 50)
#define NS_ALIVE     10

struct frame {
    uint16_t octets, prefix_octets;
    uint8_t bytes[FRAME_OCTETS], prefix[8];
    int64_t sent_ns, next_ns; /* of a request; sent_ns 0: it is answered */
};

struct list {
    unsigned count;
    struct frame frames[FRAMES_MAX];
};

struct peer {
    struct rte_mempool *pool;
    struct list steps, alive, flood, user, others;
    int64_t sent_ns[USERS_MAX];
    uint32_t waits_ns[2][USERS_MAX]; /* without the flood, and in it */
    unsigned wait_counts[2];
    uint64_t users_sent, users_back, flood_sent, flood_refused, others_sent, others_answered;
    int64_t others_most_ns[2]; /* as waits_ns */
    bool is_prefix_seen;
    const struct frame *step;
};

/* --- frames --- */

static uint16_t read_hex(const char *text, uint8_t *out, size_t cap)
{
    size_t count = 0;
    unsigned octet;
    for (; count < cap && sscanf(text + 2 * count, "%2x", &octet) == 1; count++)
        out[count] = (uint8_t)octet;
    return (uint16_t)count;
}

static struct list *list_of(struct peer *p, const char *kind)
{
    return strcmp(kind, "step") == 0    ? &p->steps
           : strcmp(kind, "alive") == 0 ? &p->alive
           : strcmp(kind, "flood") == 0 ? &p->flood
           : strcmp(kind, "other") == 0 ? &p->others
                                        : &p->user;
}

static bool read_line(struct peer *p, const char *line)
{
    static char hex[LINE_CHARS];
    char kind[16], prefix[32];
    int fields = sscanf(line, "%15s %3300s %31s", kind, hex, prefix);
    struct list *list = fields < 2 ? NULL : list_of(p, kind);
    if (!list || list->count == FRAMES_MAX)
        return false;
    struct frame *frame = &list->frames[list->count++];
    frame->octets = read_hex(hex, frame->bytes, sizeof(frame->bytes));
    frame->prefix_octets = fields > 2 ? read_hex(prefix, frame->prefix, sizeof(frame->prefix)) : 0;
    return true;
}

static bool read_script(struct peer *p, const char *path)
{
    static char line[LINE_CHARS];
    FILE *file = fopen(path, "r");
    bool is_right = file != NULL;
    while (is_right && fgets(line, sizeof(line), file))
        is_right = read_line(p, line);
    if (file)
        fclose(file);
    return is_right && p->user.count == 1 && p->flood.count > 0;
}

static bool send_frame(struct peer *p, uint16_t port, const struct frame *frame)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(p->pool);
    char *room = mbuf ? rte_pktmbuf_append(mbuf, frame->octets) : NULL;
    if (room)
        memcpy(room, frame->bytes, frame->octets);
    if (room && rte_eth_tx_burst(port, 0, &mbuf, 1) == 1)
        return true;
    rte_pktmbuf_free(mbuf);
    return false;
}

/* --- received on Gb --- */

static void take_user(struct peer *p, const uint8_t *tail, int64_t now)
{
    uint64_t number = (uint64_t)bytes_get_u32(tail) << 32 | bytes_get_u32(tail + 4);
    if (number >= USERS_MAX || p->sent_ns[number] == 0)
        return;
    unsigned phase = (unsigned)(p->sent_ns[number] / PHASE_NS % 2);
    p->waits_ns[phase][p->wait_counts[phase]++] = (uint32_t)(now - p->sent_ns[number]);
    p->users_back++;
    p->sent_ns[number] = 0;
}

static bool is_to_sender(const uint8_t *bytes, const struct frame *of)
{
    return memcmp(bytes + IP_TARGET, of->bytes + IP_SOURCE, 4) == 0;
}

/* Whether a frame of more than NS_OFFSET octets is the answer to another one. */
static bool is_answer(const uint8_t *bytes, size_t octets, const struct frame *to)
{
    return is_to_sender(bytes, to) && octets - NS_OFFSET >= to->prefix_octets &&
           memcmp(bytes + NS_OFFSET, to->prefix, to->prefix_octets) == 0;
}

static void take_answer(struct peer *p, const uint8_t *bytes, size_t octets, int64_t now)
{
    for (unsigned i = 0; i < p->others.count; i++) {
        struct frame *frame = &p->others.frames[i];
        if (frame->sent_ns == 0 || !is_answer(bytes, octets, frame))
            continue;
        int64_t *most_ns = &p->others_most_ns[frame->sent_ns / PHASE_NS % 2];
        *most_ns = moment_max(*most_ns, now - frame->sent_ns);
        p->others_answered++;
        frame->sent_ns = 0;
    }
}

static void answer_alive(struct peer *p, const uint8_t *bytes)
{
    for (unsigned i = 0; i < p->alive.count; i++)
        if (is_to_sender(bytes, &p->alive.frames[i]))
            send_frame(p, GB, &p->alive.frames[i]);
}

static void flood_peer_take(struct peer *p, const uint8_t *bytes, size_t octets, int64_t now)
{
    if (octets <= NS_OFFSET)
        return;
    const uint8_t *ns = bytes + NS_OFFSET;
    size_t ns_octets = octets - NS_OFFSET;
    if (p->step && is_answer(bytes, octets, p->step))
        p->is_prefix_seen = true;
    take_answer(p, bytes, octets, now);
    if (ns[0] == NS_ALIVE)
        answer_alive(p, bytes);
    else if (ns[0] == 0 && ns_octets > LEAST_OCTETS && ns[4] == 0)
        take_user(p, bytes + octets - FCS_OCTETS - 8, now);
}

static void receive(struct peer *p, int64_t now)
{
    struct rte_mbuf *mbufs[BURST];
    for (unsigned port = 0; port < PORTS; port++) {
        unsigned count = rte_eth_rx_burst((uint16_t)port, 0, mbufs, BURST);
        for (unsigned i = 0; i < count; i++) {
            if (port == GB)
                flood_peer_take(p, rte_pktmbuf_mtod(mbufs[i], const uint8_t *),
                                rte_pktmbuf_data_len(mbufs[i]), now);
            rte_pktmbuf_free(mbufs[i]);
        }
    }
}

/* --- the run --- */

static bool bring_up(struct peer *p)
{
    for (unsigned i = 0; i < p->steps.count; i++) {
        int64_t give_up = clock_now_ns() + GIVE_UP_NS, next = 0;
        p->step = &p->steps.frames[i];
        for (p->is_prefix_seen = false; !p->is_prefix_seen;) {
            int64_t now = clock_now_ns();
            if (now > give_up)
                return false;
            if (now >= next) {
                send_frame(p, GB, p->step);
                next = now + STEP_NS;
            }
            receive(p, now);
        }
    }
    p->step = NULL;
    return true;
}

static void send_user(struct peer *p, int64_t now)
{
    struct frame *frame = &p->user.frames[0];
    uint8_t *tail = frame->bytes + frame->octets - 8;
    bytes_put_u32(tail, 0);
    bytes_put_u32(tail + 4, (uint32_t)p->users_sent);
    p->sent_ns[p->users_sent] = now;
    if (send_frame(p, GN, frame))
        p->users_sent++;
}

/* Requests whose time it is, each once the one before was answered. */
static void send_others(struct peer *p, int64_t now)
{
    for (unsigned i = 0; i < p->others.count; i++) {
        struct frame *frame = &p->others.frames[i];
        if (frame->sent_ns != 0 || now < frame->next_ns || !send_frame(p, GB, frame))
            continue;
        frame->sent_ns = now;
        frame->next_ns = now + OTHERS_NS;
        p->others_sent++;
    }
}

static bool is_missed(const struct peer *p)
{
    return p->users_back < p->users_sent || p->others_answered < p->others_sent;
}

/* May packets still be in transit this long after the last one was sent? A busy machine is slow. */
static bool is_awaited(const struct peer *p, int64_t after_ns)
{
    return after_ns < MOMENT_SECOND || (is_missed(p) && after_ns < GIVE_UP_NS);
}

static void flood_peer_run(struct peer *p, int64_t duration_ns, int64_t pps)
{
    int64_t start = clock_now_ns(), end = start + duration_ns, next_user = start, allowed = 0, before = start;
    for (int64_t now = start; now < end || is_awaited(p, now - end); now = clock_now_ns()) {
        receive(p, now);
        if (now >= end)
            continue;
        if (now >= next_user && p->users_sent < USERS_MAX && p->users_sent - p->users_back < TRANSIT_MOST) {
            send_user(p, now);
            next_user += USER_NS;
        }
        send_others(p, now);
        allowed = now / PHASE_NS % 2 == 0 ? 0 : allowed + (now - before) * pps;
        before = now;
        for (unsigned i = 0; i < BURST && allowed >= MOMENT_SECOND; i++, allowed -= MOMENT_SECOND)
            if (send_frame(p, GB, &p->flood.frames[p->flood_sent % p->flood.count]))
                p->flood_sent++;
            else
                p->flood_refused++;
        allowed = moment_min(allowed, MOMENT_SECOND * LATE_MOST);
    }
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double quantile_us(struct peer *p, unsigned phase, unsigned percent)
{
    unsigned count = p->wait_counts[phase];
    if (count == 0)
        return 0;
    qsort(p->waits_ns[phase], count, sizeof(uint32_t), by_size);
    uint64_t place = (uint64_t)count * percent / 101;
    return p->waits_ns[phase][place] / 1000.0;
}

static void print(struct peer *p)
{
    printf("{\"users_sent\": %" PRIu64 ", \"users_back\": %" PRIu64 ", \"flood_sent\": %" PRIu64
           ", \"flood_refused\": %" PRIu64,
           p->users_sent, p->users_back, p->flood_sent, p->flood_refused);
    printf(", \"others_sent\": %" PRIu64 ", \"others_answered\": %" PRIu64, p->others_sent,
           p->others_answered);
    for (unsigned phase = 0; phase < 2; phase++)
        printf(", \"%s_p50_us\": %.1f, \"%s_p99_us\": %.1f", phase ? "flood" : "quiet",
               quantile_us(p, phase, 50), phase ? "flood" : "quiet", quantile_us(p, phase, 99));
    for (unsigned phase = 0; phase < 2; phase++)
        printf(", \"others_%s_most_us\": %.1f", phase ? "flood" : "quiet", p->others_most_ns[phase] / 1000.0);
    printf("}\n");
}

/* --- DPDK --- */

static bool start_port(struct peer *p, uint16_t port)
{
    struct rte_eth_conf conf = {0};
    return rte_eth_dev_configure(port, 1, 1, &conf) == 0 &&
           rte_eth_rx_queue_setup(port, 0, 1024, SOCKET_ID_ANY, NULL, p->pool) == 0 &&
           rte_eth_tx_queue_setup(port, 0, 1024, SOCKET_ID_ANY, NULL) == 0 && rte_eth_dev_start(port) == 0;
}

static bool start_dpdk(struct peer *p, const char *socket)
{
    char gn[256], gb[256], prefix[300];
    snprintf(gn, sizeof(gn), "net_memif0,role=client,socket=%s", socket);
    snprintf(gb, sizeof(gb), "net_memif1,role=client,id=1,socket=%s", socket);
    snprintf(prefix, sizeof(prefix), "%s-peer", socket);
    char *words[] = {"flood_peer",
                     "--no-huge",
                     "-m",
                     "96",
                     "--no-pci",
                     "--no-telemetry",
                     "--log-level=3",
                     "--file-prefix",
                     prefix,
                     "--vdev",
                     gn,
                     "--vdev",
                     gb};
    if (rte_eal_init(sizeof(words) / sizeof(words[0]), words) < 0)
        return false;
    p->pool = rte_pktmbuf_pool_create("peer", 8191, 128, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    return p->pool && start_port(p, GN) && start_port(p, GB);
}

static int play(struct peer *p, char **argv)
{
    if (!read_script(p, argv[4]) || !start_dpdk(p, argv[1])) {
        fprintf(stderr, "flood_peer: SCRIPT cannot be read, or DPDK does not start\n");
        return 2;
    }
    bool is_up = bring_up(p);
    if (is_up) {
        flood_peer_run(p, strtoll(argv[2], NULL, 10) * MOMENT_SECOND, strtoll(argv[3], NULL, 10));
        print(p);
    } else {
        fprintf(stderr, "flood_peer: Gb is not up: no answer to a step of SCRIPT within 20 s\n");
    }
    /* DPDK's driver may be in the middle of a burst at the node when it takes away the memory of a peer that
     * ends. */
    fclose(stdout);
    while (getchar() != EOF)
        ;
    rte_eal_cleanup();
    return is_up ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct peer *p = argc == 5 ? calloc(1, sizeof(*p)) : NULL;
    if (!p) {
        fprintf(stderr, "usage: flood_peer SOCKET SECONDS PPS SCRIPT\n");
        return 2;
    }
    int status = play(p, argv);
    free(p);
    return status;
}
