/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phones that attach in one cell during a flood of new phones in another one of the same NSE. One queue: a
 * message waits until those before it are served, for as long as each of them takes. Phones answer at once.
 */
#ifndef BENCH_LIVE_PHONES_FLOOD_H
#define BENCH_LIVE_PHONES_FLOOD_H

#include <stdint.h>

/* Milliseconds from the requests of all phones, at one instant, until the last one has attached. flood_pps:
 * ATTACH REQUESTs a second, 0: none; the flood begins before_s seconds earlier. */
double phones_flood_ms(uint32_t phones, uint32_t flood_pps, uint32_t before_s);

#endif
