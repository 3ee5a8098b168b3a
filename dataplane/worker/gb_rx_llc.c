/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC of frames from the BSS (TS 44.064): header, deciphering, FCS, N(U), and whether the frame shows the
 * mobile's cell.
 * Exits: DROP_LLC_MALFORMED, DROP_LLC_UNSUPPORTED, DROP_LLC_FCS, DROP_LLC_CIPHERING,
 * DROP_LLC_DECIPHER, DROP_MOVE_FCS, DROP_MOVE_UNCIPHERED, DROP_MOVE_OLD, DROP_OTHER_AREA,
 * DROP_LLC_OLD.
 */
#include "dataplane/worker/gb_rx_llc.h"
#include "dataplane/worker/gb_rx_abm.h"
#include "dataplane/worker/standby.h"

#include "dataplane/context/context_ms.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

#define GUESS_STEP  0x9e3779b1u /* golden ratio: any run of guesses is spread evenly */
#define GUESS_SHIFT 29          /* over 1 to 8 wraps */

static_assert((int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <= (int)GEA_MAX_OCTETS, "fits a job");

/* Whether a UI frame is ciphered as the mobile's ciphering requires. GMM may send some messages in clear (TS
 * 24.008 clause 4.7.1.2); its layer decides and is told whether the frame was ciphered. */
static bool is_ciphering_right(const struct gb_rx_llc *in, const struct llc_key *key)
{
    bool is_on = key->algorithm != 0;
    return in->llc.e == is_on || (is_on && in->llc.sapi == LLC_SAPI_GMM);
}

/* The job that deciphers a frame as the count-th of its entity; done twice, it restores the frame. */
static struct gea_job job_of(const struct gb_rx_llc *in, const struct llc_key *key, uint32_t count)
{
    return (struct gea_job){
        .key = key->key,
        .data = in->frame + in->llc.header_octets,
        .input = llc_cipher_input(key->iov_ui, in->llc.sapi, count),
        .octets = (uint16_t)(in->llc.info_octets + LLC_FCS_OCTETS),
        .direction = GEA_UPLINK,
    };
}

/* Adds the job of a ciphered UI frame. */
static enum drop prepare_ui(struct gb_rx_batch *batch, struct gb_rx_llc *in)
{
    int index = ms_sapi_index(in->llc.sapi);
    if (index < 0)
        return DROP_LLC_UNSUPPORTED;
    if (in->llc.info_octets > SNDCP_N201_U_MAX_OCTETS)
        return DROP_LLC_MALFORMED;
    in->entity = &in->ms->llc[index];
    uint32_t count = in->count = llc_entity_count(in->entity, in->llc.nu);
    const struct llc_key *key = llc_cipher_received(&in->ms->cipher, (unsigned)index, &count);
    if (!is_ciphering_right(in, key))
        return DROP_LLC_CIPHERING;
    in->is_unprotected = key->algorithm != 0 && !in->llc.e;
    if (in->llc.e) {
        struct gea_job job = job_of(in, key, count);
        cipher_put(&batch->cipher, &job);
    }
    return DROP_NONE;
}

static bool is_fcs_right(const struct gb_rx_llc *in)
{
    return llc_fcs_is_right(in->frame, in->llc.header_octets, in->llc.info_octets, in->llc.pm);
}

/* While 480 frames or more are lost, N(U) may wrap unseen, and TS 44.064 annex A counts only wraps that are
 * seen. So one frame of each batch with a wrong FCS is deciphered again as of 1 to 8 wraps later, spread
 * evenly over the guesses. If its FCS is then right, the frames before it were lost. A frame from elsewhere
 * gets no second guess. */
static bool is_of_later_wrap(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in)
{
    uint32_t count = in->count, wraps = 1 + ((uint32_t)w->stats.ul_oc_tries * GUESS_STEP >> GUESS_SHIFT);
    const struct llc_cipher *cipher = &in->ms->cipher;
    const struct llc_key *key = llc_cipher_received(cipher, (unsigned)(in->entity - in->ms->llc), &count);
    if (batch->has_guessed || in->is_elsewhere || key != &cipher->now)
        return false;
    batch->has_guessed = true;
    w->stats.ul_oc_tries++;
    struct gea_job back = job_of(in, key, count);
    in->count = count + wraps * LLC_NU_MODULUS;
    struct gea_job again = job_of(in, key, in->count);
    gea_cipher_burst(w->gea, &back, 1);
    gea_cipher_burst(w->gea, &again, 1);
    if (!is_fcs_right(in))
        return false;
    w->stats.ul_oc_recovered++;
    llc_entity_leap(in->entity, in->count);
    return true;
}

/* The N(U) of a UI frame. Numbers that nothing protects do not advance V(UR): one made-up frame would put the
 * overflow counter out of step. A message of GMM in clear goes to its layer in any case: a mobile whose LLC
 * has begun again asks for its routeing area with N(U) = 0. */
static enum drop judge_number(struct gb_rx_llc *in)
{
    uint32_t count = llc_entity_count(in->entity, in->llc.nu);
    in->is_restarted = in->llc.sapi == LLC_SAPI_GMM && !in->llc.e && llc_entity_is_astray(in->entity, count);
    if (in->is_restarted)
        llc_entity_leave_last(in->entity);
    if (in->is_unprotected)
        return DROP_NONE;
    if ((in->llc.e && count != in->count) || !llc_entity_accept(in->entity, count))
        return in->is_restarted ? DROP_NONE : DROP_LLC_OLD;
    in->is_newest = in->entity->vur == count + 1;
    return DROP_NONE;
}

/* Tests an LLC-PDU after deciphering, and whether its N(U) is new. Earlier frames of the batch may have
 * advanced the entity, so the count of the N(U) is computed again. */
static enum drop judge(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in)
{
    if (!is_fcs_right(in) && !(in->llc.e && is_of_later_wrap(w, batch, in)))
        return in->llc.e ? DROP_LLC_DECIPHER : DROP_LLC_FCS;
    return in->llc.format == LLC_UI ? judge_number(in) : DROP_NONE;
}

/*
 * Whether an LLC-PDU that was found right shows where the mobile is: if the mobile is ciphered, only a
 * ciphered UI or I frame does, since anyone can make an S or U frame, which is in clear. A UI frame must have
 * the highest N(U) received, an I frame an N(S) that its link waits for: an earlier one may have been
 * recorded or delayed. Without ciphering the FCS is all there is.
 */
static bool is_proof(const struct worker *w, const struct gb_rx_llc *in)
{
    bool is_on = llc_cipher_is_on(&in->ms->cipher);
    if (in->link && in->llc.format == LLC_I)
        return gb_rx_abm_is_new(w, in); /* it was deciphered if ciphering is on */
    return in->llc.format == LLC_UI ? in->is_newest && (in->llc.e || !is_on) : !is_on;
}

/* The reason to count for a frame that was dropped for `reason`: another one if it came from elsewhere. */
static enum drop reason_of(const struct gb_rx_llc *in, enum drop reason)
{
    if (!in->is_elsewhere)
        return reason;
    switch (reason) {
    case DROP_LLC_FCS:
    case DROP_LLC_DECIPHER:
        return DROP_MOVE_FCS;
    case DROP_LLC_CIPHERING:
        return DROP_MOVE_UNCIPHERED;
    case DROP_LLC_OLD:
        return DROP_MOVE_OLD;
    default:
        return reason;
    }
}

enum drop gb_rx_llc_add(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, size_t octets)
{
    in->ms = &w->context.mobiles[in->index];
    in->is_elsewhere = !context_ms_is_in(&w->context, in->index, in->from.nse, in->from.bvci);
    w->stats.ul_llc_frames++;
    if (llc_decode(&in->llc, in->frame, octets) < 0)
        return DROP_LLC_MALFORMED;
    enum drop reason =
        in->llc.format == LLC_UI ? prepare_ui(batch, in) : gb_rx_abm_prepare(w, batch, in, octets);
    batch->count += reason == DROP_NONE;
    return reason_of(in, reason);
}

/* Whether a frame comes from a routeing area that the mobile has not been accepted in (TS 23.060
 * clause 6.9.1.2). */
static bool is_other_area(const struct worker *w, const struct gb_rx_llc *in)
{
    return in->is_elsewhere && in->ms->stays_in_area &&
           memcmp(w->context.bvcs[in->ms->bvc].area, in->from.cell_id, AREA_ROUTEING) != 0;
}

/* A correct LLC-PDU shows the mobile's cell. From elsewhere without proof, only UI frames are accepted, in
 * which layer 3 may prove more. Control moves a mobile to another routeing area. */
static enum drop hear(struct worker *w, const struct gb_rx_llc *in, int64_t now)
{
    if (is_other_area(w, in))
        return gb_rx_llc_is_signalling(&in->llc) ? DROP_NONE : DROP_OTHER_AREA;
    if (!in->is_elsewhere || is_proof(w, in))
        standby_heard(w, in->index, in->tlli, in->from, now);
    else if (in->llc.format != LLC_UI)
        return in->link && in->llc.format == LLC_I ? DROP_MOVE_OLD : DROP_MOVE_UNCIPHERED;
    return DROP_NONE;
}

enum drop gb_rx_llc_judge(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, int64_t now)
{
    enum drop reason = reason_of(in, judge(w, batch, in));
    return reason == DROP_NONE ? hear(w, in, now) : reason;
}
