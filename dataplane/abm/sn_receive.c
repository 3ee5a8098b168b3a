/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/abm/sn_receive.h"

/* A first segment. Without recovery LLC has kept the order, and the number is the sender's affair. */
static enum sn_fate sn_receive_begin(struct sn_receive *s, const struct sn_data *in)
{
    bool is_before = (uint8_t)(s->number - in->number - 1) < SN_MOST_UNCONFIRMED;
    bool is_again = s->is_recovering && is_before;
    s->is_partial = false;
    s->is_skipping = is_again && in->more;
    if (is_again)
        return SN_AGAIN;
    s->is_recovering = false;
    s->number = in->number;
    s->is_partial = in->more;
    s->segment = 0;
    if (in->more)
        return SN_BEGIN;
    s->number++;
    return SN_WHOLE;
}

enum sn_fate sn_receive_take(struct sn_receive *s, const struct sn_data *in)
{
    if (in->first)
        return sn_receive_begin(s, in);
    if (s->is_skipping) {
        s->is_skipping = in->more;
        return SN_AGAIN;
    }
    if (!s->is_partial)
        return SN_ERROR;
    s->segment += s->segment < 31;
    if (in->more)
        return SN_APPEND;
    s->is_partial = false;
    s->number++;
    return SN_END;
}

void sn_receive_established(struct sn_receive *s)
{
    s->is_partial = s->is_skipping = false;
    s->is_recovering = true;
}
