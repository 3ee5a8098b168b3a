/* SPDX-License-Identifier: BSD-3-Clause */
/* AES-GCM (NIST SP 800-38D) by Intel's IPsec-mb: a call for each text, without a device of DPDK. */
#ifndef DATAPLANE_CRYPTO_GCM_H
#define DATAPLANE_CRYPTO_GCM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GCM_NONCE_OCTETS = 12, GCM_ICV_OCTETS = 16, GCM_AAD_OCTETS = 16, GCM_ALIGN = 64 };

/* A key with its tables, which no call changes: threads share it. */
struct gcm;

/* A text and what proves it; the caller owns the octets. */
struct gcm_job {
    uint8_t *text; /* ciphered in place; its ICV is behind it */
    uint32_t octets;
    uint32_t aad_octets; /* up to GCM_AAD_OCTETS */
    uint8_t nonce[16];   /* GCM_NONCE_OCTETS of them count */
    uint8_t aad[GCM_AAD_OCTETS];
    bool is_good; /* gcm_open() writes it: the ICV is right */
};

/* NULL: the calls are here; else a static text with the reason why not. Call before threads start. */
const char *gcm_missing(void);

/* The octets of a key with its tables; 0: gcm_missing(). */
size_t gcm_octets(void);

/* Makes a key of 16 or 32 octets in memory of the caller, aligned to GCM_ALIGN, which overwrites it when it
 * has served. Only after gcm_missing() has returned NULL. */
void gcm_init(struct gcm *gcm, const uint8_t *key, unsigned octets);

/* Encrypts the texts and writes their ICVs. */
void gcm_seal(const struct gcm *gcm, struct gcm_job *jobs, unsigned count);

/* Decrypts the texts, and says of each whether its ICV is right; the text of another is worth nothing. */
void gcm_open(const struct gcm *gcm, struct gcm_job *jobs, unsigned count);

#endif
