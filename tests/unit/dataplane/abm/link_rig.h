/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link's side in steps: what is done, and what it does.
 *
 *     put NSAPI OCTETS    an N-PDU for the link's queue; N-PDUs count from 0 in the order of their steps
 *     send NSAPI OCTETS   an N-PDU of the caller's, as much of it as may go
 *     more                the rest of it
 *     back                what `empty` gave back is put again
 *     t                   the timer runs out, if one does
 *     go                  all frames that the link has to send
 *     bound KEY=N ...     link_bound()
 *     kind KEY=N ...      other proposals
 *     establish, release, pause, lost, ask, forget 5, empty
 *
 *     u WORD KEY=N ...          a U frame arrives: SABM, UA, DISC, DM, FRMR; "0" behind it: P/F = 0,
 *                               "-": C/R of the other kind
 *     i NS NR NSAPI NUMBER FM   an I frame, with F and M: 10 whole, 11 first, 01, 00 last segment
 *     b OCTETS                  an I frame with N(S) = 0 and so many octets
 *     r NR, n NR                RR, RNR
 *     w WHY HEX                 a malformed frame
 *
 *     SABM, UA, DISC, DM        U frames out; with the row's `shows` all values; UA-: without values
 *     DM0                       F = 0
 *     FRMRw:VS,VR,CONTROL       r behind w: about a response
 *     I3:5#7!                   I frame: N(S) = 3, NSAPI 5, N-PDU number 7, A = 1; without #: not the
 *                               first segment; >: more follow; R in front: a repetition
 *     RR4, C:RR4!               S frames
 *     open, fail, abandon0, drop             callbacks
 *     d5#7=0                    a segment's fate, enum sn_fate
 *     adm, setup, abm, release  the state, if it is another; done
 *     -                         nothing may be sent
 */
#ifndef TESTS_UNIT_DATAPLANE_ABM_LINK_RIG_H
#define TESTS_UNIT_DATAPLANE_ABM_LINK_RIG_H

#include "dataplane/abm/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 128, SAID = 4096, STEPS = 20, N_PDUS = 300 };

struct rig {
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[SLOTS];
    void *stored[SLOTS];
    struct n_pdu n_pdus[N_PDUS];
    int refs[N_PDUS];
    unsigned made;
    struct n_pdu *mine; /* that `send` sends */
    struct n_pdu_list back;
    int64_t now;
    uint32_t iovs;
    int frames; /* received ones that the link has */
    uint8_t state;
    bool shows;
    char said[SAID];
};

struct row {
    const char *name;
    bool is_mobile, shows;
    struct link_values values; /* n200 = 0: N201-I 500, k 4, N200 3 */
    struct {
        const char *what, *says;
    } steps[STEPS];
};

/* A link of the row's side in ADM. */
void rig_begin(struct rig *rig, const struct row *row);

/* Does a step; what is said is behind what `said` has. */
void rig_step(struct rig *rig, const char *what);

/* The link has no reference any more. */
void rig_end(struct rig *rig, const char *name);

/* Steps of rows, and what they say. */
void rig_walk(const struct row *table, size_t count);

#endif
