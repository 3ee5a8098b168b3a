/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of a BSS: its NS-VCs, cells and mobiles, and the state of each. For the files of this folder
 * alone. */
#ifndef BSS_MODEL_H
#define BSS_MODEL_H

#include "bss/bss.h"
#include "bss/fsm.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <stdbool.h>
#include <stdint.h>

struct bss;

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

/* NULL: no cell has this BVCI. */
static inline struct bss_cell *bss_cell_get(const struct bss *bss, uint16_t bvci)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (bss->cells[i].config.bvci == bvci)
            return &bss->cells[i];
    return NULL;
}

/* State of a BVC in service (bvc.c). */
enum { BSS_BVC_UP = 4 };

static inline bool bss_cell_is_up(const struct bss_cell *cell)
{
    return cell->fsm.state == BSS_BVC_UP;
}

/* nsvc.c */
void bss_nsvc_init(struct bss *bss, struct bss_nsvc *vc);
bool bss_nsvc_expire(struct bss *bss, struct bss_nsvc *vc, int64_t now);
/* Handles the NS signalling of one NS-VC. True: NS-UNITDATA of an NS-VC that is up, for BSSGP. */
bool bss_nsvc_rx(struct bss *bss, struct bss_nsvc *vc, const struct ns *ns, int64_t now);

/* gb.c: PDUs that the BSS sends */
void bss_gb_send_ns(struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns);
/* On the first NS-VC that is up; without one the PDU is counted as `unsent`. */
void bss_gb_send(struct bss *bss, uint16_t bvci, const struct bssgp *pdu);
/* bvci < 0: STATUS without BVCI. */
void bss_gb_status(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *in_error);
/* Sends UL-UNITDATA of a cell. Returns false, counted as `unsent`: the cell is NULL or down, no NS-VC is up
   or the LLC-PDU is too long. */
bool bss_gb_unitdata(struct bss *bss, const struct bss_cell *cell, const struct radio_frame *frame);

/* bvc.c: signalling (BVCI 0), the cells, and their packet flows */
void bss_bvc_init(struct bss *bss, struct bss_cell *cell);
void bss_bvc_signalling_init(struct bss *bss);
void bss_bvc_gb_up(struct bss *bss, int64_t now);
void bss_bvc_gb_down(struct bss *bss, int64_t now);
void bss_bvc_hold(struct bss *bss, struct bss_cell *cell, bool hold, int64_t now);
void bss_bvc_signal(struct bss *bss, const struct bssgp *pdu, int64_t now);

/* A PDU about packet flows of a cell that is up; false: about something else. */
bool bss_bvc_pfc_rx(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu);

#endif
