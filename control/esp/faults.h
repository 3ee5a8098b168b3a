/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults of ESP in the log, packets that it dropped: at most one line for each reason and port in some
 * seconds, with how many there were since the line before, and one of them.
 */
#ifndef CONTROL_ESP_FAULTS_H
#define CONTROL_ESP_FAULTS_H

#include "dataplane/worker/msg.h"

#include <stdint.h>

#define ESP_FAULTS_NS (10 * MOMENT_SECOND) /* at least, between two lines */

struct esp_faults {
    struct esp_fault {
        int64_t next_ns; /* of the next line */
        uint64_t count;  /* packets since the last line */
        struct fault one;
    } list[MSG_PORTS][FAULTS_COUNT];
};

struct esp_live;

/* Takes what a worker tells. */
void esp_faults_take(struct esp_live *esp, const struct faults_news *fault);

/* Writes lines that are due; returns the time of the next one. */
int64_t esp_faults_step(struct esp_live *esp, int64_t now);

#endif
