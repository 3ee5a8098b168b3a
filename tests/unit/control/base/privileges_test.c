/* SPDX-License-Identifier: BSD-3-Clause */
/* The filter of system calls: refused ones fail with EPERM in every thread, others work. */
#include "control/base/privileges.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long call_exec(void)
{
    char *const words[] = {"true", NULL};
    return execve("/bin/true", words, NULL);
}

static long call_exec_at(void)
{
    char *const words[] = {"true", NULL};
    return syscall(SYS_execveat, -1, "/bin/true", words, NULL, 0);
}

static long call_ptrace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long call_read_memory(void)
{
    return syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0);
}

static long call_unshare(void)
{
    return syscall(SYS_unshare, 0);
}

static long call_x32(void)
{
    return syscall(0x40000000 + SYS_getpid);
}

static long call_socket(void)
{
    return close(socket(AF_INET, SOCK_DGRAM, 0));
}

static long call_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return waitpid(child, NULL, 0) == child ? 0 : -1;
}

static const struct {
    long (*call)(void);
    int error; /* 0: works */
} rows[] = {{call_exec, EPERM},    {call_exec_at, EPERM}, {call_ptrace, EPERM}, {call_read_memory, EPERM},
            {call_unshare, EPERM}, {call_x32, EPERM},     {call_socket, 0},     {call_fork, 0}};

/* The first row that fails, from 1; 0: none. */
static int first_failure(void)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        errno = 0;
        long result = rows[i].call();
        if ((rows[i].error ? result != -1 || errno != rows[i].error : result != 0))
            return (int)i + 1;
    }
    return 0;
}

static pthread_barrier_t barrier;

static void *in_thread(void *unused_arg)
{
    pthread_barrier_wait(&barrier); /* runs before the filter */
    pthread_barrier_wait(&barrier); /* the filter is there */
    return (void *)(intptr_t)first_failure();
}

static int in_child(void)
{
    pthread_t thread;
    void *result;
    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
        return 100;
    pthread_barrier_wait(&barrier);
    if (!privileges_forbid())
        return 101;
    pthread_barrier_wait(&barrier);
    pthread_join(thread, &result);
    return result ? (int)(intptr_t)result : first_failure();
}

static int status_of(int (*function)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(function());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(calls_are_refused_in_all_threads)
{
    assert_int_equal(status_of(in_child), 0);
}

static int without_dumps(void)
{
    struct rlimit limit;
    privileges_hide_memory();
    return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 1 && limit.rlim_max == 1 ? 0 : 1;
}

TEST(core_dumps_are_off)
{
    assert_int_equal(status_of(without_dumps), 0);
}

static int without_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    privileges_drop_capabilities();
    if (syscall(SYS_capget, &header, data) != 0)
        return 1;
    return (data[0].effective | data[0].permitted | data[1].effective | data[1].permitted) == 0 ? 0 : 2;
}

TEST(capabilities_are_dropped)
{
    assert_int_equal(status_of(without_capabilities), 0);
}

UNIT_MAIN(NULL, NULL)
