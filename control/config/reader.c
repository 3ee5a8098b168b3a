/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/reader.h"

#include "control/config/lua_config_diff.h"
#include "control/base/privileges.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX_OCTETS ((size_t)16 << 20)
#define PATH_CHARS      4096
#define READER_NICE     10
#define CPU_SECONDS     60
#define WALL_SECONDS    120
#define ADDRESS_OCTETS  ((rlim_t)4 << 30)

/* --- the process --- */

/* Its lines take the place of the text. */
static int try_text(const char *path, char *text)
{
    char *said = NULL;
    size_t octets = 0;
    FILE *lines = open_memstream(&said, &octets);
    if (lines)
        stderr = lines;
    bool is_right = lua_config_diff_is_right(path, text);
    bool is_said = lines && fclose(lines) == 0;
    snprintf(text, TEXT_MAX_OCTETS, "%s", is_said ? said : "");
    return is_right ? 0 : 1;
}

static int child_of(const char *path, char *text)
{
    signal(SIGALRM, SIG_DFL);
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_SECONDS, CPU_SECONDS + 1});
    if (!privileges_has_sanitizer()) /* which maps terabytes */
        setrlimit(RLIMIT_AS, &(struct rlimit){ADDRESS_OCTETS, ADDRESS_OCTETS});
    alarm(WALL_SECONDS);
    return try_text(path, text);
}

/* 'y' the text is right, 'n' it is not: lines were printed, 'd' the child died. */
static char answer_to(const char *path, char *text)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(child_of(path, text));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 'd';
    return WEXITSTATUS(status) == 0 ? 'y' : WEXITSTATUS(status) == 1 ? 'n' : 'd';
}

static void serve(int fd, char *text)
{
    char path[PATH_CHARS];
    ssize_t got;
    while ((got = recv(fd, path, sizeof(path) - 1, 0)) > 0) {
        path[got] = '\0';
        char answer = answer_to(path, text);
        if (send(fd, &answer, 1, MSG_NOSIGNAL) != 1)
            break;
    }
}

static void reader_run(int fd, char *text, const char *user)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    privileges_close_inherited(fd); /* the locks of claims would outlive a killed node */
    /* The workers' processors are for the workers, but a node with a low value must not wait for ever. */
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + READER_NICE);
    prctl(PR_SET_NAME, "gbflow-reader");
    if (privileges_drop_quietly(user))
        serve(fd, text);
    _exit(0);
}

/* --- the node's side --- */

bool reader_start(struct reader *reader, const char *user)
{
    int fds[2];
    char *text = mmap(NULL, TEXT_MAX_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
        fprintf(stderr, "gbflow: the process for reloads cannot be made: %s\n", strerror(errno));
        return false;
    }
    *reader = (struct reader){.process = fork(), .fd = fds[0], .text = text};
    if (reader->process == 0) {
        close(fds[0]);
        reader_run(fds[1], text, user);
    }
    close(fds[1]);
    if (reader->process < 0)
        fprintf(stderr, "gbflow: the process for reloads cannot be made: %s\n", strerror(errno));
    return reader->process > 0;
}

/* The answer; 'g': the process has gone. */
static char reader_answer(const struct reader *reader, const char *path)
{
    char answer = 'd';
    struct pollfd fd = {.fd = reader->fd, .events = POLLIN};
    if (send(reader->fd, path, strlen(path), MSG_NOSIGNAL) < 0)
        return 'g';
    if (poll(&fd, 1, 2 * WALL_SECONDS * 1000) != 1)
        return 'd';
    return recv(reader->fd, &answer, 1, 0) == 1 ? answer : 'g';
}

static bool reader_ask(struct reader *reader, const char *path, const char *text)
{
    memcpy(reader->text, text, strlen(text) + 1);
    char answer = reader_answer(reader, path);
    bool is_said = answer == 'y' || answer == 'n';
    size_t said = is_said ? strnlen(reader->text, TEXT_MAX_OCTETS) : 0, given = strlen(text);
    fwrite(reader->text, 1, said, stderr);
    explicit_bzero(reader->text, said > given ? said : given);
    if (answer == 'd')
        fprintf(stderr,
                "%s: the process that read it was ended, by a limit (%d s of processor time) or a defect\n",
                path, CPU_SECONDS);
    else if (!is_said)
        fprintf(stderr,
                "%s: not read: the process gbflow-reader was killed; restart the node to reload again\n",
                path);
    return answer == 'y';
}

bool reader_try(struct reader *reader, const char *path, const char *text)
{
    if (strlen(text) >= TEXT_MAX_OCTETS || strlen(path) >= PATH_CHARS) {
        fprintf(stderr, "%s: longer than %zu octets, or its name is longer than %d\n", path,
                TEXT_MAX_OCTETS - 1, PATH_CHARS - 1);
        return false;
    }
    return reader_ask(reader, path, text);
}

void reader_stop(struct reader *reader)
{
    if (reader->process <= 0)
        return;
    kill(reader->process, SIGKILL);
    waitpid(reader->process, NULL, 0);
    reader->process = 0;
}
