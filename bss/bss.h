/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated BSS at the far side of Gb: brings up its NS-VCs and cells with encoded PDUs, announces leaky
   buckets and delivers each LLC-PDU to its mobile.

   Model: the classic dialect of OsmoPCU (NS-RESET, UNBLOCK, BVC-RESET of BVCI 0 and of each cell, UNBLOCK,
   FLOW-CONTROL-BVC; TS 48.016 §7, TS 48.018 §8), where each step waits for its acknowledgement; plus
   FLOW-CONTROL-MS, packet flows with FLOW-CONTROL-PFC, and FLUSH-LL. Not here: IP-SNS. BSSGP PDUs leave on
   the first NS-VC that is up.

   On request, announcements report the radio's queues: as Bucket_Full Ratio, if the SGSN has that feature
   too, or as BVC Measurement, the mean time from an LLC-PDU's arrival to its first block.

   A cell may have a radio (bss/radio.h), in which DL-UNITDATA waits under its PDU Lifetime. LLC-DISCARDED on
   BVCI 0 reports discarded LLC-PDUs: a mobile's first one at once, later ones as sums, at most every
   BSS_DISCARDED_EVERY_NS or per 255 frames, the most that one PDU can report. A cell that goes out of service
   keeps the LLC-PDUs in its radio; uplink that arrives meanwhile is lost (`unsent`).

   Same configuration and same sequence of calls = the same octets out. No clock: time is an argument. */
#ifndef BSS_BSS_H
#define BSS_BSS_H

#include "bss/calls.h"
#include "bss/radio.h"
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    int64_t at_ns;  /* after the first bss_step(); later if the cell is not yet up */
    bool by_coding; /* R is radio_coded_bps() of rate_bps */
};

/* How a cell's announcements follow its state. At stop_octets of queue the cell announces rate 0, back at
   go_octets its own rate again. Its own rate is the configured one, or, by OsmoPCU's formula, the configured
   one less the share of blocks that were bad since the last announcement (bss/announce.c). */
struct bss_policy {
    uint64_t stop_octets, go_octets; /* stop_octets 0: no thresholds */
    int64_t measured_ns;             /* 0: no formula; else the time in which the rate fills the bucket */
};

/* Circuit-switched calls take PDCHs of the cell. The cell announces rates in proportion to the PDCHs left, 0
   without any; after `flush_ns` without PDCH it discards the LLC-PDUs queued for its mobiles and reports them
   by LLC-DISCARDED. */
struct bss_calls_config {
    struct calls_config calls; /* at instants after the first bss_step() */
    int64_t flush_ns;          /* 0: at once; INT64_MAX: never, queued LLC-PDUs only expire */
};

struct bss_cell_config {
    uint16_t bvci; /* >= 2 */
    struct area cell_id;
    struct bss_bucket bvc, ms_default;
    int64_t announce_every_ns; /* period of FLOW-CONTROL-BVC and -MS; 0: sent once */
    bool has_measurement;      /* BVC Measurement in FLOW-CONTROL-BVC, if there is a radio */
    bool has_level;            /* Current Bucket Level; one cell with it offers it for the BSS */
    const struct bss_ms_announcement *ms;
    unsigned ms_count;
    struct bss_bucket pfc; /* of each packet flow that the SGSN creates; bucket 0: packet flows are refused */
    const struct radio_config *radio;     /* NULL: LLC-PDUs are delivered at once */
    struct bss_policy policy;             /* only for a cell with a radio */
    const struct bss_calls_config *calls; /* NULL: no calls; only for a cell with a radio */
};

struct bss_timers {
    int64_t reset_ns, unblock_ns, test_ns, alive_ns; /* TS 48.016 §11 */
    int64_t t1_ns, t2_ns;                            /* TS 48.018 §12 */
    int64_t flow_control_ns;                         /* until an unacknowledged announcement is repeated */
    int unblock_retries, alive_retries, t1_retries, t2_retries, flow_control_retries;
};

/* Tns-reset 3 s without limit, Tns-block 3 s, Tns-test 30 s, Tns-alive 3 s and 10 retries, T1 and T2 30 s. */
extern const struct bss_timers bss_default_timers;

struct bss_config {
    uint16_t nsei;
    const uint16_t *nsvcis; /* callbacks name an NS-VC by its index here */
    unsigned nsvc_count;
    const struct bss_cell_config *cells;
    unsigned cell_count;
    const struct bss_timers *timers; /* NULL: bss_default_timers */
};

/* Octets are valid during the call only. No callback may call into the BSS. */
struct bss_ops {
    void *arg;
    void (*send)(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets);
    /* An LLC-PDU has reached the mobile. */
    void (*deliver)(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now);
    /* An LLC-PDU for a cell that is up arrived on Gb; may be NULL. */
    void (*on_down)(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now);
    /* The radio discarded such an LLC-PDU; may be NULL. */
    void (*on_discard)(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                       int64_t now);
    /* A radio block with data towards a mobile (radio.h); may be NULL. */
    void (*on_block)(void *arg, uint16_t bvci, const struct radio_block *block, int64_t now);
    const struct bss_ms_ops *ms; /* paging and suspension; may be NULL */
};

struct bss_stats {
    uint64_t tx_pdus, rx_pdus, delivered;
    uint64_t malformed;      /* PDUs that do not decode, or with a wrong type for their BVCI */
    uint64_t unexpected;     /* events without a row in the state's table */
    uint64_t gave_up;        /* timers that expired after the last retry */
    uint64_t undelivered;    /* LLC-PDUs for a cell that is not up */
    uint64_t unsent;         /* PDUs dropped because no NS-VC, or the cell, is up */
    uint64_t told_discarded; /* frames reported in LLC-DISCARDED */
};

/** Makes a BSS; copies config and all that it points to. NULL: out of memory. Free with bss_free(). */
struct bss *bss_new(const struct bss_config *config, const struct bss_ops *ops);

/** Frees a BSS; NULL is allowed. */
void bss_free(struct bss *bss);

/**
 * Handles all timers and radio events due at `now`; the first call starts the BSS. Returns the next deadline,
 * INT64_MAX without one, or `now` if something was sent or delivered: then call again. Every other call here
 * may change the deadline.
 */
int64_t bss_step(struct bss *bss, int64_t now);

/** Handles an NS PDU that arrived on an NS-VC. Answers are sent before it returns. */
void bss_rx(struct bss *bss, unsigned nsvc, const uint8_t *ns_pdu, size_t octets, int64_t now);

/** Sends an LLC-PDU of a mobile as UL-UNITDATA. Returns false, counted as `unsent`, if the cell or every
   NS-VC is down or the LLC-PDU is too long. */
bool bss_ul_unitdata(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now);

/**
 * Sends an LLC-PDU of a mobile over the cell's radio and then, on its arrival, as UL-UNITDATA; without a
 * radio at once. Returns false if the radio or bss_ul_unitdata() refused it.
 */
bool bss_ul_put(struct bss *bss, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                int64_t now);

/** Blocks a cell (BVC-BLOCK, cause O&M intervention) until bss_unblock(); a reset does not unblock it. */
void bss_block(struct bss *bss, uint16_t bvci, int64_t now);
void bss_unblock(struct bss *bss, uint16_t bvci, int64_t now);

/** Is the cell in service: reset and unblocked, both acknowledged? */
bool bss_is_up(const struct bss *bss, uint16_t bvci);

/** Counters since bss_new(). */
const struct bss_stats *bss_stats_get(const struct bss *bss);

/** A cell's radio, to query queues, greatest backlog, discards by reason, use of the air. NULL: it has no
   radio. */
const struct radio *bss_radio_get(const struct bss *bss, uint16_t bvci);

/** Sets a mobile's precedence on a cell's radio; see radio_level(). */
void bss_level(struct bss *bss, uint16_t bvci, uint32_t tlli, unsigned level);

/** Sets a mobile's mean C/I on a cell's radio; see radio_ci(). */
void bss_ci(struct bss *bss, uint16_t bvci, uint32_t tlli, int32_t mean_mdb);

/** Octets of LLC-PDUs in the cell's radio for a mobile, on the air included; 0 without a radio. */
uint64_t bss_queue_octets(const struct bss *bss, uint16_t bvci, uint32_t tlli);

#endif
