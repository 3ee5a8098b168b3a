/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C towards GGSNs and SGSNs, and what it tells of: quality of service, and an identity as Gb writes it.
 */
#include "dataplane/wire/gtp_context.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtp_mobility.h"
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

/* What can be written says the same when it is read again. */
static void check_written(const struct gtpc *in)
{
    struct gtpc again;
    uint8_t bytes[GTPC_MAX_OCTETS];
    int octets = gtpc_encode(bytes, sizeof bytes, in);
    FUZZ_CHECK(octets > 0 || octets == ERR_RANGE);
    if (octets < 0)
        return;
    FUZZ_CHECK(gtpc_decode(&again, bytes, (size_t)octets) == octets);
    FUZZ_CHECK(again.has == (in->has & ~(uint32_t)GTPC_HAS_CHARGING_ID)); /* read, not written */
    FUZZ_CHECK(again.seq == in->seq && again.teid == in->teid);
    FUZZ_CHECK(again.teid_data == in->teid_data && again.teid_control == in->teid_control);
    FUZZ_CHECK(again.cause == in->cause && again.nsapi == in->nsapi && again.recovery == in->recovery);
    FUZZ_CHECK(memcmp(again.imsi, in->imsi, sizeof in->imsi) == 0 && again.qos_octets == in->qos_octets);
    FUZZ_CHECK(memcmp(&again.user_ipv4, &in->user_ipv4, sizeof in->user_ipv4) == 0);
}

/* --- between SGSNs --- */

static void check_digits(const char *digits, size_t chars)
{
    FUZZ_CHECK(strnlen(digits, chars) < chars && strspn(digits, "0123456789") == strlen(digits));
}

static void check_vectors(const struct gtp_context_vector *vector, unsigned count, const uint8_t *bytes,
                          size_t len)
{
    FUZZ_CHECK(count <= GTP_CONTEXT_VECTORS);
    for (unsigned i = 0; i < count; i++) {
        FUZZ_CHECK(vector[i].rand.octets == 16 && fuzz_is_inside(vector[i].rand.at, 16, bytes, len));
        FUZZ_CHECK(fuzz_is_inside(vector[i].kc.at, vector[i].kc.octets, bytes, len));
        FUZZ_CHECK(fuzz_is_inside(vector[i].xres.at, vector[i].xres.octets, bytes, len));
        FUZZ_CHECK(fuzz_is_inside(vector[i].autn.at, vector[i].autn.octets, bytes, len));
    }
}

static void check_mm(const struct gtp_context_mm *mm, const uint8_t *bytes, size_t len)
{
    FUZZ_CHECK(mm->mode < 4 && mm->cksn < 8 && mm->cipher < 8 && mm->drx.octets == 2);
    FUZZ_CHECK((mm->kc.octets == 8) == (mm->mode % 2 == 1) && (mm->ck.octets == 16) == (mm->mode % 2 == 0));
    FUZZ_CHECK(fuzz_is_inside(mm->capability.at, mm->capability.octets, bytes, len));
    FUZZ_CHECK(fuzz_is_inside(mm->access.at, mm->access.octets, bytes, len));
    check_vectors(mm->vector, mm->vectors, bytes, len);
    check_digits(mm->imeisv, sizeof mm->imeisv);
}

static void check_pdp(const struct gtp_context_pdp *pdp, const uint8_t *bytes, size_t len)
{
    FUZZ_CHECK(pdp->nsapi >= 5 && pdp->nsapi < 16 && pdp->sapi < 16 && pdp->ti < 16);
    FUZZ_CHECK(fuzz_is_inside(pdp->negotiated.value.at, pdp->negotiated.value.octets, bytes, len));
    FUZZ_CHECK(pdp->ipv4.octets == 0 || pdp->ipv4.octets == 4);
    FUZZ_CHECK(pdp->ipv6.octets == 0 || pdp->ipv6.octets == 16);
    FUZZ_CHECK(strnlen(pdp->apn, sizeof pdp->apn) < sizeof pdp->apn);
    check_address(&pdp->control);
    check_address(&pdp->user);
}

static void check_mobility(const struct gtp_mobility *in, const uint8_t *bytes, size_t len)
{
    FUZZ_CHECK(in->contexts <= GTP_MOBILITY_CONTEXTS && in->tunnels <= GTP_MOBILITY_CONTEXTS);
    FUZZ_CHECK(in->priorities <= GTP_MOBILITY_CONTEXTS && in->pfis <= GTP_MOBILITY_CONTEXTS);
    FUZZ_CHECK(in->users <= 1 || in->users == in->tunnels);
    check_digits(in->imsi, sizeof in->imsi);
    check_digits(in->number, sizeof in->number);
    check_vectors(in->vector, in->vectors, bytes, len);
    if (in->has & GTP_MOBILITY_MM)
        check_mm(&in->mm, bytes, len);
    for (unsigned i = 0; i < in->contexts; i++)
        check_pdp(&in->context[i], bytes, len);
    FUZZ_CHECK(fuzz_is_inside(in->container.at, in->container.octets, bytes, len));
    FUZZ_CHECK(fuzz_is_inside(in->rim_address.at, in->rim_address.octets, bytes, len));
}

/* What can be written is read with the same elements, and then written alike. */
static void check_mobility_written(const struct gtp_mobility *in)
{
    static struct gtp_mobility again;
    static uint8_t bytes[GTP_MOBILITY_MAX_OCTETS], twice[GTP_MOBILITY_MAX_OCTETS];
    int octets = gtp_mobility_encode(bytes, sizeof bytes, in);
    FUZZ_CHECK(octets > 0 || octets == ERR_RANGE);
    if (octets < 0)
        return;
    FUZZ_CHECK(gtp_mobility_decode(&again, bytes, (size_t)octets) == octets && again.has == in->has);
    FUZZ_CHECK(gtp_mobility_encode(twice, sizeof twice, &again) == octets);
    FUZZ_CHECK(memcmp(bytes, twice, (size_t)octets) == 0);
    FUZZ_CHECK(gtp_mobility_encode(twice, (size_t)octets - 1, &again) == ERR_NO_SPACE);
}

static int take_mobility(const uint8_t *bytes, size_t len)
{
    static struct gtp_mobility in, again;
    int octets = gtp_mobility_decode(&in, bytes, len);
    if (octets < 0) {
        FUZZ_CHECK(octets >= ERR_UNSUPPORTED);
        return 0;
    }
    FUZZ_CHECK((size_t)octets <= len && in.type == bytes[1] && in.fault == 0);
    check_mobility(&in, bytes, (size_t)octets);
    check_mobility_written(&in);
    FUZZ_CHECK(gtp_mobility_decode(&again, bytes, (size_t)octets - 1) == ERR_TRUNCATED);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct gtpc in, again;
    if (len > 1 && gtpc_is_between_sgsns(bytes[1]))
        return take_mobility(bytes, len);
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
    check_written(&in);
    FUZZ_CHECK(gtpc_decode(&again, bytes, (size_t)octets - 1) == ERR_TRUNCATED);
    FUZZ_CHECK(gtpc_decode(&again, bytes, (size_t)octets) == octets && again.has == in.has);
    return 0;
}
