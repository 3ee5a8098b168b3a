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
#include "app/emulate/llc.h"
#include "app/emulate/phones.h"
#include "app/emulate/users.h"
#include "bss/bss.h"
#include "control/log/log.h"
#include "control/report/field.h"
#include "control/show/telemetry_socket.h"
#include "dataplane/base/u64_map.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stdint.h>

/* Gb over UDP on kernel sockets: one for each NS-VC, which is a pair of endpoints. */

struct emulate;

/* bss.c: BSS and mobiles. False, with a line on stderr: a TUN device or socket cannot be had, or no memory.
 */
bool emulate_bss_new(struct emulate *e);
void emulate_bss_free(struct emulate *e);
/* Takes a packet from the host behind a TUN device (index). */
void emulate_bss_packet(struct emulate *e, uint32_t device, const uint8_t *packet, size_t octets);

/* The BSS as phones use it, valid as long as e. */
struct emulate_phones_air emulate_bss_air(struct emulate *e);

/* Sends what the stacks of mobiles have to send; returns the next deadline of their links. */
int64_t emulate_bss_links(struct emulate *e);

/* Sends the pending answers of mobiles to XID commands. */
void emulate_bss_answer(struct emulate *e);

/* Opens a non-blocking socket from the NS-VC's BSS endpoint to its SGSN endpoint. NS-VCs may share a BSS
 * endpoint. -1, with a line on stderr: failed. */
int emulate_bss_open(const struct emulate_config_nsvc *nsvc);

struct emulate_options {
    const char *bss;    /* file */
    const char *json;   /* final counters; NULL: not written */
    const char *prefix; /* name of the telemetry socket */
    bool is_verbose;
};

struct emulate_mobile {
    struct emulate *emulate;
    const struct emulate_config_mobile *config;
    uint16_t bvci;
    int tun;
    struct emulate_user user; /* its unsent: also N-PDUs sent while its cell was not in service */
    uint8_t answer[EMULATE_LLC_ANSWER_OCTETS];
    size_t answer_octets; /* of answer[], to be sent; 0: no answer is pending */
    uint64_t xids;        /* XID commands that it has answered */
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
    struct telemetry_socket telemetry;
    bool has_answers;        /* a mobile has an answer to send */
    int signal;              /* SIGINT or SIGTERM, once received; else 0 */
    uint64_t send_failures;  /* NS PDUs that a socket did not accept */
    uint64_t unknown_mobile; /* downlink LLC-PDUs with a TLLI that no mobile has */
    uint64_t unknown_data;   /* those on a SAPI of user data (04.64 clause 6.2.3) */
    uint64_t strays;         /* packets from TUN devices that are not IPv4, or not from a mobile's address */
    uint64_t uplink_lost;    /* LLC-PDUs that a cell's radio did not accept */
};

/* Runs the BSS until SIGINT or SIGTERM. Exit status: 0, 1 when it does not start or cannot write its report,
 * 2 when the configuration is wrong. */
int emulate_run(const struct emulate_options *options);

/* TUN devices (Linux), in network namespaces where configured: IP packets from and to a kernel's IP stack. */

/*
 * Creates the device, sets the addresses of its mobiles (each with a prefix of 32 bits), its MTU and, where
 * configured, the default route, and brings it up. Closing the non-blocking descriptor deletes it. -1, with a
 * line on stderr that names the step: failed.
 */
int emulate_tun_open(const struct emulate_config_device *device, const struct emulate_config_mobile *mobiles);

/*
 * Gives the device of phones the n-th address, n from 1 to 999, with its default route where configured; or
 * takes it away. False, with a line on stderr: failed.
 */
bool emulate_tun_add(const struct emulate_config_device *device, uint32_t n, uint32_t address);
bool emulate_tun_remove(const struct emulate_config_device *device, uint32_t n);

/* Final report of an emulated BSS, as text and as JSON. */

void emulate_report_print(const struct emulate *e);

/* The fields of the JSON report. */
extern const struct field emulate_report[];

/* Tables of the running BSS for gbflow show and gbflow top; record: struct emulate. */
extern const struct field emulate_tables[];

/* Orders to the BSS over the same socket. */
extern const struct telemetry_order emulate_orders[];

/* Writes the JSON report (docs/emulate.md). False, with a line on stderr, when it cannot be written. */
bool emulate_report_write(const struct emulate *e, const char *path);

#endif
