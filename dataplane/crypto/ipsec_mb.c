/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IPsec-mb's KASUMI-F8 and AES-GCM. The only file that includes intel-ipsec-mb.h.
 *
 * KASUMI-F8 is KGCORE with another first block, which IPsec-mb accepts unchanged; so only that block's
 * layout (TS 55.216 clause 4) is computed here.
 */
#include "dataplane/crypto/gcm.h"
#include "dataplane/crypto/kasumi.h"

#ifdef GBFLOW_IPSEC_MB

#include "dataplane/base/bytes.h"

#include <assert.h>
#include <intel-ipsec-mb.h>
#include <stdalign.h>
#include <string.h>

static IMB_MGR *manager; /* written once, at start; the functions called here keep no state in it */

static const char *manager_missing(void)
{
    if (manager == NULL) {
        manager = alloc_mb_mgr(0);
        if (manager != NULL)
            init_mb_mgr_auto(manager, NULL);
    }
    return manager != NULL ? NULL : "out of memory for IPsec-mb";
}

/* --- KASUMI --- */

const char *kasumi_ipsec_missing(void)
{
    return manager_missing();
}

static void cipher(const struct gea_job *job)
{
    kasumi_key_sched_t schedule;
    uint8_t first[8] = {0};
    uint64_t iv;
    bytes_put_u32(first, job->input);
    first[4] = (uint8_t)(job->direction << 2);
    first[5] = 0xff;
    memcpy(&iv, first, sizeof iv);
    IMB_KASUMI_INIT_F8_KEY_SCHED(manager, job->key, &schedule);
    IMB_KASUMI_F8_1_BUFFER(manager, &schedule, iv, job->data, job->data, job->octets);
}

void kasumi_ipsec_cipher(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cipher(&jobs[i]);
}

/* --- AES-GCM --- */

struct gcm {
    struct gcm_key_data data;
    aes_gcm_enc_dec_t seal, open;
};

static_assert(alignof(struct gcm) <= GCM_ALIGN, "the owner's memory fits");

const char *gcm_missing(void)
{
    return manager_missing();
}

size_t gcm_octets(void)
{
    return sizeof(struct gcm);
}

void gcm_init(struct gcm *gcm, const uint8_t *key, unsigned octets)
{
    bool is_long = octets == 32;
    gcm->seal = is_long ? manager->gcm256_enc : manager->gcm128_enc;
    gcm->open = is_long ? manager->gcm256_dec : manager->gcm128_dec;
    if (is_long)
        IMB_AES256_GCM_PRE(manager, key, &gcm->data);
    else
        IMB_AES128_GCM_PRE(manager, key, &gcm->data);
}

void gcm_seal(const struct gcm *gcm, struct gcm_job *jobs, unsigned count)
{
    struct gcm_context_data context;
    for (unsigned i = 0; i < count; i++) {
        struct gcm_job *j = &jobs[i];
        gcm->seal(&gcm->data, &context, j->text, j->text, j->octets, j->nonce, j->aad, j->aad_octets,
                  j->text + j->octets, GCM_ICV_OCTETS);
    }
}

/* In the same time wherever they differ. */
static bool is_same_icv(const uint8_t *a, const uint8_t *b)
{
    uint64_t of_a[2], of_b[2];
    memcpy(of_a, a, sizeof(of_a));
    memcpy(of_b, b, sizeof(of_b));
    return ((of_a[0] ^ of_b[0]) | (of_a[1] ^ of_b[1])) == 0;
}

void gcm_open(const struct gcm *gcm, struct gcm_job *jobs, unsigned count)
{
    struct gcm_context_data context;
    uint8_t icv[GCM_ICV_OCTETS];
    for (unsigned i = 0; i < count; i++) {
        struct gcm_job *j = &jobs[i];
        gcm->open(&gcm->data, &context, j->text, j->text, j->octets, j->nonce, j->aad, j->aad_octets, icv,
                  GCM_ICV_OCTETS);
        j->is_good = is_same_icv(icv, j->text + j->octets);
    }
}

#else

#define MISSING "built without IPsec-mb"

const char *kasumi_ipsec_missing(void)
{
    return MISSING;
}

void kasumi_ipsec_cipher(const struct gea_job *jobs, size_t count)
{
}

const char *gcm_missing(void)
{
    return MISSING;
}

size_t gcm_octets(void)
{
    return 0;
}

void gcm_init(struct gcm *gcm, const uint8_t *key, unsigned octets)
{
}

void gcm_seal(const struct gcm *gcm, struct gcm_job *jobs, unsigned count)
{
}

void gcm_open(const struct gcm *gcm, struct gcm_job *jobs, unsigned count)
{
}

#endif
