/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/defaults.h"

bool defaults_set(struct defaults *d, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    if (d->max_octets == max_octets && d->rate_bps == rate_bps)
        return false;
    d->offset_nbit += ((defaults_nbit)d->rate_bps - (defaults_nbit)rate_bps) * now;
    d->max_octets = max_octets;
    d->rate_bps = rate_bps;
    defaults_renew(d, now);
    return true;
}

void defaults_renew(struct defaults *d, int64_t now)
{
    d->since_ns = now;
    d->epoch++;
}

void defaults_leak(const struct defaults *d, struct bucket *b, defaults_nbit offset_nbit)
{
    defaults_nbit before = (defaults_nbit)b->rate_bps * b->t_ns + offset_nbit;
    defaults_nbit leak = (defaults_nbit)d->rate_bps * d->since_ns + d->offset_nbit - before;
    defaults_nbit level = (defaults_nbit)bucket_level_nbit(b);
    bucket_put(b, level > leak ? (bucket_nbit)(level - leak) : 0, d->since_ns);
}
