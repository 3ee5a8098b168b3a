/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/html.h"

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
        fprintf(stderr, "gbflow bench: %s: %s\n", own_json, strerror(errno));
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

int bench_html_become(int argc, char **argv)
{
    static char command[] = "bench";
    char *arguments[ARGUMENTS] = {command};
    if (argc > ARGUMENTS)
        return command_wrong("bench", "too many reports", "");
    for (int i = 1; i < argc; i++)
        arguments[i] = argv[i];
    return report_become(arguments, (unsigned)argc);
}
