/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/gone.h"

#include <assert.h>
#include <string.h>

#define HASH_FACTOR 0x9e3779b1u /* golden ratio */
#define HASH_SHIFT  22          /* to 10 bits */
#define FIRST_START 64          /* two windows of the receiver from 0 */
#define START_SPAN  320         /* so that 0 does not become old in an attach */
#define START_STEP  119         /* two starts in a row, and with one between, are windows apart */

static_assert(GONE_PHONES == 1 << (32 - HASH_SHIFT), "a place for each hash");
static_assert(FIRST_START >= 2 * LLC_ENTITY_WINDOW && START_STEP > 2 * LLC_ENTITY_WINDOW, "windows apart");

static struct gone_phone *place_of(struct gone *g, uint32_t tlli)
{
    return &g->phones[tlli * HASH_FACTOR >> HASH_SHIFT];
}

static struct gone_phone *find(struct gone *g, uint32_t tlli)
{
    struct gone_phone *phone = place_of(g, tlli);
    return phone->is_there && phone->llc.tlli == tlli ? phone : NULL;
}

void gone_add(struct gone *g, uint32_t tlli, int64_t now)
{
    struct gone_phone *phone = place_of(g, tlli);
    g->displaced += phone->is_there && phone->llc.tlli != tlli && phone->ends_at_ns > now;
    *phone = (struct gone_phone){.ends_at_ns = now + GONE_KEPT_NS, .llc.tlli = tlli, .is_there = true};
}

void gone_note(struct gone *g, const struct msg_gone *llc)
{
    struct gone_phone *phone = find(g, llc->tlli);
    if (!phone || phone->has_numbers)
        return;
    phone->llc = *llc;
    phone->has_numbers = llc->is_kept;
}

/* A phone whose LLC has begun again, or that is another one, does not send the number that is next. */
static bool is_next(const struct gone_phone *phone, const struct gone_frame *frame)
{
    unsigned expected = phone->llc.numbers.up[ms_sapi_index(frame->sapi)];
    return (frame->nu - expected) % LLC_ENTITY_NU_MODULUS < LLC_ENTITY_ASTRAY;
}

bool gone_resume(struct gone *g, const struct gone_frame *frame, uint16_t down[MS_SAPIS], int64_t now)
{
    struct gone_phone *phone = find(g, frame->tlli);
    if (!phone)
        return false;
    phone->is_there = false;
    if (!phone->has_numbers || phone->ends_at_ns <= now || !is_next(phone, frame))
        return false;
    memcpy(down, phone->llc.numbers.down, sizeof(phone->llc.numbers.down));
    g->resumed++;
    return true;
}

uint16_t gone_start(struct gone *g)
{
    g->starts = (g->starts % START_SPAN + START_STEP) % START_SPAN;
    return (uint16_t)(FIRST_START + g->starts);
}
