/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/crypto/kdf.h"

#include <nettle/hmac.h>
#include <string.h>

void kdf_kc128(uint8_t kc128[KDF_KEY_OCTETS], const uint8_t ck[KDF_KEY_OCTETS],
               const uint8_t ik[KDF_KEY_OCTETS])
{
    static const uint8_t s[] = {0x32}; /* FC, without parameters */
    uint8_t key[2 * KDF_KEY_OCTETS];
    struct hmac_sha256_ctx hmac;
    memcpy(key, ck, KDF_KEY_OCTETS);
    memcpy(key + KDF_KEY_OCTETS, ik, KDF_KEY_OCTETS);
    hmac_sha256_set_key(&hmac, sizeof key, key);
    hmac_sha256_update(&hmac, sizeof s, s);
    hmac_sha256_digest(&hmac, KDF_KEY_OCTETS, kc128);
    explicit_bzero(key, sizeof key);
    explicit_bzero(&hmac, sizeof hmac);
}
