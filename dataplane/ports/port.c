/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/port.h"

#include <errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_udp.h>
#include <stdio.h>
#include <string.h>

#define RX_DESCRIPTORS 1024
#define TX_DESCRIPTORS 1024

static int set_up(uint16_t id, struct rte_mempool *pool)
{
    struct rte_eth_conf conf = {0};
    uint16_t rx = RX_DESCRIPTORS, tx = TX_DESCRIPTORS;
    int socket = rte_eth_dev_socket_id(id), rc;

    if ((rc = rte_eth_dev_configure(id, 1, 1, &conf)) < 0)
        return rc;
    if ((rc = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx)) < 0)
        return rc;
    if ((rc = rte_eth_rx_queue_setup(id, 0, rx, (unsigned)socket, NULL, pool)) < 0)
        return rc;
    if ((rc = rte_eth_tx_queue_setup(id, 0, tx, (unsigned)socket, NULL)) < 0)
        return rc;
    return rte_eth_dev_start(id);
}

int port_open(struct port *port, uint16_t id, struct rte_mempool *pool)
{
    *port = (struct port){.id = id};
    gate_open(&port->gate, id);
    return set_up(id, pool);
}

void port_set_mac(struct port *port, const uint8_t mac[6])
{
    memcpy(&port->mac, mac, RTE_ETHER_ADDR_LEN);
    memset(&port->mac_mask, 0xff, RTE_ETHER_ADDR_LEN);
}

void port_share(struct port *port, uint16_t id, uint16_t queue, const struct port_settings *settings)
{
    *port = (struct port){.id = id,
                          .queue = queue,
                          .is_shared = true,
                          .vlan = settings->vlan,
                          .is_scattered = settings->is_scattered,
                          .is_tagged_by_device = settings->is_tagged_by_device,
                          .sums_udp = settings->sums_udp};
    if (settings->has_mac)
        port_set_mac(port, settings->mac);
    gate_open(&port->gate, id);
}

void port_close(struct port *port)
{
    rte_pktmbuf_free_bulk(port->pending, port->pending_count);
    port->pending_count = 0;
    gate_close(&port->gate);
    if (port->is_shared)
        return;
    gate_end_events();
    rte_eth_dev_stop(port->id);
    rte_eth_dev_close(port->id);
}

uint16_t port_receive(struct port *port, struct rte_mbuf **frames)
{
    if (__builtin_expect(!port->gate.is_needed, 1))
        return rte_eth_rx_burst(port->id, port->queue, frames, PORT_BURST);
    if (!gate_enter(&port->gate))
        return 0;
    uint16_t count = rte_eth_rx_burst(port->id, port->queue, frames, PORT_BURST);
    gate_leave(&port->gate);
    return count;
}

#define VLAN_ID     0x0fff
#define MACS_OCTETS (2 * RTE_ETHER_ADDR_LEN)
#define GROUP       1  /* the bit of a MAC address of many */
#define IPV4_TO     16 /* destination addresses in their headers */
#define IPV6_TO     24

/* Whether a frame has the port's tag, which is removed, and no other. */
static bool take_tag(const struct port *port, struct rte_mbuf *frame)
{
    bool is_stripped = frame->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED;
    if ((!is_stripped && rte_vlan_strip(frame) != 0) || (frame->vlan_tci & VLAN_ID) != port->vlan)
        return false;
    const struct rte_ether_hdr *ether = rte_pktmbuf_mtod(frame, const struct rte_ether_hdr *);
    return rte_pktmbuf_data_len(frame) >= sizeof(*ether) &&
           ether->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_VLAN) &&
           ether->ether_type != rte_cpu_to_be_16(RTE_ETHER_TYPE_QINQ);
}

bool port_is_stray(const struct port *port, const struct rte_mbuf *frame)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(frame, const uint8_t *), *type = bytes + MACS_OCTETS;
    unsigned octets = rte_pktmbuf_data_len(frame);
    if (octets < MACS_OCTETS + 2 || port_is_addressed(port, bytes))
        return false;
    if (!(bytes[0] & GROUP))
        return true;
    if (type[0] == 0x81 && type[1] == 0x00)
        type += RTE_VLAN_HLEN;
    const uint8_t *ip = type + 2;
    if (type[0] == 0x08 && type[1] == 0x00) /* above 224.0.0.0: groups, and the broadcast address */
        return bytes + octets >= ip + IPV4_TO + 4 && ip[IPV4_TO] < 224;
    return type[0] == 0x86 && type[1] == 0xdd && bytes + octets >= ip + IPV6_TO + 16 && ip[IPV6_TO] != 0xff;
}

unsigned port_sift(const struct port *port, struct rte_mbuf **frames, unsigned count,
                   const struct port_sifted *sifted)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        struct rte_mbuf *frame = frames[i];
        bool is_long = frame->nb_segs > 1 && rte_pktmbuf_linearize(frame) != 0,
             is_ours = !port->vlan || is_long || take_tag(port, frame),
             is_stray = !is_long && is_ours && port->guard && port_is_stray(port, frame);
        *sifted->too_long += is_long;
        *sifted->other_vlan += !is_ours;
        *sifted->other_mac += is_stray;
        if (!is_long && is_ours && !is_stray)
            frames[kept++] = frame;
        else
            rte_pktmbuf_free(frame);
    }
    return port->guard ? port->guard->receive(port->guard->arg, frames, kept) : kept;
}

enum port_sum port_udp_sum(const struct rte_mbuf *frame)
{
    switch (frame->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) {
    case RTE_MBUF_F_RX_L4_CKSUM_GOOD:
    case RTE_MBUF_F_RX_L4_CKSUM_NONE: /* virtual devices: not written, and nothing could spoil the frame */
        return PORT_SUM_GOOD;
    case RTE_MBUF_F_RX_L4_CKSUM_BAD:
        return PORT_SUM_BAD;
    default:
        return PORT_SUM_UNKNOWN;
    }
}

void port_leave_sum(struct rte_mbuf *frame, unsigned ip_offset)
{
    const struct rte_ipv6_hdr *ip = rte_pktmbuf_mtod_offset(frame, const struct rte_ipv6_hdr *, ip_offset);
    struct rte_udp_hdr *udp =
        rte_pktmbuf_mtod_offset(frame, struct rte_udp_hdr *, ip_offset + sizeof(struct rte_ipv6_hdr));
    frame->l2_len = ip_offset & 0x7f;
    frame->l3_len = sizeof(struct rte_ipv6_hdr);
    frame->ol_flags |= RTE_MBUF_F_TX_IPV6 | RTE_MBUF_F_TX_UDP_CKSUM;
    udp->dgram_cksum = rte_ipv6_phdr_cksum(ip, frame->ol_flags);
}

/* Frames have room for the tag in front of them, or behind them: none is as long as a packet buffer. */
static void put_tag(const struct port *port, struct rte_mbuf *frame)
{
    const uint8_t tag[RTE_VLAN_HLEN] = {0x81, 0x00, (uint8_t)(port->vlan >> 8), (uint8_t)port->vlan};
    uint16_t octets = rte_pktmbuf_data_len(frame);
    uint8_t *bytes = rte_pktmbuf_mtod(frame, uint8_t *), *start = bytes - RTE_VLAN_HLEN;
    frame->vlan_tci = port->vlan;
    if (port->is_tagged_by_device) {
        frame->ol_flags |= RTE_MBUF_F_TX_VLAN;
        return;
    }
    if (rte_pktmbuf_headroom(frame) >= RTE_VLAN_HLEN) {
        memmove(start, bytes, MACS_OCTETS);
        rte_pktmbuf_prepend(frame, RTE_VLAN_HLEN);
    } else {
        start = bytes;
        rte_pktmbuf_append(frame, RTE_VLAN_HLEN);
        memmove(bytes + MACS_OCTETS + RTE_VLAN_HLEN, bytes + MACS_OCTETS, octets - MACS_OCTETS);
    }
    memcpy(start + MACS_OCTETS, tag, sizeof(tag));
    if (frame->ol_flags & RTE_MBUF_F_TX_UDP_CKSUM)
        frame->l2_len += RTE_VLAN_HLEN;
}

static void put_tags(struct port *port)
{
    for (; port->tagged_count < port->pending_count; port->tagged_count++)
        put_tag(port, port->pending[port->tagged_count]);
}

/* A burst at a time. */
void port_protect(struct port *port)
{
    const struct port_guard *guard = port->guard;
    while (port->guarded_count < port->pending_count) {
        struct rte_mbuf **first = port->pending + port->guarded_count;
        unsigned fresh = (unsigned)(port->pending_count - port->guarded_count),
                 burst = RTE_MIN(fresh, (unsigned)PORT_BURST);
        unsigned left = guard->send(guard->arg, first, burst);
        memmove(first + left, first + burst, (fresh - burst) * sizeof(first[0]));
        port->guarded_count += (uint16_t)left;
        port->pending_count -= (uint16_t)(burst - left);
    }
}

void port_send_guarded(struct port *port, struct rte_mbuf *frame)
{
    struct rte_mbuf **place = port->pending + port->guarded_count;
    memmove(place + 1, place, (size_t)(port->pending_count - port->guarded_count) * sizeof(place[0]));
    *place = frame;
    port->guarded_count++;
    port->pending_count++;
}

/* Users' N-PDUs wait in the scheduler meanwhile; these frames had left it. */
static unsigned lose(struct port *port)
{
    unsigned count = port->pending_count;
    rte_pktmbuf_free_bulk(port->pending, count);
    port->lost += count;
    port->pending_count = port->guarded_count = port->tagged_count = 0;
    return count;
}

static uint16_t transmit(struct port *port)
{
    if (__builtin_expect(!port->gate.is_needed, 1))
        return rte_eth_tx_burst(port->id, port->queue, port->pending, port->pending_count);
    if (!gate_enter(&port->gate))
        return 0;
    uint16_t sent = rte_eth_tx_burst(port->id, port->queue, port->pending, port->pending_count);
    gate_leave(&port->gate);
    return sent;
}

unsigned port_flush(struct port *port)
{
    if (port->pending_count == 0)
        return 0;
    if (__builtin_expect(atomic_load_explicit(&port->loses, memory_order_relaxed), 0))
        return lose(port);
    if (__builtin_expect(port->guard != NULL, 0)) {
        port_protect(port);
        if (port->pending_count == 0)
            return 0;
    }
    if (__builtin_expect(port->vlan != 0, 0))
        put_tags(port);
    uint16_t sent = transmit(port);
    port->refusals = sent > 0 ? 0 : port->refusals + 1;
    if (__builtin_expect(port->refusals >= PORT_REFUSALS, 0)) {
        rte_pktmbuf_free(port->pending[0]);
        port->lost++;
        port->refusals = 0;
        sent = 1;
    }
    port->pending_count -= sent;
    port->guarded_count -= (uint16_t)RTE_MIN(sent, port->guarded_count);
    port->tagged_count -= (uint16_t)RTE_MIN(sent, port->tagged_count);
    memmove(port->pending, port->pending + sent, port->pending_count * sizeof(port->pending[0]));
    return sent;
}

#define RING_FRAMES 1024

static struct rte_ring *create(const char *name, const char *way)
{
    char full[RTE_RING_NAMESIZE];
    snprintf(full, sizeof(full), "%s.%s", name, way);
    return rte_ring_create(full, RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

int vport_new(struct vport *vport, const char *name, struct rte_mempool *pool)
{
    *vport = (struct vport){.pool = pool};
    vport->to_worker = create(name, "in");
    vport->to_outside = create(name, "out");
    int id = -ENOMEM;
    if (vport->to_worker && vport->to_outside)
        id = rte_eth_from_rings(name, &vport->to_worker, 1, &vport->to_outside, 1, 0);
    if (id < 0) {
        vport_free(vport);
        return -ENOMEM;
    }
    vport->id = (uint16_t)id;
    return 0;
}

static void drain(struct rte_ring *ring)
{
    void *mbuf;
    while (ring && rte_ring_dequeue(ring, &mbuf) == 0)
        rte_pktmbuf_free(mbuf);
    rte_ring_free(ring);
}

void vport_free(struct vport *vport)
{
    drain(vport->to_worker);
    drain(vport->to_outside);
    *vport = (struct vport){0};
}

/* Short frames take no more buffers than there would be without a pool of their own. */
static struct rte_mempool *pool_for(const struct vport *vport, size_t octets)
{
    struct rte_mempool *pool = vport->pool, *own = vport->short_pool;
    if (!own)
        return pool;
    unsigned taken = rte_mempool_in_use_count(pool) + rte_mempool_in_use_count(own);
    return taken >= pool->size ? NULL : octets <= VPORT_SHORT_OCTETS ? own : pool;
}

int vport_push(struct vport *vport, const uint8_t *frame, size_t octets)
{
    if (octets + RTE_PKTMBUF_HEADROOM > rte_pktmbuf_data_room_size(vport->pool))
        return -EMSGSIZE;
    if (rte_ring_full(vport->to_worker))
        return -EAGAIN;
    struct rte_mempool *pool = pool_for(vport, octets);
    struct rte_mbuf *mbuf = pool ? rte_pktmbuf_alloc(pool) : NULL;
    if (!mbuf)
        return -ENOBUFS;
    memcpy(rte_pktmbuf_append(mbuf, (uint16_t)octets), frame, octets);
    return rte_ring_enqueue(vport->to_worker, mbuf);
}

struct rte_mbuf *vport_pull(struct vport *vport)
{
    void *mbuf;
    return rte_ring_dequeue(vport->to_outside, &mbuf) == 0 ? mbuf : NULL;
}
