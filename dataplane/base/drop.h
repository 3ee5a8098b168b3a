/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reasons for which a frame or an N-PDU is dropped: the rows of drop.def, with their names in reports and
 * their causes.
 *
 * Two kinds, which no sum mixes:
 *   frames  received by a port, and never an N-PDU or a signalling PDU (or a reassembled one),
 *   N-PDUs  user packets: in = out + dropped + queued holds over these.
 */
#ifndef DATAPLANE_BASE_DROP_H
#define DATAPLANE_BASE_DROP_H

#include <stdbool.h>

enum drop {
    DROP_NONE = 0,
#define DROP_FRAME(id, name, cause)   DROP_##id,
#define DROP_HANDLED(id, name, cause) DROP_##id,
#define DROP_NPDU(id, name, cause)    DROP_##id,
#include "dataplane/base/drop.def"
#undef DROP_FRAME
#undef DROP_HANDLED
#undef DROP_NPDU
    DROP_COUNT,
};

/* The first reason that counts frames which were answered, handed to control, or are to be ignored. */
#define DROP_FIRST_HANDLED DROP_GTPU_ECHO_RESPONSE

/* The first reason that counts N-PDUs. */
#define DROP_FIRST_NPDU DROP_UNKNOWN_TEID

/* Name of a reason ("queue_full"), static string; "?" out of range. */
const char *drop_name(enum drop reason);

/* True for reasons that count N-PDUs, false for those that count frames. */
static inline bool drop_is_npdu(enum drop reason)
{
    return reason >= DROP_FIRST_NPDU;
}

/* True for frames that have done their work: answered, taken by control, or sent to be ignored. */
static inline bool drop_is_handled(enum drop reason)
{
    return reason >= DROP_FIRST_HANDLED && reason < DROP_FIRST_NPDU;
}

#endif
