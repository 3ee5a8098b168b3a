/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TCP server with lwIP in place of the kernel's TCP, on a TUN device: lwip_server DEVICE ADDRESS PORT
 * CONTENT
 *
 * It sends as many octets of the file CONTENT as a line of a connection asks for, and closes. lwIP has slow
 * start, congestion avoidance, fast retransmit and a timer (RFC 5681, 6298), and windows of 65535 octets; it
 * has neither SACK nor timestamps. Prints "ready". tests/system/live/stacks_edges.py runs it.
 */
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <lwip/netif.h>
#include <lwip/tcp.h>
#include <lwip/tcpip.h>

#define MOST_OCTETS  200000
#define MOST_PACKET  2048
#define MTU_OCTETS   1040
#define LINE_OCTETS  16
#define ACCEPTS_MOST 255

struct connection {
    char line[LINE_OCTETS];
    u16_t line_octets;
    u32_t sent, wanted; /* of the content */
    bool has_asked;
};

static u8_t content[MOST_OCTETS];
static size_t content_octets;
static int tun;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* --- connections, in lwIP's thread --- */

static void forget(void *arg, err_t error)
{
    free(arg);
    (void)error;
}

static void end(struct connection *c, struct tcp_pcb *pcb)
{
    tcp_arg(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    if (tcp_close(pcb) != ERR_OK)
        fail("tcp_close");
    free(c);
}

/* As much as the send buffer takes; closes behind the last octet. */
static void push(struct connection *c, struct tcp_pcb *pcb)
{
    while (c->sent < c->wanted) {
        u32_t left = c->wanted - c->sent, room = tcp_sndbuf(pcb);
        u16_t part = (u16_t)(left < room ? left : room);
        if (part == 0 || tcp_write(pcb, content + c->sent, part, 0) != ERR_OK)
            break;
        c->sent += part;
    }
    tcp_output(pcb);
    if (c->sent == c->wanted)
        end(c, pcb);
}

static void ask(struct connection *c, const struct pbuf *p)
{
    u16_t room = (u16_t)(LINE_OCTETS - 1 - c->line_octets);
    c->line_octets = (u16_t)(c->line_octets + pbuf_copy_partial(p, c->line + c->line_octets, room, 0));
    if (!strchr(c->line, '\n'))
        return;
    unsigned long octets = strtoul(c->line, NULL, 10);
    c->wanted = (u32_t)(octets < content_octets ? octets : content_octets);
    c->has_asked = true;
}

static err_t received(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t unused_error)
{
    struct connection *c = arg;
    (void)unused_error;
    if (!p) { /* the mobile has closed before it asked */
        end(c, pcb);
        return ERR_OK;
    }
    tcp_recved(pcb, p->tot_len);
    if (!c->has_asked)
        ask(c, p);
    pbuf_free(p);
    if (c->has_asked)
        push(c, pcb);
    return ERR_OK;
}

static err_t acknowledged(void *arg, struct tcp_pcb *pcb, u16_t unused_octets)
{
    struct connection *c = arg;
    (void)unused_octets;
    if (c->has_asked)
        push(c, pcb);
    return ERR_OK;
}

static err_t accepted(void *unused_arg, struct tcp_pcb *pcb, err_t error)
{
    (void)unused_arg;
    if (error != ERR_OK || !pcb)
        return ERR_VAL;
    struct connection *c = calloc(1, sizeof(*c));
    if (!c)
        return ERR_MEM;
    tcp_arg(pcb, c);
    tcp_err(pcb, forget);
    tcp_recv(pcb, received);
    tcp_sent(pcb, acknowledged);
    return ERR_OK;
}

/* --- device --- */

static err_t to_device(struct netif *unused_netif, struct pbuf *p, const ip4_addr_t *unused_next)
{
    u8_t packet[MOST_PACKET];
    (void)unused_netif;
    (void)unused_next;
    u16_t octets = pbuf_copy_partial(p, packet, sizeof(packet), 0);
    /* A full device drops, as a link may. */
    return write(tun, packet, octets) == octets ? ERR_OK : ERR_IF;
}

static err_t begin_device(struct netif *netif)
{
    netif->name[0] = 't';
    netif->name[1] = 'n';
    netif->mtu = MTU_OCTETS;
    netif->output = to_device;
    netif->flags = NETIF_FLAG_UP | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

static void open_tun(const char *device)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    tun = open("/dev/net/tun", O_RDWR);
    if (tun < 0 || ioctl(tun, TUNSETIFF, &request) != 0)
        fail("/dev/net/tun");
}

static void read_content(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path);
    content_octets = fread(content, 1, sizeof(content), file);
    fclose(file);
}

static void listen_at(const char *address, u16_t port)
{
    static struct netif netif;
    ip4_addr_t own, mask, router;
    struct tcp_pcb *pcb;
    if (!ip4addr_aton(address, &own))
        fail(address);
    IP4_ADDR(&mask, 255, 255, 255, 255);
    IP4_ADDR(&router, 0, 0, 0, 0);
    LOCK_TCPIP_CORE();
    netif_add(&netif, &own, &mask, &router, NULL, begin_device, tcpip_input);
    netif_set_default(&netif);
    pcb = tcp_new();
    if (!pcb || tcp_bind(pcb, IP4_ADDR_ANY, port) != ERR_OK)
        fail("tcp_bind");
    pcb = tcp_listen_with_backlog(pcb, ACCEPTS_MOST);
    tcp_accept(pcb, accepted);
    UNLOCK_TCPIP_CORE();
}

static void take_packet(void)
{
    u8_t packet[MOST_PACKET];
    ssize_t octets = read(tun, packet, sizeof(packet));
    if (octets <= 0)
        return;
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)octets, PBUF_RAM);
    if (!p)
        return;
    pbuf_take(p, packet, (u16_t)octets);
    if (netif_default->input(p, netif_default) != ERR_OK)
        pbuf_free(p);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: lwip_server DEVICE ADDRESS PORT CONTENT\n");
        return 2;
    }
    open_tun(argv[1]);
    read_content(argv[4]);
    tcpip_init(NULL, NULL);
    listen_at(argv[2], (u16_t)strtoul(argv[3], NULL, 10));
    puts("ready");
    fflush(stdout);
    for (;;)
        take_packet();
}
