/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of the program that a process runs, and whether that file still has its name. An upgrade renames
 * another file to the name, and the process runs the old one until it restarts. The file is never written in
 * place: the kernel refuses that while the program runs (ETXTBSY).
 */
#ifndef CONTROL_BASE_PROGRAM_FILE_H
#define CONTROL_BASE_PROGRAM_FILE_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

enum program_file_state {
    PROGRAM_FILE_CURRENT,
    PROGRAM_FILE_REPLACED, /* the name has another file */
    PROGRAM_FILE_DELETED,  /* nothing has the name */
    PROGRAM_FILE_UNKNOWN,  /* there is no /proc, or the name cannot be looked up */
};

struct program_file {
    char path[PATH_MAX]; /* at the start; "": unknown */
    dev_t device;
    ino_t inode; /* not given away while the process runs */
};

/* link: of procfs to a file that the process has open, "/proc/self/exe" for the program. */
void program_file_init(struct program_file *file, const char *link);

/* replaced_at_ns: when the other file got the name, since 1970; 0 if the state is not PROGRAM_FILE_REPLACED.
 */
enum program_file_state program_file_look(const struct program_file *file, int64_t *replaced_at_ns);

/* The state as `gbflow show node` has it. */
const char *program_file_text(enum program_file_state state);

#endif
