/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/aqm/aqm_registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[256];

static struct aqm_setup *make(struct kit *kit, const char *scheme, const char *set, uint64_t seed)
{
    char text[256], *rest = text;
    int64_t values[AQM_MAX_PARAMS];
    const struct aqm_ops *ops;

    aqm_registry_init(&kit->registry);
    ops = aqm_registry_find(&kit->registry, scheme);
    assert_non_null(ops);
    aqm_param_defaults(ops, values);
    snprintf(text, sizeof(text), "%s", set);
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *sign = strchr(word, '=');
        assert_non_null(sign);
        *sign = 0;
        int index = aqm_param_find(ops, word);
        if (index < 0)
            fail_msg("%s has no parameter %s", scheme, word);
        values[index] = strtoll(sign + 1, NULL, 10);
    }
    message[0] = 0;
    return aqm_setup_new(&(struct aqm_choice){ops, values, seed, 0}, message, sizeof(message));
}

void kit_init(struct kit *kit, const char *scheme, const char *set, uint64_t seed)
{
    kit->setup = make(kit, scheme, set, seed);
    if (!kit->setup)
        fail_msg("%s %s: %s", scheme, set, message);
    aqm_setup_start(kit->setup, kit->state, 0);
}

void kit_fini(struct kit *kit)
{
    aqm_setup_free(kit->setup);
    aqm_registry_fini(&kit->registry);
}

const char *kit_refusal(struct kit *kit, const char *scheme, const char *set)
{
    kit->setup = make(kit, scheme, set, 1);
    kit_fini(kit);
    return message;
}

struct aqm_view kit_view(uint64_t backlog_octets)
{
    return (struct aqm_view){
        .backlog_octets = backlog_octets,
        .backlog_pkts = (uint32_t)(backlog_octets / 500),
        .octets = 500,
        .left_ns = MOMENT_NEVER,
        .ecn = AQM_ECN_ECT0,
    };
}

struct aqm_view kit_aged(int64_t age_ns)
{
    struct aqm_view view = kit_view(100000);
    view.age_ns = age_ns;
    return view;
}

enum aqm_verdict kit_come(struct kit *kit, struct aqm_view *view, int64_t now)
{
    return aqm_setup_ask(kit->setup, AQM_AT_ENQUEUE, kit->state, view, now);
}

enum aqm_verdict kit_leave(struct kit *kit, struct aqm_view *view, int64_t now)
{
    return aqm_setup_ask(kit->setup, AQM_AT_DEQUEUE, kit->state, view, now);
}

double kit_reading(const struct kit *kit, const char *name)
{
    struct aqm_reading readings[AQM_MAX_READINGS];
    const struct aqm_ops *ops = kit->setup->ops;
    unsigned count = ops->read(kit->setup->law, kit->state, readings);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(readings[i].name, name) == 0)
            return readings[i].value;
    fail_msg("%s does not say its %s", ops->name, name);
    return 0;
}

uint64_t kit_signals(struct kit *kit, struct aqm_view view, uint64_t packets)
{
    uint64_t signals = 0;
    for (uint64_t i = 0; i < packets; i++)
        signals += kit_come(kit, &view, (int64_t)i * 1000) != AQM_PASS;
    return signals;
}

void kit_assert_near(double counted, double expected, double sigma)
{
    if (fabs(counted - expected) > 3 * sigma + 0.5)
        fail_msg("%.0f where %.1f are due, sigma %.1f", counted, expected, sigma);
}
