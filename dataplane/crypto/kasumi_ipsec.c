/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KASUMI-F8 is KGCORE with another first block, which IPsec-mb accepts unchanged; so only that block's
 * layout (TS 55.216 clause 4) is computed here. The only file that includes intel-ipsec-mb.h.
 */
#include "dataplane/crypto/kasumi.h"

#ifdef GBFLOW_IPSEC_MB

#include "dataplane/base/bytes.h"

#include <intel-ipsec-mb.h>
#include <string.h>

static IMB_MGR *manager; /* written once, at start; its F8 functions keep no state in it */

const char *kasumi_ipsec_missing(void)
{
    if (manager == NULL) {
        manager = alloc_mb_mgr(0);
        if (manager != NULL)
            init_mb_mgr_auto(manager, NULL);
    }
    return manager != NULL ? NULL : "out of memory for IPsec-mb";
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

#else

const char *kasumi_ipsec_missing(void)
{
    return "built without IPsec-mb";
}

void kasumi_ipsec_cipher(const struct gea_job *jobs, size_t count)
{
}

#endif
