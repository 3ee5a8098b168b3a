/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GEA3 (TS 55.216) and GEA4 (TS 55.226) for bursts of packets, each with its own key, direction and length.
 * These two GPRS ciphers have public specifications and are not broken as GEA1 and GEA2 are. Several engines
 * compute the same; the first that passes its self-test is chosen at start.
 */
#ifndef DATAPLANE_CRYPTO_GEA_H
#define DATAPLANE_CRYPTO_GEA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One packet to cipher with GEA3 or GEA4: the input of every engine. */

enum { GEA_KEY_OCTETS = 16, GEA_MAX_OCTETS = 1523 }; /* 1523: TS 44.064 A.2.1 */

enum gea_direction { GEA_UPLINK = 0, GEA_DOWNLINK = 1 };

/* Both pointers are borrowed for the call. The data of two jobs of one burst do not overlap. */
struct gea_job {
    const uint8_t *key; /* GEA_KEY_OCTETS: Kc128, or for GEA3 Kc twice, see gea_key() */
    uint8_t *data;      /* ciphered in place: keystream octet i is added to data[i]; any alignment */
    uint32_t input;     /* INPUT of TS 44.064 A.2.1 */
    uint16_t octets;    /* 1 .. GEA_MAX_OCTETS */
    uint8_t direction;  /* enum gea_direction */
};

struct gea_engine {
    const char *name;
    const char *(*missing)(void); /* NULL: runs here; else static text with the reason why not */
    void (*cipher)(const struct gea_job *jobs, size_t count);
    bool is_constant_time; /* no branch and no address depends on key or data; tested */
};

/* All engines, best first, their number in *count; static. missing() says whether one runs here. */
const struct gea_engine *gea_engines(size_t *count);

/*
 * Returns the named engine, or for NULL the best, after its self-test. Call before threads start. NULL with
 * *reason, a static text, if no such engine exists, or it cannot run here, or its self-test fails; reason
 * may be NULL.
 */
const struct gea_engine *gea_init(const char *name, const char **reason);

/*
 * NULL, or static text that says how the engine failed: it must give published keystreams and, for a burst
 * of unequal jobs, the output of the portable engine and, where available, of IPsec-mb. Takes less than 5
 * ms.
 */
const char *gea_self_test(const struct gea_engine *engine);

/*
 * Ciphers or deciphers count >= 0 jobs in place. Jobs may mix keys, directions, lengths, GEA3 and GEA4; a
 * larger burst costs less per job. Takes no memory.
 */
static inline void gea_cipher_burst(const struct gea_engine *engine, const struct gea_job *jobs, size_t count)
{
    engine->cipher(jobs, count);
}

/*
 * NULL if algorithm (TS 24.008 clause 10.5.5.3) is supported: 0 (no ciphering), 3, 4. Else static text with
 * the reason.
 */
const char *gea_refusal(unsigned algorithm);

/*
 * Makes a job's key from the key that authentication gave: Kc, 8 octets, for GEA3; Kc128, 16 octets, for
 * GEA4. Returns GEA_KEY_OCTETS, ERR_UNSUPPORTED for other algorithms, ERR_RANGE for another length.
 */
int gea_key(uint8_t key[GEA_KEY_OCTETS], unsigned algorithm, const uint8_t *kc, size_t octets);

#endif
