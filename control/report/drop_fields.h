/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons of drops as the words of fields: dataplane/base/drop.def. */
#ifndef CONTROL_REPORT_DROP_FIELDS_H
#define CONTROL_REPORT_DROP_FIELDS_H

#include "control/report/field.h"

/* Of counters that are indexed by enum drop: the reasons of frames, and of these those of drops and the kinds
 * of handled frames (drop.h); of N-PDUs, and those of uplink LLC-PDUs. */
extern const struct field_words drop_fields_frames, drop_fields_lost, drop_fields_handled, drop_fields_npdus,
    drop_fields_llc_pdus;

#endif
