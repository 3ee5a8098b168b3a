/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bridge to the associations and policies that an IKE daemon, such as strongSwan's charon, gives to the
 * kernel of its network namespace (XFRM netlink). A process of the node's, which alone keeps CAP_NET_ADMIN,
 * reads all of them and each change, and tells control over a socket; control tells it what to tell the
 * kernel, and so the daemon: that an association must be renewed, and how much it was used.
 */
#ifndef CONTROL_ESP_XFRM_H
#define CONTROL_ESP_XFRM_H

#include "control/esp/associations.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum xfrm_kind {
    XFRM_SA,          /* it is there, or has changed */
    XFRM_SA_GONE,     /* spi, destination and is_ipv6 of params */
    XFRM_POLICY,      /* it is there, or has changed */
    XFRM_POLICY_GONE, /* is_out and index of it */
    XFRM_FLUSH_SAS,
    XFRM_FLUSH_POLICIES,
    XFRM_LIST_BEGIN, /* all that is there follows, as some changes were missed; and at the start */
    XFRM_LIST_END,
    XFRM_REFUSED, /* text: an association that gbflow does not have */
    XFRM_EXPIRE,  /* to the kernel: soft or hard end */
    XFRM_USED,    /* to the kernel: its counts */
    XFRM_SYNC,    /* to the process, and back when control has all that the kernel has had until then */
    XFRM_DEVICE,  /* to the process: the interface is to be opened again; and back when it is, with tun_fd */
};

#define XFRM_TEXT_CHARS    256
#define XFRM_REFUSAL_CHARS 128

struct xfrm_sa {
    struct sa_params params;
    uint32_t reqid;
    uint64_t soft_octets, hard_octets, soft_packets, hard_packets; /* UINT64_MAX: none */
    uint64_t add_time, use_time;                                   /* seconds since 1970; use_time 0: never */
    uint64_t octets, packets;                                      /* of XFRM_USED */
    bool is_hard;                                                  /* of XFRM_EXPIRE */
};

struct xfrm_policy {
    struct association_policy policy; /* but the group of its rule */
    bool is_protecting;               /* by the template */
    struct association_template template;
    char refusal[XFRM_REFUSAL_CHARS]; /* why gbflow cannot do it, so that it drops; "": it can */
};

/* A datagram on the socket. */
struct xfrm_message {
    enum xfrm_kind kind;
    union {
        struct xfrm_sa sa;
        struct xfrm_policy policy;
        char text[XFRM_TEXT_CHARS];
        uint64_t sync; /* of XFRM_SYNC: its number */
    };
};

struct xfrm {
    pid_t process; /* 0: none */
    int fd;        /* the socket to it, which does not block; -1: it was closed */
    int tun_fd;    /* the interface for IKE's own packets; -1: it was closed */
    int epoll_fd;  /* which has both of them; -1: none */
};

/*
 * Starts the process: before DPDK and the node's threads. netns: a name below /run/netns, or a path; "": the
 * node's own namespace. interface: an existing TUN device there. user: whom it becomes, NULL: the present
 * one. False, with a line on stderr.
 */
bool xfrm_start(struct xfrm *xfrm, const char *netns, const char *interface, const char *user);

/* Adds both descriptors to those of an epoll, and later ones, too. False: the kernel has no memory for that.
 */
bool xfrm_watch(struct xfrm *xfrm, int epoll_fd);

/* False: there is none; *is_gone: the process has ended, and fd was closed. XFRM_DEVICE sets tun_fd if that
 * was closed. */
bool xfrm_take(struct xfrm *xfrm, struct xfrm_message *message, bool *is_gone);
void xfrm_put(const struct xfrm *xfrm, const struct xfrm_message *message);

/* Closes tun_fd. */
void xfrm_close_device(struct xfrm *xfrm);

/* Ends the process. Associations and policies stay in force. */
void xfrm_stop(struct xfrm *xfrm);

/* xfrm_read.c: a message of the kernel; false: it is nothing that control needs. Policies that name another
 * interface than this one are refused. */
struct nlmsghdr;
bool xfrm_read(const struct nlmsghdr *from, const char *interface, struct xfrm_message *to);

#endif
