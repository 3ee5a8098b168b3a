/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RFC 1624, equation 3, for a 16-bit word of the header that increases by `more`. */
static void grow_checksum(uint8_t *field, unsigned more)
{
    uint32_t sum = (uint16_t)~bytes_get_u16(field) + more;
    bytes_put_u16(field, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
}

bool ecn_set_ce(uint8_t *packet, size_t octets)
{
    unsigned before = ecn_get(packet, octets);
    if (before == AQM_ECN_NOT)
        return false;
    if (packet[0] >> 4 == 4) {
        packet[1] |= AQM_ECN_CE;
        grow_checksum(packet + 10, AQM_ECN_CE - before);
    } else {
        packet[1] |= AQM_ECN_CE << 4;
    }
    return true;
}

bool ecn_set_ect1(uint8_t *packet, size_t octets)
{
    if (ecn_get(packet, octets) != AQM_ECN_ECT0)
        return false;
    if (packet[0] >> 4 == 4) {
        packet[1] ^= AQM_ECN_CE;
        grow_checksum(packet + 10, UINT16_MAX - 1); /* the word became one less */
    } else {
        packet[1] ^= AQM_ECN_CE << 4;
    }
    return true;
}

static enum aqm_verdict pass(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return AQM_PASS;
}

static void set_hooks(struct aqm_setup *setup)
{
    const struct aqm_ops *ops = setup->ops;
    const aqm_hook hooks[AQM_POINTS] = {ops->enqueue, ops->dequeue, ops->uplink};
    setup->is_rateless = ops->flags & AQM_RATELESS;
    setup->has_dequeue = ops->dequeue != NULL;
    for (int i = 0; i < AQM_POINTS; i++) {
        uint32_t flag = i == AQM_AT_ENQUEUE ? AQM_DRAWS : AQM_DRAWS_DEQUEUE;
        setup->hooks[i] = hooks[i] ? hooks[i] : pass;
        setup->draws[i] = hooks[i] && ops->flags & flag;
        setup->let_draws += i != AQM_AT_UPLINK && setup->draws[i];
    }
}

static bool set_values(struct aqm_setup *setup, const int64_t *values, char *message, size_t cap)
{
    const struct aqm_ops *ops = setup->ops;
    if (values)
        memcpy(setup->values, values, ops->param_count * sizeof(*values));
    else
        aqm_param_defaults(ops, setup->values);
    if (!aqm_param_check(ops, setup->values, message, cap))
        return false;
    const char *wrong = ops->prepare ? ops->prepare(ops, setup->law, setup->values) : NULL;
    if (wrong)
        snprintf(message, cap, "%s", wrong);
    int ecn = aqm_param_find(ops, "ecn");
    setup->is_marking = ecn >= 0 && setup->values[ecn];
    return !wrong;
}

struct aqm_setup *aqm_setup_new(const struct aqm_choice *choice, char *message, size_t cap)
{
    struct aqm_setup *setup = calloc(1, sizeof(*setup));
    void *law = calloc(1, choice->ops->law_octets + 1);
    if (!setup || !law) {
        snprintf(message, cap, "no memory");
        free(setup);
        free(law);
        return NULL;
    }
    setup->ops = choice->ops;
    setup->law = law;
    set_hooks(setup);
    rng_init(&setup->rng, choice->seed, choice->stream);
    if (set_values(setup, choice->values, message, cap))
        return setup;
    aqm_setup_free(setup);
    return NULL;
}

void aqm_setup_free(struct aqm_setup *setup)
{
    if (!setup)
        return;
    free(setup->law);
    free(setup);
}

void aqm_setup_start(const struct aqm_setup *setup, void *state, int64_t now)
{
    memset(state, 0, setup->ops->state_octets);
    if (setup->ops->init)
        setup->ops->init(setup->law, state, now);
}

void aqm_setup_draw_owed(struct aqm_setup *setup)
{
    rng_skip(&setup->rng, setup->owed);
    setup->owed = 0;
}

struct aqm_counts aqm_setup_counts(const struct aqm_setup *setup, unsigned qclass, enum aqm_point point)
{
    struct aqm_counts counts = setup->counts[qclass][point];
    if (point == AQM_AT_ENQUEUE || (point == AQM_AT_DEQUEUE && setup->has_dequeue))
        counts.asked += setup->lets[qclass];
    return counts;
}

struct aqm_counts aqm_setup_total(const struct aqm_setup *setup)
{
    struct aqm_counts total = {0};
    for (int qclass = 0; qclass < QCLASS_COUNT; qclass++) {
        for (int point = 0; point < AQM_POINTS; point++) {
            struct aqm_counts counts = aqm_setup_counts(setup, (unsigned)qclass, (enum aqm_point)point);
            total.asked += counts.asked;
            total.marked += counts.marked;
            total.dropped += counts.dropped;
            total.unmarkable += counts.unmarkable;
        }
    }
    return total;
}
