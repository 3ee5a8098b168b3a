/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bench of the passive analysis: processor time per packet, and memory per open connection. So many
 * connections are opened by as many mobiles, and --segments times each one gets two data segments and sends
 * an ACK, in turn, so that each packet belongs to a connection that no cache holds. The capture is read from
 * a pipe.
 */
#include "analyze/gi_analysis.h"
#include "bench/micro/micro.h"
#include "capture/reader.h"
#include "control/base/clock.h"
#include "dataplane/wire/ipv4.h"

#include <pcap/dlt.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SERVER = 0xc0000201, FIRST_MOBILE = 0x0a000001, SEGMENT = 1000 };
enum { SYN = 2, ACK = 16 };

struct segment {
    uint32_t mobile, seq, ack;
    uint16_t payload_octets;
    uint8_t flags;
    bool is_downlink;
};

static void put_u32(FILE *file, uint32_t value)
{
    fwrite(&value, sizeof(value), 1, file);
}

static void put_head(FILE *file)
{
    const uint32_t head[] = {0xa1b23c4d, 4 << 16 | 2, 0, 0, 65535, DLT_RAW};
    fwrite(head, sizeof(head), 1, file);
}

/* Writes 40 octets of headers; the payload is beyond the snap length. */
static void put(FILE *file, const struct segment *s, int64_t at_ns)
{
    uint8_t bytes[40] = {0};
    struct ipv4 ip = {.src = s->is_downlink ? SERVER : s->mobile,
                      .dst = s->is_downlink ? s->mobile : SERVER,
                      .payload_octets = (uint16_t)(20 + s->payload_octets),
                      .header_octets = 20,
                      .ttl = 64,
                      .proto = IPV4_PROTO_TCP};
    ipv4_encode(bytes, sizeof(bytes), &ip);
    bytes_put_u16(bytes + 20, s->is_downlink ? 80 : 40000);
    bytes_put_u16(bytes + 22, s->is_downlink ? 40000 : 80);
    bytes_put_u32(bytes + 24, s->seq);
    bytes_put_u32(bytes + 28, s->ack);
    bytes[32] = 5 << 4;
    bytes[33] = s->flags;
    bytes_put_u16(bytes + 34, 16000);
    put_u32(file, (uint32_t)(at_ns / 1000000000));
    put_u32(file, (uint32_t)(at_ns % 1000000000));
    put_u32(file, sizeof(bytes));
    put_u32(file, (uint32_t)sizeof(bytes) + s->payload_octets);
    fwrite(bytes, sizeof(bytes), 1, file);
}

static void open_all(FILE *file, uint32_t connections, int64_t *now_ns)
{
    for (uint32_t i = 0; i < connections; i++, *now_ns += 1000) {
        struct segment s = {.mobile = FIRST_MOBILE + i, .flags = SYN};
        put(file, &s, *now_ns);
        s.flags = SYN | ACK;
        s.is_downlink = true;
        s.ack = 1;
        put(file, &s, *now_ns + 300);
        put(file, &(struct segment){.mobile = s.mobile, .seq = 1, .ack = 1, .flags = ACK}, *now_ns + 600);
    }
}

static void play_round(FILE *file, uint32_t connections, uint32_t round, int64_t *now_ns)
{
    uint32_t start = 1 + 2 * SEGMENT * round;
    for (uint32_t i = 0; i < connections; i++, *now_ns += 1000) {
        struct segment s = {.mobile = FIRST_MOBILE + i,
                            .seq = start,
                            .ack = 1,
                            .flags = ACK,
                            .payload_octets = SEGMENT,
                            .is_downlink = true};
        put(file, &s, *now_ns);
        s.seq += SEGMENT;
        put(file, &s, *now_ns + 300);
    }
    for (uint32_t i = 0; i < connections; i++, *now_ns += 1000)
        put(file,
            &(struct segment){.mobile = FIRST_MOBILE + i, .seq = 1, .ack = start + 2 * SEGMENT, .flags = ACK},
            *now_ns);
}

static void generate(FILE *file, uint32_t connections, uint32_t rounds)
{
    int64_t now_ns = 1000000000;
    put_head(file);
    open_all(file, connections, &now_ns);
    for (uint32_t round = 0; round < rounds; round++)
        play_round(file, connections, round, &now_ns);
    fclose(file);
}

struct analysis {
    uint32_t connections, segments;
    uint64_t before_octets, grown_octets;
    bool is_whole;
};

static void read_all(struct analysis *a, struct gi_analysis *gi, double *ns)
{
    struct capture_reader in = {0};
    struct capture_timeline timeline = {.silence_ns = INT64_MAX};
    struct capture_frame frame;
    micro_need(capture_reader_open(&in, "-") == 0, "the capture cannot be read");
    if (!a->before_octets)
        a->before_octets = micro_resident_octets();
    const int64_t before_ns = clock_spent_ns();
    while (capture_reader_next(&in, &frame)) {
        frame.at_ns = capture_timeline_put(&timeline, frame.at_ns);
        gi_analysis_frame(gi, frame);
    }
    *ns = (double)(clock_spent_ns() - before_ns) / (double)in.counts.frames;
    if (!a->grown_octets) /* later turns use the same memory */
        a->grown_octets = micro_resident_octets() - a->before_octets;
    a->is_whole = gi->table.pool.count == a->connections && gi->table.refused == 0;
    capture_reader_close(&in);
}

/* A process writes the capture, so that its time does not count. */
static double analyze_turn(void *state)
{
    struct analysis *a = state;
    struct gi_limits limits = gi_limits_standard();
    const struct gi_prefixes told = {.count = 0};
    double ns = 0;
    int ends[2];
    micro_need(pipe(ends) == 0, "no pipe");
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        generate(fdopen(ends[1], "w"), a->connections, a->segments);
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    limits.connections = limits.mobiles = a->connections;
    struct gi_analysis *gi = gi_analysis_new(&limits, &told);
    micro_need(gi, "no memory for the analysis");
    read_all(a, gi, &ns);
    gi_analysis_free(gi);
    waitpid(child, NULL, 0);
    return ns;
}

static void *analyze_open(const struct micro_point *p)
{
    static struct analysis a;
    a = (struct analysis){.connections = (uint32_t)p->at[0], .segments = (uint32_t)p->at[1]};
    return &a;
}

static void analyze_sum_up(void *state, struct micro_result *result)
{
    const struct analysis *a = state;
    micro_figure(result, "fixed_octets", (double)a->before_octets);
    micro_figure(result, "connection_octets", (double)a->grown_octets / a->connections);
    micro_fault(result, a->is_whole, "a connection is not open");
}

static struct micro_axis connections = MICRO_AXIS("connections", 1, 10000000, 1000000),
                         segments = MICRO_AXIS("segments", 1, 10000000, 4);
static struct micro_case cases[] = {{.name = "analyze",
                                     .item = "packet",
                                     .axes = {&connections, &segments},
                                     .open = analyze_open,
                                     .turn = analyze_turn,
                                     .sum_up = analyze_sum_up}};

MICRO_PROGRAM("The passive analysis: packets of open connections, whose memory grows in the first round.",
              .is_once = true);
