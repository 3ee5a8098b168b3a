/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A live emulated BSS: bss/ in real time, Gb on UDP sockets, mobiles as hosts behind TUN devices.
 *
 * One thread, one event loop. Times are nanoseconds since the start. What is late is done as of when it was
 * due: a radio block that this machine slept over has carried what was there to be carried.
 */
#ifndef APP_EMULATE_EMULATE_H
#define APP_EMULATE_EMULATE_H

#include "bss/bss.h"
#include "app/emulate/config.h"
#include "app/emulate/llc.h"
#include "control/base/log.h"
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
    uint64_t down_npdus, down_octets; /* N-PDUs that its host got */
    uint64_t up_npdus, up_octets;     /* that it sent */
    uint8_t answer[EMULATE_LLC_ANSWER_OCTETS];
    size_t answer_octets; /* that wait to be sent; 0: none */
    uint64_t xids;        /* XID commands that it has answered */
    uint64_t unwritten;   /* that its device did not take */
    uint64_t unsent;      /* that it sent while its cell was not up, or that do not fit SNDCP */
};

struct emulate {
    const struct emulate_options *options;
    struct emulate_config config;
    struct bss *bss;
    struct radio_config *radios;
    struct bss_calls_config *calls;
    struct bss_policy *policies;
    struct emulate_mobile *mobiles;
    struct u64_map by_tlli;
    int *sockets, *tuns; /* by NS-VC, by device; -1: not open */
    bool *are_up;        /* cells, as the log has told last */
    struct log log;
    int64_t start_ns, now;
    int epoll_fd, signal_fd, timer_fd;
    bool has_answers;        /* some mobile has */
    int signal;              /* that ends it; 0: none yet */
    uint64_t send_failures;  /* NS PDUs that a socket did not take */
    uint64_t unknown_mobile; /* LLC-PDUs delivered to nobody */
    uint64_t strays;         /* packets from hosts that are no IPv4 from a mobile's address */
    uint64_t uplink_lost;    /* LLC-PDUs that a cell's radio did not take */
};

/* Runs it until SIGINT or SIGTERM. Exit status: 0, 1 when it does not start or cannot write, 2 when the
 * configuration is wrong. */
int emulate_run(const struct emulate_options *options);

/* emulate_bss.c: BSS and mobiles. False, with a line on stderr, when something is missing. */
bool emulate_bss_new(struct emulate *e);
void emulate_bss_free(struct emulate *e);
/* A packet from the host behind a device. */
void emulate_bss_packet(struct emulate *e, uint32_t device, const uint8_t *packet, size_t octets);

/* What mobiles have to say to what was delivered to them. */
void emulate_bss_answer(struct emulate *e);

/* emulate_loop.c: descriptors and time. */
bool emulate_loop_open(struct emulate *e);
void emulate_loop_close(struct emulate *e);
void emulate_loop_run(struct emulate *e);

#endif
