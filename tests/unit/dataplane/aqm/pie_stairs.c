/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: pie_stairs [NAME=NUMBER]... < STAIRS
 *
 * STAIRS has a line "DELAY_NS UPDATES" for each step. Prints PIE's chance after each update, one a line. The
 * backlog is what takes DELAY_NS at 8 Gbit/s, a nanosecond an octet.
 */
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct aqm_setup *configured(const struct aqm_ops *ops, int count, char **words)
{
    int64_t values[AQM_MAX_PARAMS];
    char message[128];
    aqm_param_defaults(ops, values);
    for (int i = 0; i < count; i++) {
        char *sign = strchr(words[i], '=');
        if (!sign)
            return NULL;
        *sign = 0;
        int index = aqm_param_find(ops, words[i]);
        if (index < 0)
            return NULL;
        values[index] = strtoll(sign + 1, NULL, 10);
    }
    return aqm_setup_new(&(struct aqm_choice){ops, values, 1, 0}, message, sizeof(message));
}

int main(int argc, char **argv)
{
    struct aqm_registry registry;
    _Alignas(64) uint8_t state[AQM_MAX_STATE];
    struct aqm_reading readings[AQM_MAX_READINGS];
    int64_t delay_ns, updates, now = 0;

    aqm_registry_init(&registry);
    const struct aqm_ops *ops = aqm_registry_find(&registry, "pie");
    struct aqm_setup *setup = configured(ops, argc - 1, argv + 1);
    if (!setup)
        return 2;
    aqm_setup_start(setup, state, 0);
    int64_t update_ns = setup->values[aqm_param_find(ops, "update")];
    while (scanf("%" SCNd64 " %" SCNd64, &delay_ns, &updates) == 2) {
        for (int64_t i = 0; i < updates; i++) {
            struct aqm_view view = {
                .backlog_octets = (uint64_t)delay_ns, .rate_bps = 8000000000, .octets = 500};
            aqm_setup_ask(setup, AQM_AT_DEQUEUE, state, &view, now);
            now += update_ns;
            aqm_setup_ask(setup, AQM_AT_DEQUEUE, state, &view, now);
            ops->read(setup->law, state, readings);
            printf("%.17g\n", readings[0].value);
        }
    }
    aqm_setup_free(setup);
    return 0;
}
