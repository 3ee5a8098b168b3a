/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/abm/abm_parts.h"

#include "dataplane/base/err.h"

#include <assert.h>
#include <string.h>

unsigned abm_slots(unsigned k)
{
    unsigned slots = 1;
    while (slots < k)
        slots *= 2;
    return slots;
}

/* A link whose m is below N201-I could wait for ever with a frame that is too long for m. */
static bool are_right(const struct abm_params *params)
{
    return params->k_send > 0 && params->k_receive > 0 &&
           params->i_bitmap_octets <= LLC_ABM_BITMAP_MAX_OCTETS && llc_is_sapi_known(params->sapi) &&
           (params->send_octets == 0 || params->send_octets >= params->n201_i_octets);
}

int abm_init(struct abm *a, const struct abm_params *params, struct abm_sent *sent, void **stored)
{
    if (!are_right(params))
        return ERR_RANGE;
    unsigned receive_slots = abm_slots(params->k_receive);
    *a = (struct abm){.sent = sent, .stored = stored, .params = *params};
    a->send_mask = (uint16_t)(abm_slots(params->k_send) - 1);
    a->receive_mask = (uint16_t)(receive_slots - 1);
    memset(stored, 0, receive_slots * sizeof *stored);
    return 0;
}

uint32_t abm_oldest(const struct abm *a, unsigned flags)
{
    uint32_t count = a->va;
    while (count != a->vs && ((abm_sent_at(a, count)->flags & (ABM_ACKED | flags)) != flags))
        count++;
    return count;
}

/* --- S bits --- */

/* The bitmap of what is stored behind V(R), which itself is missing. */
static void fill_bitmap(const struct abm *a, struct llc_abm *out)
{
    uint32_t followers = a->stored_end - a->vr - 1;
    out->bitmap_octets = (uint8_t)((followers + 7) / 8);
    for (uint32_t n = 1; n <= followers; n++)
        if (*abm_stored_at(a, a->vr + n))
            out->bitmap[(n - 1) / 8] |= (uint8_t)(0x80U >> (n - 1) % 8);
}

static uint32_t followers_of(const struct abm *a)
{
    return (int32_t)(a->stored_end - a->vr) > 0 ? a->stored_end - a->vr - 1 : 0;
}

/* Fills N(R) and the S bits. False: they do not say all that is known. */
static bool fill_report(const struct abm *a, unsigned bitmap_octets, struct llc_abm *out)
{
    uint32_t followers = followers_of(a);
    out->nr = abm_number(a->vr);
    out->sapi = a->params.sapi;
    if (a->is_busy) {
        out->supervisory = LLC_RNR;
        return true;
    }
    if (followers <= 1) {
        out->supervisory = followers == 0 ? LLC_RR : LLC_ACK;
        return true;
    }
    if (followers > 8 * bitmap_octets)
        return false;
    out->supervisory = LLC_SACK;
    fill_bitmap(a, out);
    return true;
}

/* I frames are commands. */
static void fill_i(struct abm *a, uint32_t count, bool has_a, struct llc_abm *out)
{
    *out = (struct llc_abm){.is_i = true, .ns = abm_number(count), .a = has_a, .cr = a->params.is_network};
    if (fill_report(a, a->params.i_bitmap_octets, out))
        a->owes_report = false;
}

bool abm_report_take(struct abm *a, struct llc_abm *out)
{
    if (a->failure || (!a->owes_report && !a->has_poll))
        return false;
    /* With A = 1 a command, else the response to one. */
    *out = (struct llc_abm){.a = a->has_poll, .cr = a->has_poll == a->params.is_network};
    fill_report(a, LLC_ABM_BITMAP_MAX_OCTETS, out);
    a->owes_report = a->has_poll = false;
    return true;
}

/* --- I frames --- */

static bool is_full(const struct abm *a, uint32_t octets)
{
    uint32_t limit = a->params.send_octets;
    return a->vs - a->va >= a->params.k_send || (limit > 0 && a->octets_out + octets > limit);
}

bool abm_can_send(const struct abm *a, uint32_t octets)
{
    return !a->failure && !a->is_peer_busy && octets <= a->params.n201_i_octets &&
           a->vs - a->confirmed <= a->send_mask && !is_full(a, octets);
}

static void transmit(struct abm *a, uint32_t count, bool has_a)
{
    struct abm_sent *sent = abm_sent_at(a, count);
    sent->order = a->order++;
    sent->flags = has_a ? ABM_POLLED : 0;
    if (!a->is_timed || a->timed == count || (has_a && !(abm_sent_at(a, a->timed)->flags & ABM_POLLED)))
        abm_timer_start(a, count);
}

uint32_t abm_send(struct abm *a, const struct abm_frame *in, struct llc_abm *header)
{
    assert(in->frame && abm_can_send(a, in->octets));
    uint32_t count = a->vs++;
    *abm_sent_at(a, count) = (struct abm_sent){.frame = in->frame, .octets = in->octets};
    a->octets_out += in->octets;
    bool has_a = in->is_last || is_full(a, a->params.n201_i_octets);
    transmit(a, count, has_a);
    fill_i(a, count, has_a, header);
    return count;
}

unsigned abm_repeat_octets(const struct abm *a)
{
    if (a->waiting == 0 || a->failure || a->is_peer_busy)
        return 0;
    return abm_sent_at(a, abm_oldest(a, ABM_WAITING))->octets;
}

bool abm_repeat_take(struct abm *a, bool is_last, struct abm_repeat *out)
{
    if (a->waiting == 0 || a->failure || a->is_peer_busy)
        return false;
    uint32_t count = abm_oldest(a, ABM_WAITING);
    struct abm_sent *sent = abm_sent_at(a, count);
    if (sent->repeats >= a->params.n200) {
        a->failure = ABM_FAILED_N200;
        return false;
    }
    a->waiting--;
    sent->repeats++;
    bool has_a =
        (sent->flags & ABM_POLL) || (a->waiting == 0 && (is_last || is_full(a, a->params.n201_i_octets)));
    *out = (struct abm_repeat){.frame = sent->frame, .count = count, .octets = sent->octets};
    transmit(a, count, has_a);
    fill_i(a, count, has_a, &out->header);
    return true;
}

void *abm_confirm_take(struct abm *a)
{
    return a->confirmed == a->va ? NULL : abm_sent_at(a, a->confirmed++)->frame;
}

/* --- time and change --- */

enum abm_timer abm_timer_take(struct abm *a)
{
    enum abm_timer timer = a->timer;
    a->timer = ABM_TIMER_AS_IT_IS;
    return timer;
}

static void poll(struct abm *a)
{
    if (a->polls >= a->params.n200) {
        a->failure = ABM_FAILED_N200;
        return;
    }
    a->polls++;
    a->has_poll = true;
    abm_timer_start(a, a->va);
}

/* Frames that wait to be repeated have not been sent since, so that their time does not count. */
void abm_t201(struct abm *a)
{
    if (!a->is_timed || a->failure)
        return;
    uint32_t oldest = abm_oldest(a, 0);
    if (a->is_peer_busy || oldest == a->vs) {
        poll(a);
        return;
    }
    if (a->waiting == 0)
        abm_wait(a, abm_sent_at(a, oldest), ABM_POLL);
    abm_timer_start(a, oldest);
}

void abm_repeat_all(struct abm *a)
{
    for (uint32_t count = a->va; count != a->vs; count++) {
        struct abm_sent *sent = abm_sent_at(a, count);
        if (sent->flags & ABM_ACKED)
            continue;
        sent->repeats = 0;
        abm_wait(a, sent, 0);
    }
}

void *abm_drop_take(struct abm *a)
{
    a->failure = a->failure ? a->failure : ABM_ENDED;
    a->va = a->vs;
    if (a->confirmed != a->vs)
        return abm_sent_at(a, a->confirmed++)->frame;
    for (; (int32_t)(a->stored_end - a->delivered) > 0; a->delivered++) {
        void **slot = abm_stored_at(a, a->delivered), *frame = *slot;
        *slot = NULL;
        if (frame && frame != a) {
            a->delivered++;
            return frame;
        }
    }
    return NULL;
}
