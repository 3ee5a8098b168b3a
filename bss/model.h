/* SPDX-License-Identifier: BSD-3-Clause */
/* A state machine as a table, with one timer. state x event -> action, next state; an event without a row is
 * counted. */
#ifndef BSS_MODEL_H
#define BSS_MODEL_H

#include "bss/bss.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <stdbool.h>
#include <stdint.h>

struct bss;

/* Events of the machine's own timer; its other events follow. */
enum { BSS_FSM_TIMEOUT, BSS_FSM_GAVE_UP };

enum { BSS_FSM_ENDLESS = -1 };

typedef void bss_fsm_action(struct bss *bss, void *self, int64_t now);

/* The next state is entered before the action runs: an action may raise another event. */
struct bss_fsm_row {
    bss_fsm_action *action;
    uint8_t next;
};

struct bss_fsm {
    const struct bss_fsm_row *rows; /* [state * events + event] */
    void *self;
    uint8_t events, state;
    int retries;    /* timeouts left before giving up, or BSS_FSM_ENDLESS */
    int64_t due_ns; /* INT64_MAX: not running */
};

/** Sets a machine to state 0 with its timer stopped. */
void bss_fsm_init(struct bss_fsm *fsm, const struct bss_fsm_row *rows, uint8_t events, void *self);

/** Handles an event; counts it in bss_stats.unexpected when the state has no row for it. */
void bss_fsm_event(struct bss *bss, struct bss_fsm *fsm, unsigned event, int64_t now);

/** Starts the timer: `retries` timeouts, then one give-up. */
void bss_fsm_start(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns, int retries);

/** Restarts the timer and keeps the retries left. */
void bss_fsm_again(struct bss *bss, struct bss_fsm *fsm, int64_t due_ns);

/** Stops the timer. */
void bss_fsm_stop(struct bss_fsm *fsm);

/** Raises the timer's event if it is due. Returns whether it was. */
bool bss_fsm_expire(struct bss *bss, struct bss_fsm *fsm, int64_t now);

/* State of a BSS, for the files of this folder alone. */

enum { BSS_MAX_PDU_OCTETS = 4096, BSS_MAX_PDU_IN_ERROR_OCTETS = 64 };

struct bss_nsvc {
    uint16_t nsvci;
    unsigned index;
    bool is_usable;
    struct bss_fsm fsm, alive;
};

struct bss_mobile {
    struct bss_cell *cell;
    struct bss_ms_announcement announcement;
    uint8_t tag; /* of the last PDU sent */
    struct bss_fsm fsm;
};

/* A mobile reported in LLC-DISCARDED within BSS_DISCARDED_EVERY_NS, and its discarded LLC-PDUs since. */
struct bss_discarded {
    uint32_t tlli;
    unsigned frames;
    uint32_t octets;
    int64_t due_ns; /* when the next report may leave */
};

/* The calls of a cell and the PDCHs that they leave. */
struct bss_calls {
    bool is_there;
    unsigned pdchs, left_pdchs; /* all, and those that calls leave */
    struct calls calls;
    int64_t flush_ns;     /* of the configuration */
    int64_t flush_due_ns; /* MOMENT_NEVER: no flush planned */
    int64_t since_ns;     /* calls hold all PDCHs since then; MOMENT_NEVER: some are left */
    struct bss_calls_stats stats;
};

/* Counters of a cell's radio at the last announcement that measured a rate. */
struct bss_measured {
    uint64_t blocks, bad_blocks;
    int64_t since_ns;
};

struct bss_cell {
    struct bss *bss;
    struct bss_cell_config config; /* ms: unused, see mobiles; radio: likewise */
    uint8_t cell_id[AREA_CELL];
    bool is_held; /* blocked by bss_block() */
    uint8_t tag, pfc_tag;
    struct bss_fsm fsm, announce;
    struct bss_mobile *mobiles;
    int64_t mobiles_due_ns;             /* of their first timer; INT64_MIN: not known */
    struct radio *radio;                /* NULL: none */
    uint64_t told_frames, told_wait_ns; /* begun_* at the last BVC Measurement */
    struct bss_discarded *discarded;
    unsigned discarded_count, discarded_room;
    struct bss_calls calls;
    bool is_full; /* rate 0 is announced: stop_octets was reached, go_octets not yet */
    struct bss_measured measured;
};

struct bss {
    uint16_t nsei;
    bool is_started, has_acted; /* has_acted: sent or delivered something in this step */
    bool has_cbl;               /* both sides have the Current Bucket Level feature */
    bool has_pfc_fc;            /* both sides have flow control of packet flows */
    int64_t start_ns;
    int64_t due_ns; /* no timer is due earlier */
    struct bss_ops ops;
    struct bss_timers timers;
    struct bss_stats stats;
    struct bss_fsm signalling; /* BVCI 0 */
    struct bss_nsvc *nsvcs;
    struct bss_cell *cells;
    unsigned nsvc_count, cell_count;
    uint8_t tx[BSS_MAX_PDU_OCTETS];
};

/* bss.c; NULL: no cell has this BVCI */
struct bss_cell *bss_cell_get(const struct bss *bss, uint16_t bvci);

/* bss.c */
void bss_ns_send(struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns);
void bss_bssgp_send(struct bss *bss, uint16_t bvci, const struct bssgp *pdu);
/* bvci < 0: STATUS without BVCI. */
void bss_bssgp_status(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *in_error);

/* nsvc.c */
void bss_nsvc_init(struct bss *bss, struct bss_nsvc *vc);
bool bss_nsvc_expire(struct bss *bss, struct bss_nsvc *vc, int64_t now);
/* Handles the NS signalling of one NS-VC; NS-UNITDATA of an NS-VC that is up goes to bss_bssgp_rx(). */
void bss_nsvc_rx(struct bss *bss, struct bss_nsvc *vc, const struct ns *ns, int64_t now);

/* bvc.c */
void bss_bvc_init(struct bss *bss, struct bss_cell *cell);
void bss_bvc_signalling_init(struct bss *bss);
void bss_bvc_gb_up(struct bss *bss, int64_t now);
void bss_bvc_gb_down(struct bss *bss, int64_t now);
bool bss_bvc_is_up(const struct bss_cell *cell);
void bss_bvc_hold(struct bss *bss, struct bss_cell *cell, bool hold, int64_t now);
void bss_bvc_signal(struct bss *bss, const struct bssgp *pdu, int64_t now);

/* bss.c */
void bss_bssgp_rx(struct bss *bss, uint16_t bvci, const struct ie_span *sdu, int64_t now);

/* nsvc.c */
void bss_announce_init(struct bss *bss, struct bss_cell *cell);
void bss_announce_start(struct bss *bss, struct bss_cell *cell, int64_t now);
void bss_announce_stop(struct bss *bss, struct bss_cell *cell, int64_t now);
void bss_announce_ack(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu, int64_t now);
bool bss_announce_expire(struct bss *bss, struct bss_cell *cell, int64_t now);
/* The deadline of its radio may have become earlier. */
void bss_air_wake(struct bss_cell *cell);
/* Queues an LLC-PDU towards a mobile. */
void bss_air_put(struct bss_cell *cell, const struct radio_frame *frame, uint16_t lifetime_cs, int64_t now);

/* bss_ms.c: paging, suspension; false: about neither, or the BSS has no bss_ops.ms */
bool bss_ms_rx(const struct bss *bss, const struct bssgp *pdu);

/* bvc.c: packet flows. rx: of a cell that is up; false: not about packet flows */
uint32_t bss_pfc_features(const struct bss *bss);
void bss_pfc_agree(struct bss *bss, const struct bssgp *pdu);
bool bss_pfc_rx(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu);

/* measured.c: Current Bucket Level and BVC Measurement */
void bss_level_offer(const struct bss *bss, struct bssgp *reset);
/* Reads the features in the peer's BVC-RESET of BVCI 0, or in its acknowledgement. */
void bss_level_agree(struct bss *bss, const struct bssgp *pdu);
void bss_level_cell(struct bss_cell *cell, struct bssgp *pdu);
void bss_level_mobile(const struct bss_cell *cell, struct bssgp *pdu);

/* bss_ms.c: circuit-switched calls; these do nothing in a cell without calls */
bool bss_calls_init(struct bss_cell *cell, const struct bss_cell_config *config);
int64_t bss_calls_due_ns(const struct bss_cell *cell);
void bss_calls_expire(struct bss_cell *cell, int64_t now);

/* measured.c: the bucket to announce unless the thresholds stop the cell; `whole`: with all PDCHs */
struct bss_bucket bss_measured_bucket(struct bss_cell *cell, const struct bss_bucket *whole, int64_t now);

/* measured.c: call it when the queue of a cell with a radio may have changed */
void bss_threshold_look(struct bss_cell *cell, int64_t now);

/* bvc.c: FLUSH-LL */
enum { BSS_FLUSH_DELETED = 0, BSS_FLUSH_TRANSFERRED = 1 };
void bss_flush_rx(struct bss *bss, const struct bssgp *pdu, const struct ie_span *sdu, int64_t now);

/* measured.c: LLC-DISCARDED */
void bss_discarded_put(struct bss_cell *cell, const struct radio_frame *frame, int64_t now);
void bss_discarded_fini(struct bss_cell *cell);
int64_t bss_discarded_due_ns(const struct bss_cell *cell);
void bss_discarded_expire(struct bss_cell *cell, int64_t now);

#endif
