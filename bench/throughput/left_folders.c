/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/left_folders.h"

#include "control/base/eal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Whether the program names its folder so, and sees no process of that number. */
static bool is_left(const char *name)
{
    const size_t prefix = strlen(BENCH_LEFT_FOLDERS_PREFIX);
    if (strncmp(name, BENCH_LEFT_FOLDERS_PREFIX, prefix) != 0)
        return false;
    const char *digits = name + prefix;
    char *end;
    const long process = strtol(digits, &end, 10);
    return digits[0] >= '1' && digits[0] <= '9' && *end == '\0' && process <= INT_MAX &&
           kill((pid_t)process, 0) < 0 && errno == ESRCH;
}

/* The kernel refuses a connection to a file that is no socket, or the socket of a process that is gone. */
static bool is_refused(int folder, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int chars =
        snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", folder, name);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    const bool is_refused = chars < (int)sizeof(address.sun_path) &&
                            connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 &&
                            errno == ECONNREFUSED;
    close(fd);
    return is_refused;
}

/* A process of another PID namespace is not seen, but its socket of telemetry is open. */
static bool has_open_socket(DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (!is_refused(dirfd(folder), entry->d_name))
            return true;
    rewinddir(folder);
    return false;
}

/* Its files are not read by any process; a folder in it, which DPDK does not make, stays, and so does it. */
static void remove_folder(int above, const char *name)
{
    const int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder)
        return;
    const bool is_used = has_open_socket(folder);
    for (const struct dirent *entry; !is_used && (entry = readdir(folder));)
        unlinkat(fd, entry->d_name, 0); /* "." and ".." are refused */
    closedir(folder);
    if (!is_used)
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
