/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ethernet, IP and UDP around NS PDUs, over IPv4 or IPv6 by the addresses of the NS-VC. An NS-VC has the
 * headers of an empty packet as a template; a frame costs their copy, its lengths and, over IPv4, a new
 * header checksum. UDP has a checksum over IPv6 only (RFC 8200 clause 8.1); it covers the NS PDU and so is
 * written last.
 *
 * Not here: fragments, which no NS PDU within gb.mtu needs; received ones are dropped.
 */
#ifndef DATAPLANE_WORKER_GB_TRANSPORT_H
#define DATAPLANE_WORKER_GB_TRANSPORT_H

#include "dataplane/base/address.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/base/drop.h"
#include "dataplane/context/context.h"
#include "dataplane/context/gb.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GB_TRANSPORT_IPV4_SUM 10 /* offset of the checksum in an IPv4 header */

struct rte_mbuf;
struct worker;

/* Makes the template of an NS-VC from its addresses. -1: they are of two IP versions, or not known. */
int gb_transport_template(const struct worker *w, struct gb_nsvc *nsvc);

/* Finds the NS-VC of a frame, and sets the buffer's data to the NS PDU. On an error *nsvc is LOOKUP_NONE or,
 * with DROP_UNKNOWN_NSVC, may be LOOKUP_AT + worker. */
enum drop gb_transport_unwrap(struct worker *w, struct rte_mbuf *mbuf, uint32_t *nsvc);

/* The NS PDU of a frame from any endpoint; pointers are into the frame. */
struct gb_transport_datagram {
    const uint8_t *remote, *local, *payload; /* addresses of address_octets, 4 or 16 */
    size_t address_octets, octets;           /* of the payload */
    uint16_t remote_port, local_port;
};

/* False: it has none, or is a fragment. The UDP checksum is not tested. */
bool gb_transport_read(struct gb_transport_datagram *out, const uint8_t *frame, size_t octets);

/* Writes the UDP checksum over IPv6 into a finished frame. */
void gb_transport_sum(uint8_t *frame, size_t octets);

static inline void gb_transport_put_ipv4(struct gb_nsvc *nsvc, uint8_t *frame, unsigned ns_octets)
{
    uint8_t *ip = frame + ETHER_OCTETS, *udp = ip + IPV4_OCTETS;

    memcpy(frame, nsvc->header, GB_HEADER_OCTETS);
    uint16_t template_sum = bytes_get_u16(nsvc->header + ETHER_OCTETS + GB_TRANSPORT_IPV4_SUM);
    unsigned id = nsvc->ip_id++, udp_octets = ns_octets + UDP_OCTETS;
    bytes_put_u16(ip + 2, (uint16_t)(udp_octets + IPV4_OCTETS));
    bytes_put_u16(ip + 4, (uint16_t)id);
    bytes_put_u16(ip + GB_TRANSPORT_IPV4_SUM, ipv4_checksum_add(template_sum, udp_octets + id));
    bytes_put_u16(udp + 4, (uint16_t)udp_octets);
}

static inline void gb_transport_put_ipv6(const struct gb_nsvc *nsvc, uint8_t *frame, unsigned ns_octets)
{
    uint8_t *ip = frame + ETHER_OCTETS, *udp = ip + IPV6_OCTETS;

    memcpy(frame, nsvc->header, GB_HEADER_MAX_OCTETS);
    bytes_put_u16(ip + 4, (uint16_t)(ns_octets + UDP_OCTETS));
    bytes_put_u16(udp + 4, (uint16_t)(ns_octets + UDP_OCTETS));
}

/* Puts the headers, nsvc->header_octets, in front of an NS PDU and returns the frame; uses up an IP
 * identification. With nsvc->is_ipv6, gb_transport_sum() must follow. */
static inline uint8_t *gb_transport_put(struct gb_nsvc *nsvc, uint8_t *ns, unsigned ns_octets)
{
    uint8_t *frame = ns - nsvc->header_octets;

    if (nsvc->is_ipv6)
        gb_transport_put_ipv6(nsvc, frame, ns_octets);
    else
        gb_transport_put_ipv4(nsvc, frame, ns_octets);
    return frame;
}

/* Octets of the headers in front of an NS PDU in a sent or received frame without extensions. */
static inline size_t gb_transport_octets(const uint8_t *frame, size_t octets)
{
    bool is_ipv6 = octets >= ETHER_OCTETS && bytes_get_u16(frame + ETHER_OCTETS - 2) == ETHER_TYPE_IPV6;
    return is_ipv6 ? GB_HEADER_MAX_OCTETS : GB_HEADER_OCTETS;
}

/*
 * Signalling on Gb: frames of the control core go before all users' frames. If the link of their NSE has a
 * rate, they are charged to it and may take a limited part of it. Frames above that wait, in order within an
 * NSE, in one list per worker. Users' frames and other orders do not wait there.
 */

#define SIGNALLING_WAITING 64

struct gb_nse;

struct signalling_frame {
    struct rte_mbuf *mbuf;
    struct gb_nse *nse;
    uint32_t ns_octets;
};

/* Zeroed: empty. */
struct signalling {
    struct signalling_frame frames[SIGNALLING_WAITING]; /* oldest first */
    uint32_t count;
};

/*
 * Sends a whole frame with an NS PDU of ns_octets over a link, now or when the link's rate allows; takes
 * ownership. 0, or -1: too many wait; it was freed and counted. The port must have room.
 */
int signalling_send(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame, uint32_t ns_octets,
                    int64_t now);

/* Sends waiting frames that may leave, while the port has room; returns their number. */
unsigned signalling_release(struct worker *w, int64_t now);

/* When the first waiting frame may leave, later than now; MOMENT_NEVER when none waits. */
int64_t signalling_next_ns(const struct worker *w, int64_t now);

/* The NSE is deleted: sends its waiting frames, such as the last NS-BLOCK, at once. */
void signalling_end(struct worker *w, const struct gb_nse *nse, int64_t now);

/* Frees all waiting frames. */
void signalling_free(struct worker *w);

/*
 * Mobiles to be paged (TS 23.060 clause 6.2, TS 48.018 clause 7.1): their READY timer has expired, or the
 * BSS lost them (RADIO-STATUS). Their N-PDUs are queued, with the usual limits and lifetime, and control is
 * told once; any LLC frame from the mobile releases them.
 *
 * The timer is tested when an N-PDU arrives: without N-PDUs the mobile's flag is not changed when it
 * expires.
 */

/* The rare case of standby_look(). */
void standby_wait(struct worker *w, struct ms *ms, int64_t now);

/* To be called before an N-PDU for the mobile is queued. */
static inline void standby_look(struct worker *w, const struct context *c, struct ms *ms, int64_t now)
{
    if (__builtin_expect((ms->sched.flags & SCHED_MS_LOST) != 0 || context_ms_is_silent(c, ms, now), 0))
        standby_wait(w, ms, now);
}

/* The same, if N-PDUs are queued for it. */
void standby_look_back(struct worker *w, struct ms *ms);

/* Control has a message for the mobile: tells it when the mobile is in READY, at once or after a page. False:
 * the ring to control is full. */
bool standby_want(struct worker *w, struct ms *ms, int64_t now);

/* After a frame from the mobile: tells control if it is being paged. */
void standby_heard(struct worker *w, struct ms *ms);

/* Frames from Gb (gb_rx.c): users' LLC-PDUs become G-PDUs to their GGSN, all other PDUs are punted to
 * control. Uplink has no scheduler. */

/* Receives one burst; returns the number of frames. */
unsigned gb_rx_receive(struct worker *w, int64_t now);

/* Handles at most WORKER_BURST frames of this worker's NS-VCs that another worker received; takes ownership.
 * */
void gb_rx_take_steered(struct worker *w, struct rte_mbuf *const *frames, unsigned count, int64_t now);

#endif
