/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of the log about packets that ESP dropped: at most one for each reason and port in some seconds, with
 * how many there were since the line before, and one of them.
 */
#ifndef CONTROL_LIVE_ESP_FAULTS_H
#define CONTROL_LIVE_ESP_FAULTS_H

#include "dataplane/worker/msg.h"

#include <stdint.h>

#define LIVE_ESP_FAULTS_NS (10 * MOMENT_SECOND) /* at least, between two lines */

struct live_esp_faults {
    struct live_esp_fault {
        int64_t next_ns; /* of the next line */
        uint64_t count;  /* packets since the last line */
        struct fault one;
    } list[MSG_PORTS][FAULTS_COUNT];
};

struct live;

/* Takes what workers tell from now on. */
void live_esp_faults_serve(struct live *live);

/* Writes lines that are due; returns the time of the next one. */
int64_t live_esp_faults_step(struct live *live, int64_t now);

#endif
