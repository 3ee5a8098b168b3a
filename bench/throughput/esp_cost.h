/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The price of ESP: a worker without ESP and one with it on the same CPU, in rounds of one window each, whose
 * order changes from round to round. Traffic, mobiles and configuration are the same. A round is void if one
 * of its windows is. The price is the difference of the two windows of a round, per N-PDU.
 *
 * Before its window a worker makes turns that do not count: they bring its code and data back into the
 * caches.
 */
#ifndef BENCH_THROUGHPUT_ESP_COST_H
#define BENCH_THROUGHPUT_ESP_COST_H

#include "bench/throughput/plan.h"

#include <stdbool.h>

struct bench_preloaded;

/* Measures a point of `gbflow bench preloaded --esp`; the result is that of the worker with ESP, and the
 * price. False, with a line on stderr: not measured. */
bool bench_esp_cost_measure(const struct bench_plan *plan, const struct bench_point *point,
                            struct bench_preloaded *out);

#endif
