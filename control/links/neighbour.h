/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbours on one port: answers requests for local addresses (ARP, RFC 826; Neighbour Discovery, RFC 4861;
 * Echo of ICMP, RFC 792, and ICMPv6, RFC 4443), and resolves the MAC addresses of next hops. Routers of IPv6
 * are static routes only; Router Advertisements are ignored.
 *
 * A request for an entry is repeated until it is answered, at first quickly, then slowly; a known entry is
 * verified again after a while. The MAC address of a silent neighbour stays in use: protocols above find out
 * whether the peer is alive, and to stop sending could cut a link that works. Each ARP packet of a neighbour
 * with an entry updates its MAC address, which is verified within a second unless the node has asked for it:
 * such packets can be forged (RFC 4861 clause 7.2.5: only a solicited answer confirms). A host that asks for
 * a local address gets an entry (RFC 826; RFC 4861 clause 7.2.3), as the node is about to answer it: the
 * latest NEIGHBOUR_HEARD_MAX stay, and give their places to entries that are wanted.
 */
#ifndef CONTROL_LINKS_NEIGHBOUR_H
#define CONTROL_LINKS_NEIGHBOUR_H

#include "control/base/neighbour_ip.h"
#include "dataplane/wire/ether.h"

#include <stddef.h>
#include <stdint.h>

/* Writes the requests and replies of neighbour.h. Each function returns the octets written to frame, which
 * has room for NEIGHBOUR_FRAME_OCTETS, or 0: no frame is to be sent. */

#define NEIGHBOUR_FRAME_OCTETS 1518

#define NEIGHBOUR_ENTRIES   1024
#define NEIGHBOUR_ADDRESSES 64  /* local ones */
#define NEIGHBOUR_HEARD_MAX 256 /* a fourth of the entries: hosts that ask do not fill the table */

enum neighbour_state {
    NEIGHBOUR_ASKED,   /* requested, no answer yet */
    NEIGHBOUR_KNOWN,   /* has answered lately, or sent a packet of its own */
    NEIGHBOUR_CHECKED, /* is being verified */
    NEIGHBOUR_SILENT,  /* does not answer; mac is the last known one, if has_mac */
    NEIGHBOUR_STATIC,  /* configured, never requested */
    NEIGHBOUR_HEARD,   /* has asked for a local address; requested when it is wanted */
};

struct neighbour_entry {
    struct neighbour_ip ip;
    enum neighbour_state state;
    bool has_mac;
    uint8_t mac[6];
    unsigned tries;
    int64_t heard_ns; /* the latest packet with mac; if has_mac */
    int64_t next_ns;  /* of the next request; MOMENT_NEVER: none */
};

struct neighbour_ops {
    void *arg;
    /* Sends a whole frame, which is the caller's. */
    void (*send)(void *arg, const uint8_t *frame, size_t octets);
    /* The state or MAC address of an entry has changed. */
    void (*tell)(void *arg, const struct neighbour_entry *entry);
};

struct neighbour {
    struct neighbour_ops ops;
    uint8_t mac[6];                                     /* of the port */
    unsigned address_count, entry_count, heard_count;   /* the last: of entries NEIGHBOUR_HEARD */
    struct neighbour_ip addresses[NEIGHBOUR_ADDRESSES]; /* local ones */
    struct neighbour_entry entries[NEIGHBOUR_ENTRIES];
    uint64_t arp_answers, echo_answers, ignored; /* replies sent; frames without a reply */
};

void neighbour_init(struct neighbour *n, const uint8_t mac[6], const struct neighbour_ops *ops);

/* Adds a local address, unless it was added before. False: the list is full. */
bool neighbour_add_own(struct neighbour *n, const struct neighbour_ip *ip);

/* Whether an address is a local one. */
bool neighbour_is_own(const struct neighbour *n, const struct neighbour_ip *ip);

/* Announces all local addresses on the link: gratuitous ARP, unsolicited Neighbour Advertisements. */
void neighbour_announce(struct neighbour *n);

/* Makes a static entry. False: the table is full. */
bool neighbour_set(struct neighbour *n, const struct neighbour_ip *ip, const uint8_t mac[6]);

/* The entry of an address, which is made, and requested from now on, if it did not exist; NULL: the table is
 * full. */
const struct neighbour_entry *neighbour_want(struct neighbour *n, const struct neighbour_ip *ip, int64_t now);

/* Deletes an entry, but not a static one. */
void neighbour_forget(struct neighbour *n, const struct neighbour_ip *ip);

/* Takes a received frame: answers it, learns from it, or ignores it. */
void neighbour_receive(struct neighbour *n, const uint8_t *frame, size_t octets, int64_t now);

/* Sends the requests that are due. Returns the next deadline, MOMENT_NEVER: none. */
int64_t neighbour_step(struct neighbour *n, int64_t now);

/* A state's name, static string. */
const char *neighbour_state_name(enum neighbour_state state);

#endif
