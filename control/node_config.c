/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/node_config.h"

#include <stdlib.h>

void node_config_free(struct node_config *config)
{
    free(config->nseis);
    free(config->nsvcs);
    free(config->cells);
    free(config->homes);
    free(config->list);
    free(config->contexts);
    free(config->announcements);
    free(config->announced_ms);
    *config = (struct node_config){0};
}

int node_config_nse(const struct node_config *config, uint32_t nsei)
{
    for (uint32_t i = 0; i < config->nse_count; i++)
        if (config->nseis[i] == nsei)
            return (int)i;
    return -1;
}

int node_config_cell(const struct node_config *config, int nse, uint32_t bvci)
{
    for (uint32_t i = 0; i < config->cell_count; i++)
        if (config->cells[i].nse == nse && config->cells[i].bvci == bvci)
            return (int)i;
    return -1;
}
