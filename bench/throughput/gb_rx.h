/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator's receive path on Gb: counts LLC frames, and decodes them as far as the trial asks for. */
#ifndef BENCH_THROUGHPUT_GB_RX_H
#define BENCH_THROUGHPUT_GB_RX_H

#include "bench/throughput/generator.h"

#define BENCH_GB_RX_STAMP_OCTETS 8 /* the last octets of an N-PDU: its sending time */

/* Receives one burst of one link; returns the number of users' frames in it. */
unsigned bench_gb_rx_burst(struct bench_generator *g, struct bench_generator_link *way, struct bench_trial *t,
                           int64_t now);

#endif
