/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys from keys: Kc128 of GEA4 (TS 33.102 annex B.5, by the KDF of TS 33.220 annex B.2). */
#ifndef DATAPLANE_CRYPTO_KDF_H
#define DATAPLANE_CRYPTO_KDF_H

#include <stdint.h>

enum { KDF_KEY_OCTETS = 16 };

/** Writes Kc128: the first 16 octets of HMAC-SHA-256 over FC = 0x32 with the key CK || IK, of 16 octets each.
 */
void kdf_kc128(uint8_t kc128[KDF_KEY_OCTETS], const uint8_t ck[KDF_KEY_OCTETS],
               const uint8_t ik[KDF_KEY_OCTETS]);

#endif
