/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/live_config.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned last_of(const char *path)
{
    unsigned last = UINT8_MAX;
    FILE *file = fopen(path, "r");
    if (!file)
        return last;
    if (fscanf(file, "%3u", &last) != 1)
        last = UINT8_MAX;
    fclose(file);
    return last;
}

static bool keep(const char *path, uint8_t restarts)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool is_written = fprintf(file, "%u\n", restarts) > 0;
    return fclose(file) == 0 && is_written;
}

uint8_t live_config_next_restart(const char *path)
{
    uint8_t next = (uint8_t)(clock_wall_ns() / MOMENT_SECOND);
    if (!path[0])
        return next;
    uint8_t kept = (uint8_t)(last_of(path) + 1U);
    if (keep(path, kept))
        return kept;
    fprintf(
        stderr,
        "gbflow: gn.gtpc.restart_file: cannot write '%s': %s; the restart counter is derived from the time\n",
        path, strerror(errno));
    return next;
}
