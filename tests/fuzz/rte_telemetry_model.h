/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of DPDK's telemetry: the registered commands, and what an answer consists of. */
#ifndef TESTS_FUZZ_RTE_TELEMETRY_MODEL_H
#define TESTS_FUZZ_RTE_TELEMETRY_MODEL_H

#include <rte_telemetry.h>
#include <stdbool.h>

enum { RTE_TELEMETRY_MODEL_COMMANDS = 8, RTE_TELEMETRY_MODEL_LISTS = 600, RTE_TELEMETRY_MODEL_CELLS = 8 };

/* A list of lists, or of texts, or a dictionary of numbers and texts, whose names are not kept. */
struct rte_tel_data {
    unsigned count;
    bool is_array, is_dictionary;
    struct rte_tel_data *lists[RTE_TELEMETRY_MODEL_LISTS]; /* the owner's of the answer */
    char cells[RTE_TELEMETRY_MODEL_CELLS][RTE_TEL_MAX_STRING_LEN];
};

struct rte_telemetry_model_command {
    const char *name;
    telemetry_cb answer;
};

extern struct rte_telemetry_model_command rte_telemetry_model_commands[RTE_TELEMETRY_MODEL_COMMANDS];
extern unsigned rte_telemetry_model_count;

#endif
