/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP of a fixture: the associations of its worker, and the other ends, which seal the frames for Gn and open
 * those from Gb. Each side has a tunnel over IPv4 with extended sequence numbers, which only rise, as in a
 * network: no window is ever set back.
 *
 * All fixtures of a process share the crypto device; worker and other ends have queues of their own there.
 */
#ifndef BENCH_THROUGHPUT_ESP_ENDS_H
#define BENCH_THROUGHPUT_ESP_ENDS_H

#include "bench/throughput/console.h"
#include "bench/throughput/plan.h"

#include <stdint.h>

struct bench_esp_ends;
struct rte_mbuf;
struct rte_mempool;
struct worker_config;

/* Numbers of fixtures that have ESP at a time. */
#define BENCH_ESP_ENDS_MAX 2

/* Octets by which a frame grows in front when it is sealed. */
#define BENCH_ESP_ENDS_BEFORE 36 /* IPv4, ESP's header, IV of AES-GCM */

/* Ends of fixture `number`, with a copy's buffers from pool. The addresses are those of Gn's packets and
 * Gb's. NULL: error says why. */
struct bench_esp_addresses {
    uint32_t sgsn_ip, ggsn_ip, bss_ip;
};
struct bench_esp_ends *bench_esp_ends_new(const struct bench_plan_esp *plan,
                                          const struct bench_esp_addresses *addresses, unsigned number,
                                          struct rte_mempool *pool, struct bench_fault *error);
void bench_esp_ends_free(struct bench_esp_ends *ends);

/* Gives the worker's ends to its configuration. */
void bench_esp_ends_give(const struct bench_esp_ends *ends, struct worker_config *config);

/* Seals frames that are to come to Gn; opens frames that left on Gb; up to 64, if the side has ESP. Return
 * how many are left, in front; the others are freed and counted. */
unsigned bench_esp_ends_seal(struct bench_esp_ends *ends, struct rte_mbuf **frames, unsigned count);
unsigned bench_esp_ends_open(struct bench_esp_ends *ends, struct rte_mbuf **frames, unsigned count);

/* Adds frames that were not sealed or opened. */
void bench_esp_ends_check(const struct bench_esp_ends *ends, struct bench_fault *fault);

/* The crypto device that has the plan's suite, once ends are open. */
const char *bench_esp_ends_device(void);

#endif
