/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/scenario_config.h"

#include <stdlib.h>

void scenario_config_free(struct scenario_config *config)
{
    for (uint32_t i = 0; i < config->assumption_count; i++) {
        free(config->assumptions[i].path);
        free(config->assumptions[i].value);
        free(config->assumptions[i].why);
        free(config->assumptions[i].holds_over);
    }
    for (uint32_t i = 0; i < config->set_count; i++) {
        free(config->sets[i].path);
        free(config->sets[i].value);
    }
    free(config->title);
    free(config->text);
    free(config->cells);
    free(config->mobiles);
    free(config->traffic);
    free(config->moves);
    free(config->assumptions);
    free(config->sets);
    node_config_free(&config->node);
    *config = (struct scenario_config){0};
}
