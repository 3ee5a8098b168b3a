/* SPDX-License-Identifier: BSD-3-Clause */
/* Applications of a run: the traffic of each mobile, started and ended by its model. */
#include "app/run/servers.h"
#include "app/run/traffic_connection.h"

#include <stdio.h>
#include <stdlib.h>

#define TRAFFIC(kind, file) &traffic_##kind,
const struct app_ops *const run_apps_kinds[] = {
#include "app/run/traffic.def"
    NULL};
#undef TRAFFIC

#define TRAFFIC(kind, file) FIELD_ROWS(0, traffic_##kind.results),
const struct field run_apps_results[] = {FIELD_ROWS(0, traffic_connection_results),
                                         FIELD_ROWS(0, run_servers_results),
#include "app/run/traffic.def"
                                         FIELD_END};
#undef TRAFFIC

#define TRAFFIC(kind, file) FIELD_ROWS(0, traffic_##kind.series),
const struct field run_apps_series[] = {FIELD_ROWS(0, run_series),
#include "app/run/traffic.def"
                                        FIELD_ROWS(0, traffic_connection_series), FIELD_END};
#undef TRAFFIC

bool run_apps_new(struct scenario_run *r)
{
    r->apps = calloc(r->scenario.traffic_count + 1, sizeof(*r->apps));
    for (uint32_t i = 0; r->apps && i < r->scenario.traffic_count; i++) {
        const struct scenario_config_traffic *config = &r->scenario.traffic[i];
        struct run_app *app = &r->apps[i];
        *app = (struct run_app){.mobile = &r->mobiles[config->mobile], .config = config};
        app->number = i - app->mobile->config->first_traffic;
        app->server_ns = run_servers_of_item(app->mobile, config);
        app->model = config->ops->start(app);
        if (!app->model) {
            fprintf(stderr, "gbflow: traffic item %u of mobile '%s' does not start: out of memory\n",
                    app->number + 1, app->mobile->config->name);
            return false;
        }
    }
    return r->apps != NULL;
}

void run_apps_free(struct scenario_run *r)
{
    for (uint32_t i = 0; r->apps && i < r->scenario.traffic_count; i++)
        if (r->apps[i].model)
            r->apps[i].config->ops->end(&r->apps[i]);
    free(r->apps);
    r->apps = NULL;
    for (uint32_t i = 0; r->mobiles && i < r->scenario.mobile_count; i++)
        quic_session_port_free(r->mobiles[i].quic);
    for (uint32_t i = 0; r->packets && i < r->scenario.trace_count; i++)
        free(r->packets[i]);
    free(r->packets);
    r->packets = NULL;
}
