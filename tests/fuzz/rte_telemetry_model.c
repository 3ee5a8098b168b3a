/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/rte_telemetry_model.h"

#include "tests/fuzz/fuzz.h"

#include <ctype.h>

struct rte_telemetry_model_command rte_telemetry_model_commands[RTE_TELEMETRY_MODEL_COMMANDS];
unsigned rte_telemetry_model_count;

/* Some linkers let DPDK's own libraries register their commands here, too. */
int rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help)
{
    if (strncmp(cmd, "/gbflow/", strlen("/gbflow/")) != 0)
        return 0;
    FUZZ_CHECK(rte_telemetry_model_count < RTE_TELEMETRY_MODEL_COMMANDS && help && help[0]);
    rte_telemetry_model_commands[rte_telemetry_model_count].name = strdup(cmd);
    rte_telemetry_model_commands[rte_telemetry_model_count++].answer = fn;
    return 0;
}

struct rte_tel_data *rte_tel_data_alloc(void)
{
    return calloc(1, sizeof(struct rte_tel_data));
}

int rte_tel_data_start_array(struct rte_tel_data *d, enum rte_tel_value_type unused_type)
{
    d->is_array = true;
    return 0;
}

int rte_tel_data_add_array_string(struct rte_tel_data *d, const char *text)
{
    FUZZ_CHECK(d->is_array && d->count < RTE_TELEMETRY_MODEL_CELLS && text &&
               strlen(text) < RTE_TEL_MAX_STRING_LEN);
    snprintf(d->cells[d->count++], sizeof d->cells[0], "%s", text);
    return 0;
}

int rte_tel_data_add_array_container(struct rte_tel_data *d, struct rte_tel_data *list, int unused_keep)
{
    FUZZ_CHECK(d->is_array && d->count < RTE_TEL_MAX_ARRAY_ENTRIES);
    d->lists[d->count++] = list;
    return 0;
}

int rte_tel_data_start_dict(struct rte_tel_data *d)
{
    d->is_dictionary = true;
    return 0;
}

/* DPDK takes letters, digits, '_' and '/'. */
static void check_name(const char *name)
{
    FUZZ_CHECK(name && name[0] && strlen(name) < RTE_TEL_MAX_STRING_LEN);
    for (const char *c = name; *c; c++)
        FUZZ_CHECK(isalnum((unsigned char)*c) || *c == '_' || *c == '/');
}

int rte_tel_data_add_dict_string(struct rte_tel_data *d, const char *name, const char *text)
{
    check_name(name);
    FUZZ_CHECK(d->is_dictionary && d->count < RTE_TELEMETRY_MODEL_CELLS && text);
    FUZZ_CHECK(strlen(text) < RTE_TEL_MAX_STRING_LEN);
    snprintf(d->cells[d->count++], sizeof d->cells[0], "%s", text);
    return 0;
}

int rte_tel_data_add_dict_uint(struct rte_tel_data *d, const char *name, uint64_t number)
{
    check_name(name);
    FUZZ_CHECK(d->is_dictionary && d->count < RTE_TELEMETRY_MODEL_CELLS);
    snprintf(d->cells[d->count++], sizeof d->cells[0], "%llu", (unsigned long long)number);
    return 0;
}
