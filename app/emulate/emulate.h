/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A live emulated BSS: bss/ in real time, Gb on UDP sockets, mobiles as hosts behind TUN devices.
 *
 * One thread, one event loop. Times are nanoseconds since the start. A late event is handled with the time at
 * which it was due: a radio block during which this thread slept carries the octets that were queued then.
 */
#ifndef APP_EMULATE_EMULATE_H
#define APP_EMULATE_EMULATE_H

#include "app/emulate/config.h"
#include "app/emulate/gb.h"
#include "app/emulate/phones.h"
#include "bss/bss.h"
#include "control/log/log.h"
#include "dataplane/base/u64_map.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stdint.h>

struct emulate_options {
    const char *bss;  /* file */
    const char *json; /* final counters; NULL: not written */
    bool is_verbose;
};

struct emulate;

struct emulate_mobile {
    struct emulate *emulate;
    const struct emulate_config_mobile *config;
    uint16_t bvci;
    int tun;
    struct ms_stack stack;
    uint64_t down_npdus, down_octets; /* N-PDUs delivered to its host */
    uint64_t up_npdus, up_octets;     /* N-PDUs that its host sent */
    uint8_t answer[EMULATE_LLC_ANSWER_OCTETS];
    size_t answer_octets; /* of answer[], to be sent; 0: no answer is pending */
    uint64_t xids;        /* XID commands that it has answered */
    uint64_t unwritten;   /* N-PDUs that its TUN device did not accept */
    uint64_t unsent;      /* N-PDUs sent while its cell was not in service, or too long for SNDCP */
};

struct emulate {
    const struct emulate_options *options;
    struct emulate_config config;
    struct bss *bss;
    struct radio_config *radios;
    struct bss_calls_config *calls;
    struct emulate_phones *phones; /* NULL: none are configured */
    struct bss_policy *policies;
    struct emulate_mobile *mobiles;
    struct u64_map by_tlli;
    int *sockets, *tuns; /* by NS-VC, by device; -1: not open */
    bool *are_up;        /* cells in service, as last logged */
    struct log log;
    int64_t start_ns, now;
    int epoll_fd, signal_fd, timer_fd;
    bool has_answers;        /* a mobile has an answer to send */
    int signal;              /* SIGINT or SIGTERM, once received; else 0 */
    uint64_t send_failures;  /* NS PDUs that a socket did not accept */
    uint64_t unknown_mobile; /* downlink LLC-PDUs with a TLLI that no mobile has */
    uint64_t strays;         /* packets from TUN devices that are not IPv4, or not from a mobile's address */
    uint64_t uplink_lost;    /* LLC-PDUs that a cell's radio did not accept */
};

/* Runs the BSS until SIGINT or SIGTERM. Exit status: 0, 1 when it does not start or cannot write its report,
 * 2 when the configuration is wrong. */
int emulate_run(const struct emulate_options *options);

#endif
