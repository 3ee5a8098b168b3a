/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobile identities: what decodes encodes to the same again. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { LONGEST = 4096 };

static uint8_t room[LONGEST], less[LONGEST];

static void check_identity(const uint8_t *bytes, size_t len)
{
    struct identity in;
    if (identity_decode(&in, bytes, len) < 0)
        return;
    int octets = identity_encode(room, sizeof room, &in);
    FUZZ_CHECK(octets > 0 && (size_t)octets <= len);
    FUZZ_CHECK(identity_encode(less, (size_t)octets - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(in.type == IDENTITY_NONE || in.type == IDENTITY_TMSI ||
               memcmp(room, bytes, (size_t)octets) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len <= LONGEST)
        check_identity(bytes, len);
    return 0;
}
