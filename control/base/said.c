/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/said.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *line;
static size_t room;

void said_begin(struct said *said)
{
    *said = (struct said){.file = tmpfile(), .stream = -1};
    fflush(stderr);
    said->stream = said->file ? dup(STDERR_FILENO) : -1;
    if (said->stream >= 0)
        dup2(fileno(said->file), STDERR_FILENO);
}

void said_end(struct said *said)
{
    if (said->stream < 0)
        return;
    fflush(stderr);
    dup2(said->stream, STDERR_FILENO);
    close(said->stream);
    said->stream = -1;
    rewind(said->file);
}

const char *said_line(struct said *said)
{
    if (!said->file || getline(&line, &room, said->file) <= 0)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

void said_free(struct said *said)
{
    if (said->file)
        fclose(said->file);
    free(line);
    line = NULL;
    room = 0;
    said->file = NULL;
}
