/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP of a fixture: the associations of its worker, and the other ends, which seal the frames for Gn and open
 * those from Gb. Each side has a tunnel over IPv4 with extended sequence numbers, which only rise, as in a
 * network: no window is ever set back.
 *
 * All fixtures of a process share the crypto device; worker and other ends have queues of their own there.
 */
#ifndef BENCH_ESP_ESP_ENDS_H
#define BENCH_ESP_ESP_ENDS_H

#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers of fixtures that have ESP at a time. */
#define BENCH_ESP_ENDS_MAX 2

/* Octets by which a frame grows in front when it is sealed. */
#define BENCH_ESP_ENDS_BEFORE 36 /* IPv4, ESP's header, IV of AES-GCM */

/* As struct bench_guard has them. */
void *bench_esp_ends_new(const struct bench_plan *plan, const struct bench_guard_addresses *addresses,
                         unsigned number, struct rte_mempool *pool, struct bench_fault *error);
void bench_esp_ends_free(void *ends);
void bench_esp_ends_give(void *ends, struct worker_config *config);
unsigned bench_esp_ends_seal(void *ends, struct rte_mbuf **frames, unsigned count);
unsigned bench_esp_ends_open(void *ends, struct rte_mbuf **frames, unsigned count);
void bench_esp_ends_check(const void *ends, struct bench_fault *fault);

/* Measures a point of `gbflow bench preloaded --esp` (esp_cost.c); the result is that of the worker with ESP,
 * and the price. False, with a line on stderr: not measured. */
bool bench_esp_cost_measure(const struct bench_plan *plan, const struct bench_point *point,
                            struct bench_preloaded *out);

/* The crypto device that has the plan's suite, once ends are open. */
const char *bench_esp_ends_device(void);

#endif
