/* SPDX-License-Identifier: BSD-3-Clause */
/* The AQM scheme RED as a plug-in, to be measured beside the built-in one. */
#include "dataplane/aqm/aqm.h"

extern const struct aqm_ops red_ops;

AQM_PLUGIN(red_ops);
