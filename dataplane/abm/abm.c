/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/abm/abm.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * One side of an LLC link in acknowledged mode: I and S frames (TS 44.064 clauses 8.6 and 8.8). SABM, UA,
 * DISC and DM are elsewhere; so are clock, memory of frames, FCS, ciphering and the octets.
 *
 * Frames are counted from 0 at (re-)establishment, in 32 bits:
 *
 *     N(S) = count mod 512,  OC = count - N(S) (annex A.2.1)
 *
 *     confirmed <= V(A) <= V(S) <= confirmed + slots,  V(S) - V(A) <= k of the direction
 *     delivered <= V(R) <= delivered + slots
 *
 * Decisions where the clauses leave a choice:
 *   - A = 1 is set on a frame if nothing follows it, if it fills k, half of k or m, and if T201 ran out for
 * it. An I frame that answers A = 1 answers with its own S bits if these say all that is known, else an S
 * frame does.
 *   - T201 runs for one frame, the first that went with A = 1 since it last stopped, and if there was none
 * for the first without; when that frame is acknowledged, it starts for the oldest with A = 1 that is not.
 *   - A frame that is not acknowledged is repeated at once when one that was transmitted after it is. Each
 *     repetition of a frame counts for N200, whatever its cause.
 *   - While the peer is busy (RNR) no I frame is sent. Each T201 one S frame with A = 1 is, at most N200
 * times. When it ends, the oldest frame that is not acknowledged is sent again with A = 1.
 *   - Frames that a bitmap acknowledges count for k and for m until V(A) passes them.
 *   - A report whose N(R) is up to 256 frames older than V(A) was overtaken: it is ignored, its I frame is
 * not.
 *   - Any other N(R) that is not in V(A)..V(S), and an ACK or a SACK that names a frame not yet sent, is W4
 * of an FRMR.
 *   - A gap alone sends no report: A = 1 asks for it.
 *   - An I frame without information is numbered and acknowledged, and delivers nothing.
 *
 * The peer must not be sent frames of an earlier establishment: the way of frames keeps the order around
 * SABM.
 */

enum { HALVED_K = 8 }; /* frames of a window from which on half of it asks */

/* Frames and T201 of a link: for the files of this folder alone. */

/* Flags of struct abm_sent. */
enum {
    ABM_ACKED = 1,
    ABM_POLLED = 2,  /* its last transmission had A = 1 */
    ABM_WAITING = 4, /* to be repeated */
    ABM_POLL = 8,    /* with A = 1 */
};

static inline uint16_t abm_number(uint32_t count)
{
    return count % LLC_NU_MODULUS;
}

static inline struct abm_sent *abm_sent_at(const struct abm *a, uint32_t count)
{
    return &a->sent[count & a->send_mask];
}

static inline void **abm_stored_at(const struct abm *a, uint32_t count)
{
    return &a->stored[count & a->receive_mask];
}

static inline bool abm_is_acked(const struct abm *a, uint32_t count)
{
    return (abm_sent_at(a, count)->flags & ABM_ACKED) != 0;
}

/* T201 starts for a frame; of a link without one, for a poll. */
static inline void abm_timer_start(struct abm *a, uint32_t count)
{
    a->is_timed = true;
    a->timed = count;
    a->timer = ABM_TIMER_START;
}

static inline void abm_timer_stop(struct abm *a)
{
    a->is_timed = false;
    a->timer = ABM_TIMER_STOP;
}

/* Marks a frame to be repeated, once. */
static inline void abm_wait(struct abm *a, struct abm_sent *sent, unsigned flags)
{
    if (!(sent->flags & ABM_WAITING))
        a->waiting++;
    sent->flags |= (uint8_t)(ABM_WAITING | flags);
}

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

/* The oldest frame that is not acknowledged, with all of these flags; V(S): none. */
static uint32_t abm_oldest(const struct abm *a, unsigned flags)
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

/* The answer to a question at half the window comes before it is full. */
static bool is_half(const struct abm *a)
{
    return a->params.k_send >= HALVED_K && a->vs - a->va == a->params.k_send / 2U;
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
    *abm_sent_at(a, count) = (struct abm_sent){.frame = in->frame, .octets = in->octets, .tag = in->tag};
    a->octets_out += in->octets;
    bool has_a = in->is_last || is_full(a, a->params.n201_i_octets) || is_half(a);
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
    *out =
        (struct abm_repeat){.frame = sent->frame, .count = count, .octets = sent->octets, .tag = sent->tag};
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

void abm_ask(struct abm *a)
{
    a->has_poll |= a->va != a->vs;
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

/* --- the report: N(R), S bits, bitmap --- */

/* How many frames behind N(R) a report names, the last named one included. */
static uint32_t named_by(const struct llc_abm *in)
{
    if (in->supervisory == LLC_ACK)
        return 1;
    if (in->supervisory != LLC_SACK)
        return 0;
    for (uint32_t n = 8U * in->bitmap_octets; n > 0; n--)
        if (in->bitmap[(n - 1) / 8] & 0x80U >> (n - 1) % 8)
            return n;
    return 0;
}

static bool is_named(const struct llc_abm *in, uint32_t n)
{
    return in->supervisory == LLC_ACK || (in->bitmap[(n - 1) / 8] & 0x80U >> (n - 1) % 8) != 0;
}

/* Whether it was not acknowledged before. */
static bool acknowledge(struct abm *a, uint32_t count)
{
    struct abm_sent *sent = abm_sent_at(a, count);
    if (sent->flags & ABM_ACKED)
        return false;
    if (sent->flags & ABM_WAITING)
        a->waiting--;
    if ((int16_t)(sent->order + 1 - a->newest) > 0)
        a->newest = sent->order + 1;
    sent->flags = ABM_ACKED;
    return true;
}

/* Frames in front of the newest acknowledged transmission were lost, unless it overtook them. */
static void find_lost(struct abm *a)
{
    for (uint32_t count = a->va; count != a->vs; count++) {
        struct abm_sent *sent = abm_sent_at(a, count);
        if (!(sent->flags & (ABM_ACKED | ABM_WAITING)) && (int16_t)(a->newest - sent->order) > 0)
            abm_wait(a, sent, 0);
    }
}

/* T201 stays for its frame, or starts for the next one. If all are acknowledged and V(A) has not passed them,
 * the peer contradicts itself and is polled. */
static void move_timer(struct abm *a)
{
    if (!a->is_timed || a->is_peer_busy)
        return;
    if (a->timed - a->va < a->vs - a->va && !abm_is_acked(a, a->timed))
        return;
    uint32_t next = abm_oldest(a, ABM_POLLED);
    if (next == a->vs)
        next = abm_oldest(a, 0);
    if (a->va == a->vs)
        abm_timer_stop(a);
    else
        abm_timer_start(a, next);
}

static void note_busy(struct abm *a, bool is_busy)
{
    bool was_busy = a->is_peer_busy;
    a->polls = 0;
    a->is_peer_busy = is_busy;
    a->has_poll &= is_busy;
    if (is_busy && !was_busy)
        abm_timer_start(a, a->va);
    uint32_t oldest = abm_oldest(a, 0);
    if (!is_busy && was_busy && oldest != a->vs)
        abm_wait(a, abm_sent_at(a, oldest), ABM_POLL);
}

static void apply(struct abm *a, const struct llc_abm *in, uint32_t nr)
{
    bool is_new = false;
    for (; a->va != nr; a->va++) {
        is_new |= acknowledge(a, a->va);
        a->octets_out -= abm_sent_at(a, a->va)->octets;
    }
    for (uint32_t n = named_by(in); n > 0; n--)
        if (is_named(in, n))
            is_new |= acknowledge(a, nr + n);
    if (is_new)
        find_lost(a);
    note_busy(a, in->supervisory == LLC_RNR);
    move_timer(a);
}

/* Whether the report is possible. */
static bool take_report(struct abm *a, const struct llc_abm *in, struct abm_taken *taken)
{
    uint32_t ahead = (in->nr - a->va) % LLC_NU_MODULUS, out = a->vs - a->va, named = named_by(in);
    if (ahead > out) {
        taken->is_late = LLC_NU_MODULUS - ahead <= LLC_NU_MODULUS / 2;
        return taken->is_late;
    }
    if (named > 0 && ahead + named >= out)
        return false;
    apply(a, in, a->va + ahead);
    return true;
}

/* --- the information --- */

uint32_t abm_count(const struct abm *a, uint16_t ns)
{
    uint32_t ahead = (ns - a->vr) % LLC_NU_MODULUS;
    return a->vr + ahead - (ahead < a->params.k_receive ? 0 : LLC_NU_MODULUS);
}

bool abm_is_new(const struct abm *a, uint16_t ns)
{
    uint32_t count = abm_count(a, ns);
    bool has_room = !a->is_busy && count - a->delivered <= a->receive_mask;
    return !a->failure && count - a->vr < a->params.k_receive && has_room && !*abm_stored_at(a, count);
}

static void abm_advance(struct abm *a)
{
    while ((int32_t)(a->stored_end - a->vr) > 0 && *abm_stored_at(a, a->vr))
        a->vr++;
}

/* A slot that holds the link itself stands for a frame without information. */
static enum abm_fate store(struct abm *a, uint32_t count, void *frame)
{
    void **slot = abm_stored_at(a, count);
    bool is_next = count == a->vr;
    if (*slot)
        return ABM_FATE_DUPLICATE;
    if (a->is_busy || count - a->delivered > a->receive_mask)
        return ABM_FATE_BUSY;
    *slot = frame ? frame : a;
    if ((int32_t)(count + 1 - a->stored_end) > 0)
        a->stored_end = count + 1;
    abm_advance(a);
    if (!frame)
        return ABM_FATE_EMPTY;
    return is_next ? ABM_FATE_NEXT : ABM_FATE_STORED;
}

static void take_information(struct abm *a, uint16_t ns, void *frame, struct abm_taken *taken)
{
    uint32_t count = abm_count(a, ns);
    if (count - a->vr >= a->params.k_receive)
        taken->fate = ABM_FATE_DUPLICATE;
    else
        taken->fate = store(a, count, frame);
    taken->is_kept = taken->fate == ABM_FATE_NEXT || taken->fate == ABM_FATE_STORED;
}

struct abm_taken abm_receive(struct abm *a, const struct llc_abm *in, void *frame, uint32_t octets)
{
    struct abm_taken taken = {.fate = ABM_FATE_REFUSED};
    if (a->failure)
        return taken;
    if (in->is_i && octets > a->params.n201_i_octets)
        taken.why = LLC_FRMR_W3_TOO_LONG;
    else if (!take_report(a, in, &taken))
        taken.why = LLC_FRMR_W4_SEQUENCE;
    if (taken.why) {
        a->failure = ABM_FAILED_FRMR;
        return taken;
    }
    a->owes_report |= in->a;
    taken.fate = ABM_FATE_S;
    if (in->is_i)
        take_information(a, in->ns, octets ? frame : NULL, &taken);
    return taken;
}

void *abm_deliver_take(struct abm *a)
{
    while (a->delivered != a->vr) {
        void **slot = abm_stored_at(a, a->delivered++), *frame = *slot;
        *slot = NULL;
        if (frame != a)
            return frame;
    }
    return NULL;
}

void abm_set_busy(struct abm *a, bool is_busy)
{
    a->owes_report |= a->is_busy != is_busy;
    a->is_busy = is_busy;
}
