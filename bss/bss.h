/* SPDX-License-Identifier: BSD-3-Clause */
/* The far side of Gb: a BSS that brings up its NS-VCs and cells in real octets, announces leaky buckets and
   hands every LLC-PDU it is sent to its user.

   Model: what OsmoPCU does in its classic dialect (NS-RESET, UNBLOCK, BVC-RESET of 0 and of each cell,
   UNBLOCK, FLOW-CONTROL-BVC; TS 48.016 §7, TS 48.018 §8), each step waiting for its acknowledgement; plus
   FLOW-CONTROL-MS and FLUSH-LL. Not here: IP-SNS. Everything goes out on the first NS-VC that is up.

   On request announcements say how full the radio's queues are: as a Bucket_Full Ratio, where the SGSN has
   that feature too, or as BVC Measurement, the mean time from an LLC-PDU's arrival to its first block.

   A cell may have a radio (bss/radio.h). DL-UNITDATA then waits there under its PDU Lifetime, and what dies
   is told by LLC-DISCARDED on BVCI 0: the first at once, later ones of the same mobile in sums, at most every
   BSS_DISCARDED_EVERY_NS, or when 255 frames, which is all that the PDU can say, have come together. A cell
   that goes out of service keeps what is in its radio; uplink that arrives meanwhile is lost (unsent).

   Same configuration and same sequence of calls = the same octets out. No clock: time is an argument. */
#ifndef BSS_BSS_H
#define BSS_BSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bss/calls.h"
#include "bss/radio.h"
#include "dataplane/wire/area.h"

#define BSS_DISCARDED_EVERY_NS INT64_C(100000000)

struct bss;

/* Both are multiples of 100. Beyond 6 553 500 they are announced with a granularity, rounded to its unit. */
struct bss_bucket {
    uint64_t bucket_octets;
    uint64_t rate_bps;
};

/* One FLOW-CONTROL-MS. Of several for one mobile the latest one due holds. */
struct bss_ms_announcement {
    uint32_t tlli;
    struct bss_bucket bucket;
    int64_t at_ns; /* after the first bss_step(); later if the cell is not up by then */
};

/* What a cell makes of the moment in its announcements. With a queue of stop_octets it announces a rate of 0,
   with one of go_octets its own again. Its own is that of the configuration, or, by OsmoPCU's formula, that
   one less the share that bad blocks took since the last announcement (bss/bss_measured.c). */
struct bss_policy {
    uint64_t stop_octets, go_octets; /* stop_octets 0: none */
    int64_t measured_ns;             /* the formula; the bucket is what the rate brings in so long. 0: no */
};

/* What the cell does when circuit-switched calls take its PDCHs: it announces rates in proportion to what
   they leave, 0 when that is nothing, and after `flush_ns` of nothing it throws away what waits for mobiles
   and tells so by LLC-DISCARDED. */
struct bss_calls_config {
    struct calls_config calls; /* at instants after the first bss_step() */
    int64_t flush_ns;          /* 0: at once; INT64_MAX: never, what waits dies by its lifetime */
};

struct bss_cell_config {
    uint16_t bvci; /* >= 2 */
    struct area cell_id;
    struct bss_bucket bvc, ms_default;
    int64_t announce_every_ns; /* FLOW-CONTROL-BVC and -MS again and again; 0: once */
    bool has_measurement;      /* BVC Measurement in FLOW-CONTROL-BVC, if there is a radio */
    bool has_level;            /* Current Bucket Level is offered, for all cells of the BSS */
    const struct bss_ms_announcement *ms;
    unsigned ms_count;
    const struct radio_config *radio;     /* NULL: a mobile has everything at once */
    struct bss_policy policy;             /* only for a cell with a radio */
    const struct bss_calls_config *calls; /* NULL: none; only for a cell with a radio */
};

struct bss_timers {
    int64_t reset_ns, unblock_ns, test_ns, alive_ns; /* TS 48.016 §11 */
    int64_t t1_ns, t2_ns;                            /* TS 48.018 §12 */
    int64_t flow_control_ns;                         /* to repeat an announcement that was not acknowledged */
    int unblock_retries, alive_retries, t1_retries, t2_retries, flow_control_retries;
};

/* Tns-reset 3 s without limit, Tns-block 3 s, Tns-test 30 s, Tns-alive 3 s and 10 retries, T1 and T2 30 s. */
extern const struct bss_timers bss_default_timers;

struct bss_config {
    uint16_t nsei;
    const uint16_t *nsvcis; /* an NS-VC is named by its place here */
    unsigned nsvc_count;
    const struct bss_cell_config *cells;
    unsigned cell_count;
    const struct bss_timers *timers; /* NULL: bss_default_timers */
};

/* Octets are the callee's for the length of the call. None of these may call back into the BSS. */
struct bss_ops {
    void *arg;
    void (*send)(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets);
    /* The mobile has an LLC-PDU. */
    void (*deliver)(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now);
    /* An LLC-PDU came from Gb, for a cell that is up; may be NULL. */
    void (*on_down)(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now);
    /* One of those died in the radio; may be NULL. */
    void (*on_discard)(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                       int64_t now);
};

struct bss_stats {
    uint64_t tx_pdus, rx_pdus, delivered;
    uint64_t malformed;      /* octets that are no PDU, or one with an error */
    uint64_t unexpected;     /* events that a state has no row for */
    uint64_t gave_up;        /* last retries without an answer */
    uint64_t undelivered;    /* LLC-PDUs for a cell that is not up */
    uint64_t unsent;         /* PDUs without an NS-VC that is up */
    uint64_t told_discarded; /* frames in LLC-DISCARDED */
};

struct bss_calls_stats {
    uint64_t preemptions; /* begun */
    int64_t preempted_ns;
};

/** Makes a BSS; config, and all that it points to, is copied. Free it by bss_free(). NULL if memory is short.
 */
struct bss *bss_new(const struct bss_config *config, const struct bss_ops *ops);

/** Frees a BSS; NULL is allowed. */
void bss_free(struct bss *bss);

/**
 * Does what is due at `now`, radios included; the first call starts everything. Returns the next deadline,
 * INT64_MAX when there is none, or `now` if something was sent or delivered: then call again. To be asked
 * anew after every other call here.
 */
int64_t bss_step(struct bss *bss, int64_t now);

/** Takes an NS PDU that arrived on an NS-VC. Answers go out before it returns. */
void bss_rx(struct bss *bss, unsigned nsvc, const uint8_t *ns_pdu, size_t octets, int64_t now);

/** Sends an LLC-PDU of a mobile as UL-UNITDATA. Returns whether it left: the cell is up and knows the way. */
bool bss_ul_unitdata(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now);

/**
 * Sends an LLC-PDU of a mobile over the cell's radio, and as UL-UNITDATA when it has arrived; at once without
 * a radio. Returns whether it was taken.
 */
bool bss_ul_put(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                int64_t now);

/**
 * A mobile goes from one cell to another. What the old one still has for it waits there for FLUSH-LL; what
 * the mobile had not sent goes up in the new one. The SGSN learns it from that, or from what it sends next.
 */
void bss_move(struct bss *bss, uint32_t tlli, uint16_t from, uint16_t to, int64_t now);

/** The same to a cell of another BSS. */
void bss_hand_over(struct bss *bss, uint32_t tlli, uint16_t from, struct bss *to_bss, uint16_t to,
                   int64_t now);

/** Blocks a cell (BVC-BLOCK, cause O&M intervention) until bss_unblock(), through resets too. */
void bss_block(struct bss *bss, uint16_t bvci, int64_t now);
void bss_unblock(struct bss *bss, uint16_t bvci, int64_t now);

/** Is the cell in service: reset and unblocked, both acknowledged? */
bool bss_is_up(const struct bss *bss, uint16_t bvci);

/** Counters since bss_new(). */
const struct bss_stats *bss_stats_get(const struct bss *bss);

/** A cell's radio, for its queries: queues, greatest backlog, discards by reason, use of the air. NULL: none.
 */
const struct radio *bss_radio_get(const struct bss *bss, uint16_t bvci);

/** How often, and how long in all, calls have left the cell no PDCH. */
struct bss_calls_stats bss_calls_stats_get(const struct bss *bss, uint16_t bvci, int64_t now);

/** The precedence of a mobile on a cell's radio, see radio_level(). */
void bss_level(struct bss *bss, uint16_t bvci, uint32_t tlli, unsigned level);

/** Octets of LLC-PDUs that a mobile has not got yet; 0 without a radio. */
uint64_t bss_queue_octets(const struct bss *bss, uint16_t bvci, uint32_t tlli);

#endif
