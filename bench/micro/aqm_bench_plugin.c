/* SPDX-License-Identifier: BSD-3-Clause */
/* RED once more, as a plug-in, to be measured beside the one built in. */
#include "dataplane/aqm/aqm.h"

extern const struct aqm_ops red_ops;

AQM_PLUGIN(red_ops);
