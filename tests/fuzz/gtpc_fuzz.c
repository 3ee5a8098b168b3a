/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C towards GGSNs, and what it tells of: quality of service, and an identity as Gb writes it. */
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/qos.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_address(const struct gtpc_address *address)
{
    FUZZ_CHECK(address->octets == 0 || address->octets == 4 || address->octets == 16);
}

static void check_rate(int64_t rate_bps)
{
    FUZZ_CHECK(rate_bps == QOS_RATE_UNSET || (rate_bps >= 0 && rate_bps <= INT64_C(256000000)));
}

static void check_qos(const uint8_t *bytes, size_t len)
{
    struct qos qos;
    int octets = qos_decode(&qos, bytes, len);
    FUZZ_CHECK((octets >= 0) == (len == QOS_R97_OCTETS || len >= QOS_R99_OCTETS));
    if (octets < 0)
        return;
    FUZZ_CHECK(octets == (int)len && qos_qclass(&qos) < QCLASS_COUNT);
    FUZZ_CHECK(qos.transfer_delay_ms <= 4000 && qos.max_sdu_octets <= 1520);
    check_rate(qos.max_rate_up_bps);
    check_rate(qos.max_rate_down_bps);
    check_rate(qos.guaranteed_rate_up_bps);
    check_rate(qos.guaranteed_rate_down_bps);
}

static void check_elements(const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie;
    int octets;
    for (size_t at = 0; (octets = gtp_ie_decode(&ie, bytes + at, len - at)) > 0; at += (size_t)octets) {
        FUZZ_CHECK((size_t)octets <= len - at && ie.type == bytes[at]);
        FUZZ_CHECK(ie.octets < octets && ie.value + ie.octets == bytes + at + octets);
    }
    FUZZ_CHECK(octets == 0 || octets == ERR_TRUNCATED);
}

static void check_message(const struct gtpc *in, const uint8_t *bytes, size_t len)
{
    FUZZ_CHECK(strspn(in->imsi, "0123456789") == strnlen(in->imsi, sizeof in->imsi));
    FUZZ_CHECK(strnlen(in->imsi, sizeof in->imsi) < sizeof in->imsi);
    FUZZ_CHECK(in->nsapi < 16 && in->linked_nsapi < 16 && in->teardown < 2);
    FUZZ_CHECK(!(in->has & GTPC_HAS_USER_ADDRESS) || in->has & GTPC_HAS_CONTROL_ADDRESS);
    FUZZ_CHECK(!(in->has & GTPC_HAS_LINKED_NSAPI) || in->has & GTPC_HAS_NSAPI);
    FUZZ_CHECK(fuzz_is_inside(in->qos, in->qos_octets, bytes, len));
    check_address(&in->control);
    check_address(&in->user);
    FUZZ_CHECK(in->user_ipv4.octets == 0 || in->user_ipv4.octets == 4);
    FUZZ_CHECK(in->user_ipv6.octets == 0 || in->user_ipv6.octets == 16);
    if (in->has & GTPC_HAS_QOS)
        check_qos(in->qos, in->qos_octets);
}

/* Digits come back as they were read. */
static void check_identity(const uint8_t *bytes, size_t len)
{
    struct identity_imsi in, again;
    uint8_t value[IDENTITY_IMSI_MAX_OCTETS];
    int octets = identity_imsi_decode(&in, bytes, len);
    if (octets < 0)
        return;
    FUZZ_CHECK((size_t)octets <= len && octets <= IDENTITY_IMSI_MAX_OCTETS);
    octets = identity_imsi_encode(value, sizeof value, &in);
    FUZZ_CHECK(octets > 0 || in.digits[0] == '\0');
    FUZZ_CHECK(octets < 0 || identity_imsi_decode(&again, value, (size_t)octets) == octets);
    FUZZ_CHECK(octets < 0 || memcmp(in.digits, again.digits, sizeof in.digits) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct gtpc in, again;
    int octets = gtpc_decode(&in, bytes, len);
    check_elements(bytes, len);
    check_qos(bytes, len);
    check_identity(bytes, len);
    if (octets < 0) {
        FUZZ_CHECK(octets >= ERR_UNSUPPORTED);
        return 0;
    }
    FUZZ_CHECK((size_t)octets <= len && in.type == bytes[1]);
    check_message(&in, bytes, (size_t)octets);
    FUZZ_CHECK(gtpc_decode(&again, bytes, (size_t)octets - 1) == ERR_TRUNCATED);
    FUZZ_CHECK(gtpc_decode(&again, bytes, (size_t)octets) == octets && again.has == in.has);
    return 0;
}
