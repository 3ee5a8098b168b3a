/* SPDX-License-Identifier: BSD-3-Clause */
/* Uplink TBFs of a radio by random access. While a mobile is in an access procedure, its uplink flow is in no
   ring: open_ns and close_ns are MOMENT_NEVER. */
#include "bss/access.h"
#include "bss/radio_air.h"
#include "dataplane/base/moment.h"

bool radio_access_init(struct radio *radio, const struct access_config *config, const struct access_ops *ops)
{
    struct access_config own = *config;
    own.seed = radio->seed;
    radio->resolution_ns = config->is_two_phase ? 0 : config->resolution_ns;
    radio->access = access_new(&own, ops);
    return radio->access;
}

bool radio_access_begin(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_flow *up = &mobile->flows[RADIO_UP];
    if (mobile->access) {
        access_renew(radio->access, mobile->access, now);
        return true;
    }
    if (!radio->access || now < up->close_ns || radio_flow_is_open(&mobile->flows[RADIO_DOWN], now))
        return false;
    up->open_ns = up->close_ns = MOMENT_NEVER;
    radio->airs[RADIO_UP].stats.setups++;
    mobile->access = access_begin(radio->access, mobile, now);
    return true;
}

void radio_access_cancel(struct radio *radio, struct radio_mobile *mobile)
{
    if (mobile->access)
        access_cancel(radio->access, mobile->access);
    mobile->access = 0;
}

int64_t radio_access_due_ns(const struct radio *radio)
{
    return radio->access ? access_due_ns(radio->access) : MOMENT_NEVER;
}

void radio_access_step(struct radio *radio, int64_t now)
{
    if (radio->access)
        access_step(radio->access, now);
}

const struct access *radio_access_get(const struct radio *radio)
{
    return radio->access;
}
