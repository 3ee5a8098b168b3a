/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/abm/abm_parts.h"

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
    if ((int32_t)(sent->order + 1 - a->newest) > 0)
        a->newest = sent->order + 1;
    sent->flags = ABM_ACKED;
    return true;
}

/* Frames in front of the newest acknowledged transmission were lost, unless it overtook them. */
static void find_lost(struct abm *a)
{
    for (uint32_t count = a->va; count != a->vs; count++) {
        struct abm_sent *sent = abm_sent_at(a, count);
        if (!(sent->flags & (ABM_ACKED | ABM_WAITING)) && (int32_t)(a->newest - sent->order) > 0)
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

static void advance(struct abm *a)
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
    advance(a);
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
