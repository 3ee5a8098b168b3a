/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/left_folders.h"

#include "control/base/eal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_left(const char *name)
{
    const size_t prefix = strlen(BENCH_LEFT_FOLDERS_PREFIX);
    if (strncmp(name, BENCH_LEFT_FOLDERS_PREFIX, prefix) != 0)
        return false;
    const long process = strtol(name + prefix, NULL, 10);
    return process > 0 && process <= INT_MAX && kill((pid_t)process, 0) < 0 && errno == ESRCH;
}

/* Its files are not read by any process; a folder in it, which DPDK does not make, stays, and so does it. */
static void remove_folder(int above, const char *name)
{
    const int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        unlinkat(fd, entry->d_name, 0); /* "." and ".." are refused */
    closedir(folder);
    unlinkat(above, name, AT_REMOVEDIR);
}

void bench_left_folders_remove(void)
{
    char path[PATH_MAX];
    eal_folder(path, sizeof(path));
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (is_left(entry->d_name))
            remove_folder(dirfd(folder), entry->d_name);
    closedir(folder);
}
