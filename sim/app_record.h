/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of TCP connections that applications report, and observers of live connections. */
#ifndef SIM_APP_RECORD_H
#define SIM_APP_RECORD_H

#include "sim/tcp.h"

/* Sent octets, timeouts and round-trip times come from the data sender's end, arrived octets from the
   receiver's. */
struct app_record_tcp {
    uint32_t connection; /* number within its application, from 0 */
    uint64_t octets;     /* delivered to the application in order */
    uint64_t octets_corrupt;
    uint64_t octets_repeated;                   /* arrived at the receiver, which had them */
    int64_t start_ns;                           /* the client's SYN */
    int64_t end_ns;                             /* last octet delivered; start_ns before the first */
    uint64_t sent_octets, retransmitted_octets; /* payload, by the sender */
    uint64_t timeouts;
    uint64_t rtt_count;
    int64_t rtt_sum_ns, rtt_min_ns, rtt_max_ns; /* as tcp_rto.h samples it */
    bool is_closed;
    enum tcp_end end; /* when is_closed */
};

/* Callbacks per connection; numbers count payload octets of the data sender. Any may be NULL. */
struct app_record_observer {
    void *arg;
    void (*on_rtt)(void *arg, uint32_t connection, int64_t now, int64_t rtt_ns);
    void (*on_sent)(void *arg, uint32_t connection, int64_t now, uint64_t end_octets, bool is_retransmission);
    void (*on_acked)(void *arg, uint32_t connection, int64_t now, uint64_t acked_octets);
    void (*on_goodput)(void *arg, uint32_t connection, int64_t now, uint64_t octets); /* new in order */
    void (*on_tcp_end)(void *arg, const struct app_record_tcp *record, int64_t now);
};

/* One observed connection: the arg of its tcp_observer. */
struct app_record_watch {
    const struct app_record_observer *observer;
    uint32_t connection;
};

/* A tcp_observer that calls watch->observer with the connection's number. watch must outlive it. */
struct tcp_observer app_record_observe(struct app_record_watch *watch);

/* Copies the sender's counters into the record. */
void app_record_sender(struct app_record_tcp *record, const struct tcp *sender);

/* Copies the receiver's counters into the record. */
void app_record_receiver(struct app_record_tcp *record, const struct tcp *receiver);

/* Adds octets that the receiver's end got in order and calls the observer. */
void app_record_receive(struct app_record_tcp *record, const struct app_record_observer *o, uint64_t octets,
                        int64_t now);

/* Adds a connection to a sum, which keeps its `connection`, start_ns, is_closed and end. */
void app_record_add(struct app_record_tcp *sum, const struct app_record_tcp *part);

/* Round-trip times of several connections, as their senders measure them. A zeroed one is empty. */
struct app_record_rtt {
    double sum_ns; /* of mean round-trip time x octets */
    uint64_t octets, samples;
    int64_t max_ns;
};

/* Adds a connection, or a sum of them, that has a sample and delivered octets; another one has no effect. */
void app_record_rtt_add(struct app_record_rtt *rtt, const struct app_record_tcp *record);

/* Returns the mean of their mean round-trip times, weighted by the octets that they delivered; MOMENT_NEVER
   of none. */
int64_t app_record_rtt_avg_ns(const struct app_record_rtt *rtt);

/* Returns 8 x octets / (end - start) in bit/s, rounded down; 0 if no time has passed. end_ns: record->end_ns,
   or the run's. */
uint64_t app_record_goodput_bps(const struct app_record_tcp *record, int64_t end_ns);

#endif
