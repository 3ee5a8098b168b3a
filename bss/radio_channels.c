/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio_channels.h"

#include <assert.h>

#include "bss/radio_state.h"
#include "dataplane/base/moment.h"

typedef void mobile_fn(struct radio *radio, struct radio_mobile *mobile, int64_t now);

static void each_mobile(struct radio *radio, mobile_fn *call, int64_t now)
{
    for (unsigned i = 0; i < RADIO_BUCKETS; i++)
        for (struct radio_mobile *mobile = radio->buckets[i]; mobile; mobile = mobile->next)
            if (!mobile->flows[RADIO_DOWN].is_away)
                call(radio, mobile, now);
}

/* Ends a mobile's TBFs; marks it for `restart_wait_ns` if it had or awaited a downlink TBF. */
static void lose_tbfs(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_flow *down = &mobile->flows[RADIO_DOWN];
    if (radio->airs[RADIO_DOWN].config.restart_wait_ns && now < down->close_ns)
        down->restart_ns = MOMENT_NEVER;
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        radio_air_forget(&radio->airs[way], &mobile->flows[way]);
        radio_flow_restart(&mobile->flows[way]);
    }
}

/* Sets up the TBFs of a mobile with LLC-PDUs to send. The downlink is first, because a request for the uplink
   may end its wait. An expired LLC-PDU requests no TBF. */
static void resume(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_flow *down = &mobile->flows[RADIO_DOWN];
    if (down->restart_ns)
        down->restart_ns = moment_add(now, radio->airs[RADIO_DOWN].config.restart_wait_ns);
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        radio_air_expire(radio, way, &mobile->flows[way], now);
        if (mobile->flows[way].waiting.head)
            radio_begin(radio, way, mobile, now);
    }
}

static void flush(struct radio *radio, struct radio_mobile *mobile, int64_t now)
{
    struct radio_fifo *waiting = &mobile->flows[RADIO_DOWN].waiting;
    while (waiting->head)
        radio_lose(radio, RADIO_DOWN, RADIO_DISCARD_PREEMPTED, radio_flow_pop(waiting), now);
}

void radio_channels_set(struct radio *radio, unsigned pdchs, int64_t now)
{
    unsigned before = radio->pdchs;
    assert(pdchs <= radio->all_pdchs);
    radio->pdchs = pdchs;
    if (before && !pdchs)
        each_mobile(radio, lose_tbfs, now);
    else if (pdchs && !before)
        each_mobile(radio, resume, now);
    for (unsigned way = 0; way < RADIO_WAYS; way++)
        radio_air_plan(radio, way);
}

void radio_channels_flush(struct radio *radio, int64_t now)
{
    assert(!radio->pdchs);
    each_mobile(radio, flush, now);
}
