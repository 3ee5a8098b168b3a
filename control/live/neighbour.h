/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbours on one port: answers for our own addresses (ARP, RFC 826; Neighbour Discovery, RFC 4861;
 * Echo of ICMP, RFC 792, and ICMPv6, RFC 4443), and finds out the MAC addresses of those that somebody wants
 * to send to. There are no routers of IPv6 here but static ones.
 *
 * Model: an entry is asked for until it answers, at first quickly, then slowly; once known it is asked again
 * after a while. What was known stays in use when the neighbour turns silent: whether a peer is alive the
 * protocols above find out, and a wrong guess here would cut a link that works. Any ARP packet of a known
 * neighbour says what its address is now. Strangers are answered and not remembered.
 */
#ifndef CONTROL_LIVE_NEIGHBOUR_H
#define CONTROL_LIVE_NEIGHBOUR_H

#include "control/base/neighbour_ip.h"

#include <stddef.h>

#define NEIGHBOUR_ENTRIES   1024
#define NEIGHBOUR_ADDRESSES 64 /* of our own */

enum neighbour_state {
    NEIGHBOUR_ASKED,   /* not known yet */
    NEIGHBOUR_KNOWN,   /* has answered lately */
    NEIGHBOUR_CHECKED, /* is asked again */
    NEIGHBOUR_SILENT,  /* does not answer; mac holds what it last was, if has_mac */
    NEIGHBOUR_STATIC,  /* set by the operator, never asked */
};

struct neighbour_entry {
    struct neighbour_ip ip;
    enum neighbour_state state;
    bool has_mac;
    uint8_t mac[6];
    unsigned tries;
    int64_t next_ns; /* when it is asked again, or first; MOMENT_NEVER: static */
};

struct neighbour_ops {
    void *arg;
    /* Sends a whole frame, which is the caller's. */
    void (*send)(void *arg, const uint8_t *frame, size_t octets);
    /* An entry has another state or MAC address than before. */
    void (*tell)(void *arg, const struct neighbour_entry *entry);
};

struct neighbour {
    struct neighbour_ops ops;
    uint8_t mac[6]; /* ours */
    unsigned address_count, entry_count;
    struct neighbour_ip addresses[NEIGHBOUR_ADDRESSES]; /* ours */
    struct neighbour_entry entries[NEIGHBOUR_ENTRIES];
    uint64_t arp_answers, echo_answers, ignored; /* frames for us, and frames that asked nothing of us */
};

void neighbour_init(struct neighbour *n, const uint8_t mac[6], const struct neighbour_ops *ops);

/* One more address of ours; one that is there already is no mistake. False: too many. */
bool neighbour_add_own(struct neighbour *n, const struct neighbour_ip *ip);
bool neighbour_is_own(const struct neighbour *n, const struct neighbour_ip *ip);

/* Tells everybody on the link where our addresses are now. */
void neighbour_announce(struct neighbour *n);

/* Sets a neighbour's MAC address for good. False: too many. */
bool neighbour_set(struct neighbour *n, const struct neighbour_ip *ip, const uint8_t mac[6]);

/* The entry of an address, which is asked for from now on if it was not; NULL: too many. */
const struct neighbour_entry *neighbour_want(struct neighbour *n, const struct neighbour_ip *ip, int64_t now);

/* A frame that came: answers it, learns from it, or ignores it. */
void neighbour_receive(struct neighbour *n, const uint8_t *frame, size_t octets, int64_t now);

/* Asks whoever is due. Returns when the next one is, MOMENT_NEVER. */
int64_t neighbour_step(struct neighbour *n, int64_t now);

/* A state's name, static string. */
const char *neighbour_state_name(enum neighbour_state state);

#endif
