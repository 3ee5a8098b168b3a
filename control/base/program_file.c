/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/program_file.h"

#include "dataplane/base/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

void program_file_init(struct program_file *file, const char *link)
{
    struct stat found;
    ssize_t octets = readlink(link, file->path, sizeof(file->path) - 1);
    bool is_known = octets > 0 && stat(link, &found) == 0;
    file->path[is_known ? octets : 0] = 0;
    file->device = is_known ? found.st_dev : 0;
    file->inode = is_known ? found.st_ino : 0;
}

/* The time of the inode's change: that of the content is when a package was built. */
enum program_file_state program_file_look(const struct program_file *file, int64_t *replaced_at_ns)
{
    struct stat found;
    *replaced_at_ns = 0;
    if (!file->path[0])
        return PROGRAM_FILE_UNKNOWN;
    if (stat(file->path, &found) != 0)
        return errno == ENOENT ? PROGRAM_FILE_DELETED : PROGRAM_FILE_UNKNOWN;
    if (found.st_dev == file->device && found.st_ino == file->inode)
        return PROGRAM_FILE_CURRENT;
    *replaced_at_ns = found.st_ctim.tv_sec * MOMENT_SECOND + found.st_ctim.tv_nsec;
    return PROGRAM_FILE_REPLACED;
}

const char *program_file_text(enum program_file_state state)
{
    static const char *const texts[] = {
        [PROGRAM_FILE_CURRENT] = "current",
        [PROGRAM_FILE_REPLACED] = "replaced on disk: restart the node",
        [PROGRAM_FILE_DELETED] = "deleted from disk",
        [PROGRAM_FILE_UNKNOWN] = "unknown",
    };
    return texts[state];
}
