/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GEA3 (TS 55.216) and GEA4 (TS 55.226), the ciphers of GPRS that can be built from public texts and are
 * worth it, for bursts of packets with keys, directions and lengths of their own. Several engines compute the
 * same; the best that passes its self-test is picked at start.
 */
#ifndef DATAPLANE_CRYPTO_GEA_H
#define DATAPLANE_CRYPTO_GEA_H

#include "dataplane/crypto/gea_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gea_engine {
    const char *name;
    const char *(*missing)(void); /* NULL: can run here; else static text that says why not */
    void (*cipher)(const struct gea_job *jobs, size_t count);
    bool is_constant_time; /* no branch and no address depends on key or data, and a test shows it */
};

/* All engines, best first, their number in *count; static. Whether one can run here: its missing(). */
const struct gea_engine *gea_engines(size_t *count);

/*
 * The named engine, or the best for NULL, after its self-test. Call before threads start. NULL with *reason,
 * static text, where there is no such engine, it cannot run here or fails; reason may be NULL.
 */
const struct gea_engine *gea_init(const char *name, const char **reason);

/*
 * NULL, or static text that says what is wrong with the engine: it must give published keystreams and, for
 * a burst of unequal jobs, what the portable engine and, where it is there, IPsec-mb give. Takes under 5 ms.
 */
const char *gea_self_test(const struct gea_engine *engine);

/*
 * Ciphers or deciphers count >= 0 jobs in place. Jobs may mix keys, directions, lengths, GEA3 and GEA4; the
 * more at a time, the cheaper each. No memory is taken.
 */
static inline void gea_cipher_burst(const struct gea_engine *engine, const struct gea_job *jobs, size_t count)
{
    engine->cipher(jobs, count);
}

/* NULL where algorithm (TS 24.008 10.5.5.3) can be used: 0 (no ciphering), 3, 4. Else static text that says
 * why not.
 */
const char *gea_refusal(unsigned algorithm);

/*
 * Makes a job's key of the key that an authentication gave: for GEA3 Kc, 8 octets, for GEA4 Kc128, 16.
 * Returns GEA_KEY_OCTETS, ERR_UNSUPPORTED for other algorithms, ERR_RANGE for another length.
 */
int gea_key(uint8_t key[GEA_KEY_OCTETS], unsigned algorithm, const uint8_t *kc, size_t octets);

#endif
