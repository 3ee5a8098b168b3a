/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/config.h"

#include <stdlib.h>

void emulate_config_free(struct emulate_config *config)
{
    free(config->nsvcs);
    free(config->cells);
    free(config->mobiles);
    free(config->devices);
    scenario_config_free(&config->air);
    *config = (struct emulate_config){0};
}
