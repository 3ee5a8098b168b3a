/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/drop_fields.h"

#include "dataplane/base/drop.h"

static const struct field_word reasons[DROP_COUNT] = {
#define DROP_FRAME(id, name, cause)   [DROP_##id] = {name, cause},
#define DROP_HANDLED(id, name, cause) [DROP_##id] = {name, cause},
#define DROP_NPDU(id, name, cause)    [DROP_##id] = {name, cause},
#include "dataplane/base/drop.def"
#undef DROP_FRAME
#undef DROP_HANDLED
#undef DROP_NPDU
};

const struct field_words drop_fields_frames = {"REASON", DROP_NONE + 1, DROP_FIRST_NPDU, reasons};
const struct field_words drop_fields_lost = {"REASON", DROP_NONE + 1, DROP_FIRST_HANDLED, reasons};
const struct field_words drop_fields_handled = {"KIND", DROP_FIRST_HANDLED, DROP_FIRST_NPDU, reasons};
const struct field_words drop_fields_npdus = {"REASON", DROP_FIRST_NPDU, DROP_COUNT, reasons};
const struct field_words drop_fields_llc_pdus = {"REASON", DROP_UNKNOWN_TLLI, DROP_LLC_OLD + 1, reasons};
