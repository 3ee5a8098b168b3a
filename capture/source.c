/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER_OCTETS (1 << 18)

static ssize_t take(struct capture_source *s, void *to, size_t octets)
{
    if (s->gzip)
        return gzread(s->gzip, to, (unsigned)octets);
    size_t taken = octets < s->left ? octets : s->left;
    memcpy(to, s->next, taken);
    s->next += taken;
    s->left -= taken;
    return (ssize_t)taken;
}

static ssize_t give(void *cookie, char *to, size_t octets)
{
    struct capture_source *s = cookie;
    size_t ahead = s->head_octets - s->head_given;
    if (ahead > octets)
        ahead = octets;
    memcpy(to, s->head + s->head_given, ahead);
    s->head_given += (unsigned)ahead;
    ssize_t taken = ahead < octets ? take(s, to + ahead, octets - ahead) : 0;
    if (taken < 0 && ahead == 0)
        return -1;
    taken = (ssize_t)ahead + (taken > 0 ? taken : 0);
    s->given += (uint64_t)taken;
    return taken;
}

/* Only reports the offset in the stream. */
static int seek(void *cookie, off64_t *offset, int whence)
{
    const struct capture_source *s = cookie;
    if (whence != SEEK_CUR || *offset != 0) {
        errno = ESPIPE;
        return -1;
    }
    *offset = (off64_t)s->given;
    return 0;
}

static int end(void *cookie)
{
    struct capture_source *s = cookie;
    int rc = s->gzip ? gzclose_r(s->gzip) : Z_OK;
    s->gzip = NULL;
    return rc == Z_OK ? 0 : -1;
}

static FILE *begin(struct capture_source *s)
{
    ssize_t octets = take(s, s->head, CAPTURE_SOURCE_HEAD);
    s->head_octets = octets > 0 ? (unsigned)octets : 0;
    FILE *file = fopencookie(s, "rb", (cookie_io_functions_t){.read = give, .seek = seek, .close = end});
    if (!file)
        end(s);
    return file;
}

FILE *capture_source_open(struct capture_source *s, const char *path)
{
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    *s = (struct capture_source){0};
    if (fd < 0)
        return NULL;
    s->file_octets = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
    s->gzip = gzdopen(fd, "rb");
    if (!s->gzip) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    gzbuffer(s->gzip, BUFFER_OCTETS);
    return begin(s);
}

FILE *capture_source_open_memory(struct capture_source *s, const uint8_t *bytes, size_t octets)
{
    *s = (struct capture_source){.next = bytes, .left = octets};
    return begin(s);
}

/* zlib puts the file descriptor before its reason: "<fd:3>: invalid block type". */
const char *capture_source_error(const struct capture_source *s)
{
    int code = Z_OK;
    const char *text = s->gzip ? gzerror(s->gzip, &code) : "";
    if (code == Z_OK || code == Z_STREAM_END)
        return NULL;
    const char *reason = strstr(text, ">: ");
    return reason ? reason + 3 : text;
}

bool capture_source_is_compressed(const struct capture_source *s)
{
    return s->gzip && !gzdirect(s->gzip);
}

int capture_source_percent(const struct capture_source *s)
{
    z_off_t at = s->gzip ? gzoffset(s->gzip) : -1;
    return s->file_octets > 0 && at >= 0 ? (int)(at * 100 / s->file_octets) : -1;
}
