/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/system/live/esp_flow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

enum {
    UDP_ENCAP_OPTION = 100,   /* UDP_ENCAP of Linux */
    UDP_ENCAP_OF_ESP = 2,     /* UDP_ENCAP_ESPINUDP */
    BUFFER_OCTETS = 64 << 20, /* of a socket */
    FRAME_OCTETS = 2048,
    TAKEN_OF = 50, /* one of so many frames is sent again */
    KEPT = 64      /* so many such frames later once more */
};

/* Frames that come to a port of the bridge, and leave it again by the other. */
struct replayer {
    int in, out;
    unsigned count;
    size_t octets[KEPT];
    uint8_t frames[KEPT][FRAME_OCTETS];
};

struct flow_far {
    int data[2], encap[2]; /* of IPv4, of IPv6 */
    int node;
    struct replayer replayers[FLOW_DIRECTIONS];
};

static void set(int socket, int level, int option, int value)
{
    if (setsockopt(socket, level, option, &value, sizeof(value)) < 0) {
        perror("esp_flow: setsockopt");
        exit(EXIT_FAILURE);
    }
}

static int open_udp(bool is_ipv6, uint16_t port)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    int one = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (is_ipv6)
        set(one, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(one, is_ipv6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4,
             is_ipv6 ? sizeof(v6) : sizeof(v4)) < 0) {
        perror("esp_flow: bind");
        exit(EXIT_FAILURE);
    }
    set(one, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_OCTETS);
    set(one, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_OCTETS);
    return one;
}

static int open_raw(const char *interface, bool takes)
{
    struct sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM)},
                                    {BPF_ALU | BPF_MOD | BPF_K, 0, 0, TAKEN_OF},
                                    {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0},
                                    {BPF_RET | BPF_K, 0, 0, FRAME_OCTETS},
                                    {BPF_RET | BPF_K, 0, 0, 0}};
    struct sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
    struct sockaddr_ll to = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(takes ? ETH_P_ALL : 0),
                             .sll_ifindex = (int)if_nametoindex(interface)};
    int one = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
    set(one, SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_OCTETS);
    set(one, SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_OCTETS);
    set(one, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
    if (setsockopt(one, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0 ||
        bind(one, (struct sockaddr *)&to, sizeof(to)) < 0) {
        perror("esp_flow: packet socket");
        exit(EXIT_FAILURE);
    }
    return one;
}

static void enter(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) < 0) {
        fprintf(stderr, "esp_flow: namespace %s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    close(fd);
}

static void enter_named(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "/run/netns/%s", name);
    enter(path);
}

struct flow_far *flow_far_new(const char *interface, const char *kernel, const char *bridge)
{
    struct flow_far *far = calloc(1, sizeof(*far));
    int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (!far || home < 0)
        return NULL;
    far->node = open_raw(interface, false);
    enter_named(kernel);
    for (unsigned is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        far->data[is_ipv6] = open_udp(is_ipv6, FLOW_PORT_FAR);
        far->encap[is_ipv6] = open_udp(is_ipv6, FLOW_PORT_ENCAP);
        set(far->encap[is_ipv6], IPPROTO_UDP, UDP_ENCAP_OPTION, UDP_ENCAP_OF_ESP);
    }
    enter_named(bridge);
    for (unsigned way = 0; way < FLOW_DIRECTIONS; way++) {
        far->replayers[way].in = open_raw(way == FLOW_DOWN ? "p0" : "p1", true);
        far->replayers[way].out = open_raw(way == FLOW_DOWN ? "p1" : "p0", false);
    }
    if (setns(home, CLONE_NEWNET) < 0)
        perror("esp_flow: setns");
    close(home);
    return far;
}

bool flow_far_put(struct flow_far *far, const uint8_t *frame, size_t octets)
{
    return send(far->node, frame, octets, 0) == (ssize_t)octets;
}

static socklen_t address_of(struct sockaddr_storage *to, bool is_ipv6, const uint8_t *address)
{
    if (is_ipv6) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
        *v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(FLOW_PORT_NEAR)};
        memcpy(&v6->sin6_addr, address, sizeof(v6->sin6_addr));
        return sizeof(*v6);
    }
    struct sockaddr_in *v4 = (struct sockaddr_in *)to;
    *v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(FLOW_PORT_NEAR)};
    memcpy(&v4->sin_addr, address, sizeof(v4->sin_addr));
    return sizeof(*v4);
}

unsigned flow_far_send(struct flow_far *far, bool is_ipv6, const uint8_t *address, struct flow_tally *up)
{
    struct sockaddr_storage to = {0};
    socklen_t octets = address_of(&to, is_ipv6, address);
    uint8_t payload[FLOW_OCTETS_MAX];
    unsigned sent = 0;
    while (sent < FLOW_BURST && up->sent < up->count) {
        size_t length = flow_tally_put(up, payload);
        if (sendto(far->data[is_ipv6], payload, length, 0, (struct sockaddr *)&to, octets) < 0) {
            up->sent--; /* its buffer is full: later */
            if (errno != EAGAIN && errno != ENOBUFS) {
                perror("esp_flow: sendto");
                exit(EXIT_FAILURE);
            }
            return sent;
        }
        sent++;
    }
    return sent;
}

unsigned flow_far_receive(struct flow_far *far, struct flow_tally *down)
{
    uint8_t payload[FRAME_OCTETS];
    unsigned taken = 0;
    for (unsigned is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        ssize_t octets;
        while (taken < 4 * FLOW_BURST &&
               (octets = recv(far->data[is_ipv6], payload, sizeof(payload), 0)) >= 0) {
            flow_tally_take(down, payload, (size_t)octets);
            taken++;
        }
    }
    return taken;
}

/* Sends a frame that was taken, and the one that was taken KEPT before it. */
static unsigned replay(struct replayer *r)
{
    unsigned place = r->count % KEPT, sent = 0;
    uint8_t fresh[FRAME_OCTETS];
    ssize_t octets = recv(r->in, fresh, sizeof(fresh), 0);
    if (octets <= 0)
        return 0;
    sent += send(r->out, fresh, (size_t)octets, 0) == octets;
    if (r->count >= KEPT)
        sent += send(r->out, r->frames[place], r->octets[place], 0) == (ssize_t)r->octets[place];
    memcpy(r->frames[place], fresh, (size_t)octets);
    r->octets[place] = (size_t)octets;
    r->count++;
    return sent;
}

void flow_far_forget(struct flow_far *far)
{
    uint8_t frame[FRAME_OCTETS];
    for (unsigned way = 0; way < FLOW_DIRECTIONS; way++) {
        while (recv(far->replayers[way].in, frame, sizeof(frame), 0) > 0)
            continue;
        far->replayers[way].count = 0;
    }
}

unsigned flow_far_replay(struct flow_far *far, uint64_t replays[FLOW_DIRECTIONS])
{
    unsigned sent = 0;
    for (unsigned way = 0; way < FLOW_DIRECTIONS; way++) {
        unsigned now = replay(&far->replayers[way]);
        replays[way] += now;
        sent += now;
    }
    return sent;
}
