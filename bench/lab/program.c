/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/lab/program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LEVELS 3 /* build/bench/lab/gbflow-lab to build */

const char *bench_lab_program(const struct bench_plan *plan)
{
    static char path[PATH_MAX + sizeof("/gbflow")];
    if (plan->programs[0])
        return plan->programs[0];
    ssize_t octets = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[octets > 0 ? octets : 0] = 0;
    for (unsigned i = 0; i < LEVELS; i++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    size_t octets_of_folder = strlen(path);
    snprintf(path + octets_of_folder, PATH_MAX - octets_of_folder, "/gbflow");
    return path;
}
