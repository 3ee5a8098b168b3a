/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of next hops on the links, and of the capture. record: struct live. */
#ifndef CONTROL_LIVE_SHOW_LINKS_H
#define CONTROL_LIVE_SHOW_LINKS_H

#include "control/report/field.h"

extern const struct field show_links_neighbours[], show_links_capture[];

void show_links_each_neighbour(const void *record, struct field_sink *sink);
void show_links_each_capture(const void *record, struct field_sink *sink);

#endif
