/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/restart_counter.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD        "empty"
#define LINE_OCTETS 10 /* always as many: each line stands in place of the former one, by one write */

static void put_line(char line[LINE_OCTETS + 1], uint8_t value, const char *word)
{
    snprintf(line, LINE_OCTETS + 1, "%-3u %-5s\n", value, word);
}

/* Only the line that a run has written at its end keeps the number. */
static uint8_t value_after(int fd)
{
    char text[LINE_OCTETS + 1] = "", empty[LINE_OCTETS + 1];
    unsigned last;
    if (pread(fd, text, LINE_OCTETS, 0) <= 0 || sscanf(text, "%3u", &last) != 1)
        return 0;
    put_line(empty, (uint8_t)last, WORD);
    return (uint8_t)(last + (strcmp(text, empty) != 0));
}

/* On the disk when it returns: what follows it is not undone by a crash of the machine. */
static bool keep(const struct restart_counter *counter, const char *word)
{
    char line[LINE_OCTETS + 1];
    put_line(line, counter->value, word);
    return pwrite(counter->fd, line, LINE_OCTETS, 0) == LINE_OCTETS &&
           ftruncate(counter->fd, LINE_OCTETS) == 0 && fsync(counter->fd) == 0;
}

static void restart_counter_forget(struct restart_counter *counter)
{
    close(counter->fd);
    counter->fd = -1;
}

void restart_counter_open(struct restart_counter *counter, const char *path)
{
    counter->fd = path[0] ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (counter->fd >= 0) {
        counter->value = value_after(counter->fd);
        if (keep(counter, ""))
            return;
        restart_counter_forget(counter);
    }
    if (path[0])
        fprintf(
            stderr,
            "gbflow: gn.gtpc.restart_file: cannot write '%s': %s; the restart counter is derived from the "
            "time\n",
            path, strerror(errno));
    counter->value = (uint8_t)(clock_wall_ns() / MOMENT_SECOND);
}

void restart_counter_close(struct restart_counter *counter, bool is_empty)
{
    if (counter->fd < 0)
        return;
    if (is_empty && !keep(counter, WORD))
        fprintf(stderr,
                "gbflow: gn.gtpc.restart_file: cannot be written: %s; the next start has another restart "
                "counter\n",
                strerror(errno));
    restart_counter_forget(counter);
}
