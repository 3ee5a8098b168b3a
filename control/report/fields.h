/* SPDX-License-Identifier: BSD-3-Clause */
/* Small helpers for JSON reports: what several of them write, and write alike. Values are handed over. */
#ifndef CONTROL_REPORT_FIELDS_H
#define CONTROL_REPORT_FIELDS_H

#include "control/config/address_book.h"
#include "control/base/samples.h"

#include "dataplane/worker/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

void fields_put(json_t *object, const char *key, json_t *value);
void fields_put_count(json_t *object, const char *key, uint64_t value);
void fields_put_seconds(json_t *object, const char *key, int64_t ns);

/* An IPv4 address in dotted form. */
json_t *fields_ip(uint32_t address);

/* An address of a tunnel's end (base/address.h). */
json_t *fields_address(const struct address_book *book, uint32_t address);

/* Drops by reason, of frames or of N-PDUs: every reason, also those that did not happen. Indexed by enum
 * drop. */
json_t *fields_drops(const uint64_t *counts, bool are_npdus);

/* What a worker was asked on Gn and answered, and the sessions that a GGSN's word has ended. */
json_t *fields_gn(const struct worker_stats *stats, uint64_t lost_sessions);

/* {["mean": ...,] "p50": ..., "p95": ..., ["p99": ...,] "max": ...} in seconds, a whole one with mean and
   p99; null without samples. */
json_t *fields_quantiles(struct samples *samples, bool is_whole);

/* Writes an object, indented, and gives it back. False, with a line on stderr, when it cannot be written. */
bool fields_write(json_t *object, const char *path);

#endif
