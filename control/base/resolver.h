/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolver of names by DNS, with c-ares: asks for addresses and never waits; answers are told when the owner
 * asks. Hosts files are not read. */
#ifndef CONTROL_BASE_RESOLVER_H
#define CONTROL_BASE_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#define RESOLVER_SERVERS_CHARS 512
#define RESOLVER_PENDING       256 /* questions at once; further ones are answered as names without address */

#define RESOLVER_SOCKETS 16

/* A socket of the channel that waits for a reader, a writer or both; a free place has neither. */
struct resolver_socket {
    int fd;
    bool is_readable;
    bool is_writable;
};

struct ares_channeldata;
struct resolver_question;

struct resolver {
    int epoll_fd; /* wakes the owner */
    struct ares_channeldata *channel;
    char servers[RESOLVER_SERVERS_CHARS]; /* those of the channel */
    struct resolver_question *answered;   /* not told yet */
    uint32_t pending;
    struct resolver_socket sockets[RESOLVER_SOCKETS];
};

/* The address of a name as a text; NULL: it has none, or no server answers. */
typedef void resolver_told(void *arg, uint64_t id, const char *address);

void resolver_init(struct resolver *r, int epoll_fd);
void resolver_fini(struct resolver *r);

/* Asks servers "ADDRESS:PORT,..." for the IPv4 address of a name, or its IPv6 address. */
void resolver_ask(struct resolver *r, uint64_t id, const char *name, const char *servers, bool is_ipv6);

/* Reads and repeats what is possible and tells answers. Returns when it is to be called next, from now on in
 * ns: 0 something was told, INT64_MAX nothing is pending. */
int64_t resolver_step(struct resolver *r, resolver_told *told, void *arg);

#endif
