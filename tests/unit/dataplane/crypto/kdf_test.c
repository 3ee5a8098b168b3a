/* SPDX-License-Identifier: BSD-3-Clause */
/* Kc128 against a value that another program computed, and against libosmogsm where that is there. */
#include "dataplane/crypto/kdf.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_OSMOCORE
#include <osmocom/crypt/kdf.h>
#endif

/* The keys of a vector of phone_wire_rows.lua; Kc128 by Python's hmac. */
TEST(kc128_is_known)
{
    static const uint8_t ck[] = {0x3c, 0xba, 0x3d, 0x5e, 0x1e, 0xb9, 0xf2, 0xc7,
                                 0x2a, 0x4b, 0x40, 0x75, 0xf6, 0x90, 0x3c, 0x46},
                         ik[] = {0x98, 0x70, 0x86, 0xb7, 0xbb, 0x4a, 0xc1, 0x66,
                                 0x1d, 0x1e, 0x97, 0x7b, 0xb6, 0xf8, 0x13, 0xdc},
                         want[] = {0x50, 0x1e, 0x44, 0xbc, 0x88, 0x48, 0xfd, 0x83,
                                   0x8c, 0xc8, 0x14, 0x7c, 0xfc, 0xee, 0xf6, 0x1e};
    uint8_t got[KDF_KEY_OCTETS];
    kdf_kc128(got, ck, ik);
    assert_memory_equal(got, want, sizeof want);
}

TEST(kc128_is_theirs)
{
#if HAVE_OSMOCORE
    srand(1);
    for (unsigned i = 0; i < 1000; i++) {
        uint8_t keys[2 * KDF_KEY_OCTETS], ours[KDF_KEY_OCTETS], theirs[KDF_KEY_OCTETS];
        for (size_t k = 0; k < sizeof keys; k++)
            keys[k] = (uint8_t)rand();
        kdf_kc128(ours, keys, keys + KDF_KEY_OCTETS);
        osmo_kdf_kc128(keys, keys + KDF_KEY_OCTETS, theirs);
        assert_memory_equal(ours, theirs, sizeof ours);
    }
#else
    skip();
#endif
}

UNIT_MAIN(NULL, NULL)
