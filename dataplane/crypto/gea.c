/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/crypto/gea.h"

#include "dataplane/base/err.h"
#include "dataplane/crypto/kasumi_ipsec.h"
#include "dataplane/crypto/kasumi_lone.h"
#include "dataplane/crypto/kasumi_sliced.h"
#include "dataplane/crypto/kasumi_vector.h"

#include <string.h>

enum { KC_OCTETS = 8 };

static const char *nothing_missing(void)
{
    return NULL;
}

static void portable_cipher(const struct gea_job *jobs, size_t count)
{
    if (kasumi_lone_pays(jobs, count))
        kasumi_lone_cipher(jobs, count);
    else
        kasumi_sliced_cipher(jobs, count);
}

static const struct gea_engine engines[] = {
    {"avx512", kasumi_vector_missing, kasumi_vector_cipher, true},
    {"portable", nothing_missing, portable_cipher, true},
    {"ipsec-mb", kasumi_ipsec_missing, kasumi_ipsec_cipher, false},
};

enum { ENGINES = sizeof engines / sizeof engines[0] };

const struct gea_engine *gea_engines(size_t *count)
{
    *count = ENGINES;
    return engines;
}

static const char *fault(const struct gea_engine *engine)
{
    const char *missing = engine->missing();
    return missing != NULL ? missing : gea_self_test(engine);
}

const struct gea_engine *gea_init(const char *name, const char **reason)
{
    const char *why = "there is no engine of that name";
    const struct gea_engine *found = NULL;
    for (size_t i = 0; i < ENGINES && found == NULL; i++) {
        if (name != NULL && strcmp(name, engines[i].name) != 0)
            continue;
        why = fault(&engines[i]);
        found = why == NULL ? &engines[i] : NULL;
    }
    if (reason != NULL)
        *reason = why;
    return found;
}

const char *gea_refusal(unsigned algorithm)
{
    static const char *const reasons[] = {
        [0] = NULL,
        [1] = "GEA1 has an effective key of 40 bits and is prohibited in mobiles since Release 11",
        [2] = "GEA2 is broken: known keystream gives its key",
        [3] = NULL,
        [4] = NULL,
        [5] = "GEA5 cannot be built: its definition in TS 55.251 is available under licence only",
    };
    return algorithm < sizeof reasons / sizeof reasons[0] ? reasons[algorithm]
                                                          : "no such algorithm is defined";
}

int gea_key(uint8_t key[GEA_KEY_OCTETS], unsigned algorithm, const uint8_t *kc, size_t octets)
{
    if (algorithm != 3 && algorithm != 4)
        return ERR_UNSUPPORTED;
    if (octets != (algorithm == 3 ? KC_OCTETS : GEA_KEY_OCTETS))
        return ERR_RANGE;
    memcpy(key, kc, octets);
    memcpy(key + GEA_KEY_OCTETS - KC_OCTETS, kc + octets - KC_OCTETS, KC_OCTETS);
    return GEA_KEY_OCTETS;
}
