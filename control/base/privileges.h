/* SPDX-License-Identifier: BSD-3-Clause */
/* Privileges: a live node gives up the rights that only its start needs, and keeps ciphering keys out of core
 * dumps. */
#ifndef CONTROL_BASE_PRIVILEGES_H
#define CONTROL_BASE_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* A signal that makes a thread drop its capabilities. No thread blocks it. */
#define PRIVILEGES_SIGNAL (SIGRTMIN + 2)

/* Before keys are read: no core dump of this process, to a file or a pipe. */
void privileges_hide_memory(void);

/* The user that privileges_drop(user) makes of the process. False, with a line on stderr: there is none. */
bool privileges_user(const char *user, uid_t *out);

/*
 * After the start, in the control thread: other processes of the user cannot read the memory (not dumpable);
 * all threads become `user` (NULL: they keep theirs), have no capabilities, cannot gain rights by exec
 * (no_new_privs), and are refused the system calls of privileges_forbid(). False, with a line on stderr: this
 * failed.
 */
bool privileges_drop(const char *user);

/*
 * For a process of the node's: the same quietly, but for CAP_NET_ADMIN, which stays. False, with a line on
 * stderr: it was not there, or this failed.
 */
bool privileges_keep_net_admin(const char *user);

/* Closes all descriptors above those of stderr but one: for a process of the node's. */
void privileges_close_inherited(int but_fd);

/* The same without the line that warns of root, for a process of the node's. */
bool privileges_drop_quietly(const char *user);

/* Whether this is a build with AddressSanitizer or ThreadSanitizer, which drops no rights but those of the
 * user. */
bool privileges_has_sanitizer(void);

/* Drops all capabilities of the calling thread: the kernel has them by thread. Not to be called in a worker
 * before privileges_drop() with a user, which drops them in all threads. */
void privileges_drop_capabilities(void);

/*
 * Installs a seccomp filter in all threads: exec, ptrace, access to other processes' memory, mounts, name
 * spaces, kernel modules, BPF, keys, clocks and reboot fail with EPERM. False: errno says why.
 */
bool privileges_forbid(void);

#endif
