/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generator takes on Gb: counts users' frames, and opens them as far as a trial wants. */
#ifndef BENCH_THROUGHPUT_GB_RX_H
#define BENCH_THROUGHPUT_GB_RX_H

#include "bench/throughput/generator.h"

#define BENCH_GB_RX_STAMP_OCTETS 8 /* the last ones of an N-PDU: when it was sent */

/* One burst of one way; returns how many frames were users'. */
unsigned bench_gb_rx_burst(struct bench_generator *g, struct bench_generator_link *way, struct bench_trial *t,
                           int64_t now);

#endif
