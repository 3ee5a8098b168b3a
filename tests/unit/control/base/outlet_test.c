/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipes that nobody reads, that fill up, and that lose their reader: the writer is never blocked, losses are
 * counted. */
#include "control/base/outlet.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define RING_OCTETS 4096
#define LINES       100000 /* more than pipe and ring hold */
#define WAIT_MS     20000  /* a slow machine */
#define NO_WAIT_MS  10
#define LINE        "0123456789 a line\n"

struct rig {
    int ends[2];
    struct outlet *outlet;
    FILE *stream;
};

static void start(struct rig *rig)
{
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(rig->ends), 0);
    rig->outlet = outlet_open(rig->ends[1], RING_OCTETS);
    assert_non_null(rig->outlet);
    rig->stream = outlet_stream(rig->outlet);
    assert_non_null(rig->stream);
}

static bool end(struct rig *rig, int wait_ms)
{
    fclose(rig->stream);
    bool is_written = outlet_close(rig->outlet, wait_ms);
    close(rig->ends[1]);
    return is_written;
}

static void put_line(struct rig *rig)
{
    fputs(LINE, rig->stream);
    fflush(rig->stream);
}

/* The outlet's thread, which may not have run yet, then finds the pipe full. */
static void fill_pipe(int fd)
{
    static const char octets[4096];
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (write(fd, octets, sizeof(octets)) > 0)
        ;
    while (write(fd, octets, 1) > 0)
        ;
    fcntl(fd, F_SETFL, flags);
}

/* The octets in the pipe, to its end. */
static size_t drain(int fd, char *last, size_t cap)
{
    size_t octets = 0;
    for (ssize_t got; (got = read(fd, last, cap)) > 0;)
        octets += (size_t)got;
    close(fd);
    return octets;
}

TEST(what_is_written_arrives)
{
    struct rig rig;
    char text[256] = "";
    start(&rig);
    fputs("one\n", rig.stream);
    fflush(rig.stream);
    fputs("two\n", rig.stream);
    assert_true(end(&rig, WAIT_MS));
    assert_int_equal(drain(rig.ends[0], text, sizeof(text) - 1), 8);
    assert_string_equal(text, "one\ntwo\n");
}

/* Nobody reads: whole lines are lost and counted, the rest is whole lines. */
TEST(a_full_pipe_blocks_nobody)
{
    struct rig rig;
    char text[4096];
    start(&rig);
    for (unsigned i = 0; i < LINES; i++)
        put_line(&rig);
    uint64_t lost = outlet_lost(rig.outlet);
    assert_in_range(lost, 1, LINES);
    assert_int_equal(outlet_error(rig.outlet), 0);
    assert_in_range(outlet_room(rig.outlet), 0, RING_OCTETS);
    end(&rig, NO_WAIT_MS);
    size_t octets = drain(rig.ends[0], text, sizeof(text));
    assert_in_range(octets, 1, (LINES - lost) * strlen(LINE));
}

/* The end takes its time, which is not the caller's. */
TEST(the_end_of_a_full_pipe_blocks_nobody)
{
    struct rig rig;
    char text[4096];
    start(&rig);
    fill_pipe(rig.ends[1]);
    for (unsigned i = 0; i < LINES; i++)
        put_line(&rig);
    fclose(rig.stream);
    assert_int_equal(outlet_end(rig.outlet, 0, WAIT_MS), OUTLET_ENDING);
    assert_int_equal(outlet_end(rig.outlet, WAIT_MS - 1, WAIT_MS), OUTLET_ENDING);
    enum outlet_end end;
    while ((end = outlet_end(rig.outlet, WAIT_MS, WAIT_MS)) == OUTLET_ENDING)
        poll(NULL, 0, 1);
    assert_int_equal(end, OUTLET_INCOMPLETE);
    close(rig.ends[1]);
    drain(rig.ends[0], text, sizeof(text));
}

TEST(a_lost_reader_is_an_error)
{
    struct rig rig;
    start(&rig);
    close(rig.ends[0]);
    put_line(&rig);
    while (outlet_error(rig.outlet) == 0)
        poll(NULL, 0, 1);
    assert_int_equal(outlet_error(rig.outlet), EPIPE);
    assert_int_equal(outlet_room(rig.outlet), 0);
    uint64_t lost = outlet_lost(rig.outlet);
    put_line(&rig);
    assert_int_equal(outlet_lost(rig.outlet), lost + 1);
    assert_false(end(&rig, WAIT_MS));
}

UNIT_MAIN(NULL, NULL)
