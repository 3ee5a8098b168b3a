/* SPDX-License-Identifier: BSD-3-Clause */
/* The table `aqm` of live_show.h: what each class's scheme answered, a row for each hook. */
#ifndef CONTROL_LIVE_SHOW_AQM_H
#define CONTROL_LIVE_SHOW_AQM_H

#include "control/live/show_page.h"

#define LIVE_SHOW_AQM_COLUMNS "class:s scheme:s scope:s hook:s asked:n marked:n dropped:n unmarkable:n"

struct live;

void live_show_aqm(const struct live *live, struct show_page *page);

#endif
