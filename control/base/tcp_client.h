/* SPDX-License-Identifier: BSD-3-Clause */
/* A TCP connection to one IPv4 server that never waits: octets to send are kept up to a limit, and what
 * happened is told when the owner asks. */
#ifndef CONTROL_BASE_TCP_CLIENT_H
#define CONTROL_BASE_TCP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Octets that wait for the socket; more end the connection. */
#define TCP_CLIENT_QUEUE_OCTETS 262144

struct tcp_client_events {
    void *arg;
    void (*on_up)(void *arg);
    void (*on_down)(void *arg); /* also when it was never up */
    void (*on_octets)(void *arg, const void *octets, size_t count);
};

struct tcp_client {
    int epoll_fd; /* wakes the owner; edge-triggered */
    int fd;       /* -1: there is no connection */
    bool is_up, has_failed;
    size_t queued;
    uint8_t *queue; /* of TCP_CLIENT_QUEUE_OCTETS; NULL before the first connection */
};

void tcp_client_init(struct tcp_client *client, int epoll_fd);
void tcp_client_fini(struct tcp_client *client);

/* Begins to connect, in place of a connection that is there. tcp_client_step() tells the result. */
void tcp_client_open(struct tcp_client *client, const char *address, uint16_t port);

/* Sends or keeps octets. Without a connection they are lost. */
void tcp_client_send(struct tcp_client *client, const void *octets, size_t count);

/* Ends the connection without on_down(). */
void tcp_client_close(struct tcp_client *client);

/* Reads and writes what is possible; calls the events. Returns whether something happened. */
bool tcp_client_step(struct tcp_client *client, const struct tcp_client_events *events);

#endif
