/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/outlet.h"

#include "control/base/clock.h"
#include "control/base/privileges.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS     50 /* interval in which the thread of a blocked descriptor notices its end */
#define FILE_OCTETS 65536
#define HANG_MS     250 /* for a write that hangs in the kernel, at the end */
#define TURN_MS     2

struct outlet {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* octets were added or written, or it is over */
    pthread_t thread;
    int fd, error;
    bool is_over;      /* nothing follows: the thread ends after the ring */
    bool is_abandoned; /* the thread ends at once */
    uint64_t lost;
    size_t cap, head, used, write_octets;
    uint8_t ring[];
};

/* --- the thread --- */

/* Whether the descriptor takes write_octets without blocking. */
static bool is_ready(const struct outlet *o)
{
    struct pollfd fd = {.fd = o->fd, .events = POLLOUT};
    return poll(&fd, 1, LOOK_MS) > 0;
}

/* Writes a part of the ring from head on, without the lock: the writer only appends. */
static ssize_t write_some(const struct outlet *o, size_t octets)
{
    size_t to_end = o->cap - o->head;
    octets = octets < to_end ? octets : to_end;
    octets = octets < o->write_octets ? octets : o->write_octets;
    return write(o->fd, o->ring + o->head, octets);
}

static void note_written(struct outlet *o, ssize_t octets, int error)
{
    if (octets > 0) {
        o->head = (o->head + (size_t)octets) % o->cap;
        o->used -= (size_t)octets;
    } else if (octets < 0 && error != EINTR && error != EAGAIN) {
        o->error = error;
        o->used = 0;
        o->lost++;
    }
    pthread_cond_broadcast(&o->changed);
}

static void *outlet_run(void *arg)
{
    struct outlet *o = arg;
    pthread_mutex_lock(&o->lock);
    while (!o->is_abandoned && (o->used > 0 || !o->is_over)) {
        size_t used = o->used;
        if (used == 0) {
            pthread_cond_wait(&o->changed, &o->lock);
            continue;
        }
        pthread_mutex_unlock(&o->lock);
        ssize_t octets = is_ready(o) ? write_some(o, used) : 0;
        int error = errno;
        pthread_mutex_lock(&o->lock);
        note_written(o, octets, error);
    }
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

/* --- the writer --- */

/* Signals are for other threads, but for the one that drops capabilities. */
static int outlet_start(struct outlet *o)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, PRIVILEGES_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&o->thread, NULL, outlet_run, o);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* A pipe that poll() calls writable takes PIPE_BUF octets without blocking; a file does so in any case. */
static size_t write_octets_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? FILE_OCTETS : PIPE_BUF;
}

struct outlet *outlet_open(int fd, size_t ring_octets)
{
    struct outlet *o = calloc(1, sizeof(*o) + ring_octets);
    if (!o)
        return NULL;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    o->fd = fd;
    o->cap = ring_octets;
    o->write_octets = write_octets_of(fd);
    int error = outlet_start(o);
    if (error == 0)
        return o;
    free(o);
    errno = error;
    return NULL;
}

static void append(struct outlet *o, const uint8_t *bytes, size_t octets)
{
    size_t at = (o->head + o->used) % o->cap;
    size_t first = octets < o->cap - at ? octets : o->cap - at;
    memcpy(o->ring + at, bytes, first);
    memcpy(o->ring, bytes + first, octets - first);
    o->used += octets;
}

static _Thread_local FILE *diverted;
static struct outlet *of_stderr;

void outlet_stderr_divert(FILE *to)
{
    fflush(stderr);
    diverted = to;
}

/* A write that is lost is no error of the stream, which would stop later ones. */
static ssize_t outlet_put(void *cookie, const char *bytes, size_t octets)
{
    struct outlet *o = cookie;
    if (diverted && o == of_stderr) {
        fwrite(bytes, 1, octets, diverted);
        return (ssize_t)octets;
    }
    pthread_mutex_lock(&o->lock);
    if (o->error != 0 || octets > o->cap - o->used)
        o->lost++;
    else
        append(o, (const uint8_t *)bytes, octets);
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
    return (ssize_t)octets;
}

FILE *outlet_stream(struct outlet *o)
{
    return fopencookie(o, "w", (cookie_io_functions_t){.write = outlet_put});
}

size_t outlet_room(struct outlet *o)
{
    pthread_mutex_lock(&o->lock);
    size_t room = o->error != 0 ? 0 : o->cap - o->used;
    pthread_mutex_unlock(&o->lock);
    return room;
}

uint64_t outlet_lost(struct outlet *o)
{
    pthread_mutex_lock(&o->lock);
    uint64_t lost = o->lost;
    pthread_mutex_unlock(&o->lock);
    return lost;
}

int outlet_error(struct outlet *o)
{
    pthread_mutex_lock(&o->lock);
    int error = o->error;
    pthread_mutex_unlock(&o->lock);
    return error;
}

/* --- the end --- */

static void order_end(struct outlet *o, bool is_abandoned)
{
    pthread_mutex_lock(&o->lock);
    o->is_over = true;
    o->is_abandoned = is_abandoned;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

enum outlet_end outlet_end(struct outlet *o, int64_t waited_ms, int wait_ms)
{
    order_end(o, waited_ms >= wait_ms);
    if (pthread_tryjoin_np(o->thread, NULL) != 0) {
        if (waited_ms < wait_ms + HANG_MS)
            return OUTLET_ENDING;
        pthread_detach(o->thread);
        return OUTLET_HANGS;
    }
    bool is_written = o->used == 0 && o->error == 0;
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->changed);
    free(o);
    return is_written ? OUTLET_WRITTEN : OUTLET_INCOMPLETE;
}

/* By the clock: with busy processors a turn takes longer than TURN_MS. */
bool outlet_close(struct outlet *o, int wait_ms)
{
    int64_t begin_ns = clock_now_ns(), waited_ms = 0;
    enum outlet_end end;
    while ((end = outlet_end(o, waited_ms, wait_ms)) == OUTLET_ENDING) {
        poll(NULL, 0, TURN_MS);
        waited_ms = (clock_now_ns() - begin_ns) / 1000000;
    }
    return end == OUTLET_WRITTEN;
}

/* --- stderr of the process --- */

#define RING_OCTETS ((size_t)256 * 1024)
#define END_MS      250

bool outlet_stderr_begin(struct outlet_stderr *output)
{
    struct outlet *outlet = outlet_open(STDERR_FILENO, RING_OCTETS);
    FILE *stream = outlet ? outlet_stream(outlet) : NULL;
    if (!stream) {
        fprintf(stderr, "gbflow: cannot start the thread that writes stderr: %s\n", strerror(errno));
        if (outlet)
            outlet_close(outlet, 0);
        return false;
    }
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    of_stderr = outlet;
    *output = (struct outlet_stderr){.outlet = outlet, .own = stderr};
    stderr = stream;
    return true;
}

uint64_t outlet_stderr_lost(const struct outlet_stderr *output)
{
    return output->outlet ? outlet_lost(output->outlet) : 0;
}

void outlet_stderr_end(struct outlet_stderr *output)
{
    FILE *stream = stderr;
    if (!output->outlet)
        return;
    stderr = output->own;
    fclose(stream);
    outlet_close(output->outlet, END_MS);
    of_stderr = NULL;
    output->outlet = NULL;
}
