/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phones that have gone a short time ago, by TLLI: the numbers with which their LLC continues. One that was
 * refused keeps its LLC (TS 44.064 clause 8.4: N(U) is of a TLLI and SAPI), asks again with its next N(U),
 * and is answered with the next one of before. Without these numbers it is told to reset, which costs a frame
 * each way; it then begins with a V(U) that differs each time, since a Reset may be lost: what the phone
 * takes for old after one change of SGSN is new after the next.
 *
 * Model: a place for each hash of a TLLI, which the latest one takes. A phone enters when its end is ordered;
 * its worker's answer has the numbers, which hold for GONE_KEPT_NS, two T3310 (TS 24.008 table 11.3).
 */
#ifndef CONTROL_SESSIONS_GONE_H
#define CONTROL_SESSIONS_GONE_H

#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define GONE_PHONES  1024 /* places in 30 s: 34 refusals a second; one displaced costs a Reset */
#define GONE_KEPT_NS INT64_C(30000000000)

struct gone_phone {
    int64_t ends_at_ns;
    struct msg_gone llc; /* without numbers until the worker has answered */
    bool is_there, has_numbers;
};

/* All zero: none. */
struct gone {
    struct gone_phone phones[GONE_PHONES];
    uint32_t starts;    /* any number at first: the last start is made of it */
    uint64_t resumed;   /* phones that kept their numbers */
    uint64_t displaced; /* phones that lost their place to another one's before their time was over */
};

/* The end of a phone with this TLLI is ordered, whose LLC has no other state than its numbers. */
void gone_add(struct gone *g, uint32_t tlli, int64_t now);

/* The worker's answer to that order. */
void gone_note(struct gone *g, const struct msg_gone *llc);

/* A phone's first UI frame. */
struct gone_frame {
    uint32_t tlli;
    uint8_t sapi; /* 1 or 7 */
    uint16_t nu;
};

/* Whether the phone of a frame continues where it was: then `down` is the V(U) of each SAPI. It loses its
 * place. */
bool gone_resume(struct gone *g, const struct gone_frame *frame, uint16_t down[MS_SAPIS], int64_t now);

/* V(U) of a phone that is told to reset: neither is it old to one that has reset, nor is 0, which another
 * SGSN may begin with, old to the phone afterwards. */
uint16_t gone_start(struct gone *g);

#endif
