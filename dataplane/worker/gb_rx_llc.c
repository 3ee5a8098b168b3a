/* SPDX-License-Identifier: BSD-3-Clause */
/* Uplink LLC-PDUs: ciphering, FCS and N(U) (TS 44.064), and which of them show the mobile's cell. */
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/worker/gb_rx_parts.h"

#define GUESS_STEP  0x9e3779b1u /* golden ratio: any run of guesses is spread evenly */
#define GUESS_SHIFT 29          /* over 1 to 8 wraps */

static_assert((int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <= (int)GEA_MAX_OCTETS, "fits a job");

/* Whether a UI frame is ciphered as the mobile's ciphering requires. GMM may send some messages in clear (TS
 * 24.008 clause 4.7.1.2); its layer decides and is told whether the frame was ciphered. */
static bool is_ciphering_right(const struct incoming *in, const struct llc_key *key)
{
    bool is_on = key->algorithm != 0;
    return in->llc.e == is_on || (is_on && in->llc.sapi == LLC_SAPI_GMM);
}

/* The job that deciphers a frame as the count-th of its entity; done twice, it restores the frame. */
static struct gea_job job_of(const struct incoming *in, const struct llc_key *key, uint32_t count)
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
enum drop gb_rx_llc_prepare(struct batch *batch, struct incoming *in)
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

static bool is_fcs_right(const struct incoming *in)
{
    return llc_fcs_is_right(in->frame, in->llc.header_octets, in->llc.info_octets, in->llc.pm);
}

/* While 480 frames or more are lost, N(U) may wrap unseen, and TS 44.064 annex A counts only wraps that are
 * seen. So one frame of each batch with a wrong FCS is deciphered again as of 1 to 8 wraps later, spread
 * evenly over the guesses. If its FCS is then right, the frames before it were lost. A frame from elsewhere
 * gets no second guess. */
static bool is_of_later_wrap(struct worker *w, struct batch *batch, struct incoming *in)
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

/* Numbers that nothing protects do not advance V(UR): one made-up frame would put the overflow counter out of
 * step. */
static enum drop judge_unprotected(const struct incoming *in)
{
    return llc_entity_was_received(in->entity, llc_entity_count(in->entity, in->llc.nu)) ? DROP_LLC_OLD
                                                                                         : DROP_NONE;
}

/* Earlier frames of the batch may have advanced the entity, so the count of the N(U) is computed again. */
enum drop gb_rx_llc_judge(struct worker *w, struct batch *batch, struct incoming *in)
{
    const struct llc *llc = &in->llc;

    if (!is_fcs_right(in) && !(llc->e && is_of_later_wrap(w, batch, in)))
        return llc->e ? DROP_LLC_DECIPHER : DROP_LLC_FCS;
    if (llc->format != LLC_UI)
        return DROP_NONE;
    if (in->is_unprotected)
        return judge_unprotected(in);
    uint32_t count = llc_entity_count(in->entity, llc->nu);
    if ((llc->e && count != in->count) || !llc_entity_accept(in->entity, count))
        return DROP_LLC_OLD;
    in->is_newest = in->entity->vur == count + 1;
    return DROP_NONE;
}

bool gb_rx_llc_is_proof(const struct incoming *in)
{
    bool is_on = llc_cipher_is_on(&in->ms->cipher);
    return in->llc.format == LLC_UI ? in->is_newest && (in->llc.e || !is_on) : !is_on;
}

enum drop gb_rx_llc_reason(const struct incoming *in, enum drop reason)
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
