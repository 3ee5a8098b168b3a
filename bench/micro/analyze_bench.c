/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: analyze_bench [CONNECTIONS [ROUNDS]]
 *
 * Packets per second of the passive analysis, and memory per open connection: CONNECTIONS (1000000)
 * connections are opened by as many mobiles, and in each of ROUNDS (4) rounds each one gets two data segments
 * and sends an ACK, in turn, so that each packet belongs to a connection that no cache holds. The capture is
 * read from a pipe.
 */
#include "analyze/gi_analysis.h"
#include "capture/reader.h"
#include "dataplane/wire/ipv4.h"

#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
static void analyze_bench_put(FILE *file, const struct segment *s, int64_t at_ns)
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
        analyze_bench_put(file, &s, *now_ns);
        s.flags = SYN | ACK;
        s.is_downlink = true;
        s.ack = 1;
        analyze_bench_put(file, &s, *now_ns + 300);
        analyze_bench_put(file, &(struct segment){.mobile = s.mobile, .seq = 1, .ack = 1, .flags = ACK},
                          *now_ns + 600);
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
        analyze_bench_put(file, &s, *now_ns);
        s.seq += SEGMENT;
        analyze_bench_put(file, &s, *now_ns + 300);
    }
    for (uint32_t i = 0; i < connections; i++, *now_ns += 1000)
        analyze_bench_put(
            file,
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

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static long resident_octets(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int analyze_bench_measure(uint32_t connections)
{
    struct gi_limits limits = gi_limits_standard();
    struct gi_prefixes told = {.count = 0};
    struct capture_reader in = {0};
    struct capture_timeline timeline = {.silence_ns = INT64_MAX};
    struct capture_frame frame;
    limits.connections = limits.mobiles = connections;
    struct gi_analysis *a = gi_analysis_new(&limits, &told);
    if (!a || capture_reader_open(&in, "-") < 0)
        return 1;
    long before_octets = resident_octets();
    double before_s = cpu_s();
    while (capture_reader_next(&in, &frame)) {
        frame.at_ns = capture_timeline_put(&timeline, frame.at_ns);
        gi_analysis_frame(a, frame);
    }
    double took_s = cpu_s() - before_s;
    long grown_octets = resident_octets() - before_octets;
    printf("%llu packets of %u open connections: %.2f million a second of CPU time\n",
           (unsigned long long)in.counts.frames, a->table.pool.count,
           (double)in.counts.frames / took_s * 1e-6);
    printf("fixed %.0f MB, and %.0f octets for each connection with its mobile\n",
           (double)before_octets * 1e-6, (double)grown_octets / connections);
    bool is_whole = a->table.pool.count == connections && a->table.refused == 0;
    capture_reader_close(&in);
    gi_analysis_free(a);
    return is_whole ? 0 : 1;
}

static uint32_t number(const char *text)
{
    long value = text ? strtol(text, NULL, 10) : 0;
    return value > 0 && value <= 10000000 ? (uint32_t)value : 0;
}

int main(int argc, char **argv)
{
    uint32_t connections = argc > 1 ? number(argv[1]) : 1000000, rounds = argc > 2 ? number(argv[2]) : 4;
    int ends[2];
    if (connections == 0 || rounds == 0 || pipe(ends) < 0) {
        fputs("usage: analyze_bench [CONNECTIONS [ROUNDS]]\n", stderr);
        return 2;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        generate(fdopen(ends[1], "w"), connections, rounds);
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    int status = analyze_bench_measure(connections);
    waitpid(child, NULL, 0);
    return status;
}
