/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* LeakSanitizer stops threads by ptrace at the end. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

void privileges_hide_memory(void)
{
    /* A pipe in core_pattern is not limited by 0, but by 1: see core(5) and do_coredump() of Linux. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
}

/* --- system calls --- */

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no seccomp filter is known for this architecture: add its AUDIT_ARCH_ name here (linux/audit.h)"
#endif

static const uint32_t forbidden[] = {
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_setns,
    SYS_unshare,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_open_by_handle_at,
    SYS_sethostname,
    SYS_setdomainname,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
#endif
};

#define COUNT (sizeof(forbidden) / sizeof(forbidden[0]))

/* Another architecture's numbers, those of x32 among them, are refused as a whole. */
bool privileges_forbid(void)
{
    struct sock_filter code[COUNT + 6] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, COUNT + 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, COUNT + 1, 0),
    };
    for (size_t i = 0; i < COUNT; i++)
        code[i + 4] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], (uint8_t)(COUNT - i), 0);
    code[COUNT + 4] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[COUNT + 5] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog program = {.len = COUNT + 6, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/* --- users and capabilities --- */

void privileges_drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{.effective = 0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    syscall(SYS_capset, &header, none);
}

/* --- capabilities of other threads --- */

/* Capabilities belong to threads, and DPDK starts some before its devices are open, for which the node needs
 * capabilities. A signal makes each of them drop its own. */
#define DROP_TURNS   250
#define DROP_TURN_MS 2

static void on_drop_signal(int unused_signal)
{
    int error = errno;
    privileges_drop_capabilities();
    errno = error;
}

static bool has_capabilities(pid_t thread)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = thread};
    struct __user_cap_data_struct has[2] = {{.effective = 0}};
    return syscall(SYS_capget, &header, has) == 0 && (has[0].permitted | has[1].permitted) != 0;
}

/* Signals the threads that have capabilities; returns how many. */
static unsigned signal_threads(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        pid_t thread = (pid_t)strtol(task->d_name, NULL, 10);
        if (thread > 0 && has_capabilities(thread)) {
            syscall(SYS_tgkill, getpid(), thread, PRIVILEGES_SIGNAL);
            count++;
        }
    }
    if (tasks)
        closedir(tasks);
    return count;
}

static void drop_threads(void)
{
    struct sigaction action = {.sa_handler = on_drop_signal, .sa_flags = SA_RESTART};
    unsigned count = 1;
    sigaction(PRIVILEGES_SIGNAL, &action, NULL);
    for (unsigned turn = 0; turn < DROP_TURNS && (count = signal_threads()) > 0; turn++)
        poll(NULL, 0, DROP_TURN_MS);
    if (count > 0)
        fprintf(stderr, "gbflow: warning: %u threads keep capabilities; --user NAME takes them away\n",
                count);
}

static bool privileges_complain(const char *what, const char *why)
{
    fprintf(stderr, "gbflow: %s: %s\n", what, why);
    return false;
}

static const struct passwd *entry_of(const char *user)
{
    errno = 0;
    const struct passwd *entry = getpwnam(user);
    if (!entry)
        privileges_complain(user, errno ? strerror(errno) : "there is no such user (--user)");
    return entry;
}

bool privileges_user(const char *user, uid_t *out)
{
    const struct passwd *entry = user ? entry_of(user) : NULL;
    *out = entry ? entry->pw_uid : geteuid();
    return entry || !user;
}

static bool become(const char *user)
{
    const struct passwd *entry = entry_of(user);
    if (!entry)
        return false;
    if (setgroups(0, NULL) < 0 || setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) < 0 ||
        setresuid(entry->pw_uid, entry->pw_uid, entry->pw_uid) < 0)
        return privileges_complain(user, strerror(errno));
    return true;
}

bool privileges_has_sanitizer(void)
{
#ifdef HAS_SANITIZER
    return true;
#else
    return false;
#endif
}

bool privileges_drop_quietly(const char *user)
{
    if (user && !become(user))
        return false;
    if (privileges_has_sanitizer())
        return true;
    if (!user)
        privileges_drop_capabilities();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return privileges_forbid() || privileges_complain("seccomp", strerror(errno));
}

bool privileges_keep_net_admin(const char *user)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const uint32_t bit = 1U << CAP_NET_ADMIN;
    const struct __user_cap_data_struct kept[2] = {{.effective = bit, .permitted = bit}};
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    if (user && !become(user))
        return false;
    if (syscall(SYS_capset, &header, kept) != 0)
        return privileges_complain("CAP_NET_ADMIN", strerror(errno));
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return privileges_has_sanitizer() || privileges_forbid() ||
           privileges_complain("seccomp", strerror(errno));
}

void privileges_close_inherited(int but_fd)
{
    if (but_fd > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)but_fd - 1, 0);
    close_range((unsigned)but_fd + 1, ~0U, 0);
}

bool privileges_drop(const char *user)
{
    if (!privileges_drop_quietly(user))
        return false;
    if (!user && !privileges_has_sanitizer())
        drop_threads();
    if (privileges_has_sanitizer())
        fprintf(stderr, "gbflow: no seccomp filter in a build with a sanitizer, which needs ptrace, and "
                        "capabilities stay\n");
    else if (geteuid() == 0)
        fprintf(stderr, "gbflow: warning: stays root, without capabilities; --user NAME changes the user\n");
    return true;
}
