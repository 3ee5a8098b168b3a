/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/html.h"

#include "bench/throughput/console.h"
#include "bench/throughput/report.h"
#include "control/base/command.h"
#include "control/base/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS 64

static char own_json[] = "/tmp/gbflow-bench-XXXXXX";
static bool is_own;

bool bench_html_begin(struct bench_plan *plan)
{
    if (!plan->html || plan->json)
        return true;
    int fd = mkstemp(own_json);
    if (fd < 0) {
        bench_error("%s: %s", own_json, strerror(errno));
        return false;
    }
    close(fd);
    plan->json = own_json;
    is_own = true;
    return true;
}

static bool make(const struct bench_plan *plan)
{
    static char command[] = "bench", option[] = "--html", json[PATH_MAX], html[PATH_MAX];
    char *arguments[] = {command, json, option, html};
    snprintf(json, sizeof(json), "%s", plan->json);
    snprintf(html, sizeof(html), "%s", plan->html);
    return report_call(arguments, 4);
}

int bench_html_end(const struct bench_plan *plan, int status)
{
    if (plan->html && bench_report_is_written() && !make(plan))
        status = COMMAND_FAILED;
    if (is_own)
        unlink(own_json);
    return status;
}

int bench_html_run(const struct bench_plan *plan)
{
    static char command[] = "bench", option[] = "--html", html[PATH_MAX];
    char *arguments[ARGUMENTS] = {command, option, html};
    unsigned count = 3;
    if (plan->file_count > ARGUMENTS - count)
        return bench_refuse("%u reports, at most %u", plan->file_count, ARGUMENTS - count);
    snprintf(html, sizeof(html), "%s", plan->html);
    for (unsigned i = 0; i < plan->file_count; i++)
        arguments[count++] = plan->files[i];
    return report_become(arguments, count);
}
