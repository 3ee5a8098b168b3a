/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/runtime_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

size_t runtime_folder(char *out, size_t cap)
{
    const char *folder = getenv("RUNTIME_DIRECTORY"), *user = getenv("XDG_RUNTIME_DIR");
    if (!folder)
        folder = getuid() == 0 ? "/var/run" : user ? user : "/tmp";
    size_t chars = (size_t)snprintf(out, cap, "%s/dpdk", folder);
    return chars < cap ? chars : cap - 1;
}
