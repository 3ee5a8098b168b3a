/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/used_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct used_key used_key_of(const struct sa_params *params)
{
    struct used_key key;
    struct sha256_ctx sha;
    uint8_t hash[SHA256_DIGEST_SIZE];
    sha256_init(&sha);
    sha256_update(&sha, sizeof(params->key), params->key);
    sha256_update(&sha, sizeof(params->auth), params->auth);
    sha256_update(&sha, sizeof(params->salt), params->salt);
    sha256_digest(&sha, sizeof(hash), hash);
    for (unsigned i = 0; i < sizeof(hash); i++)
        snprintf(key.digits + 2 * i, 3, "%02x", hash[i]);
    return key;
}

bool used_key_is(const struct used_key *a, const struct used_key *b)
{
    return strcmp(a->digits, b->digits) == 0;
}

static bool complain(const struct used_keys *used, const char *why)
{
    fprintf(stderr, "gbflow: %s: %s; the node writes there which keys it has used\n", used->path, why);
    return false;
}

/* A pipe or a device keeps nothing. */
static bool is_regular(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

bool used_keys_open(struct used_keys *used, const char *keys_path)
{
    snprintf(used->path, sizeof(used->path), "%s.used", keys_path);
    int fd = open(used->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    bool is_file = fd >= 0 && is_regular(fd);
    used->file = is_file ? fdopen(fd, "r+") : NULL;
    if (used->file)
        return true;
    complain(used, fd >= 0 && !is_file ? "it is no regular file" : strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

void used_keys_close(struct used_keys *used)
{
    if (used->file)
        fclose(used->file);
    used->file = NULL;
}

/* A file that cannot be read counts as one that has the key. */
bool used_keys_has(const struct used_keys *used, const struct used_key *key)
{
    char line[USED_KEYS_DIGITS + 2];
    rewind(used->file);
    while (fgets(line, sizeof(line), used->file))
        if (strncmp(line, key->digits, USED_KEYS_DIGITS) == 0)
            return true;
    return ferror(used->file);
}

/* Whether the path still names the file: notes in one that was removed are lost. */
static bool is_in_place(const struct used_keys *used)
{
    struct stat named, open;
    return lstat(used->path, &named) == 0 && fstat(fileno(used->file), &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* A full disk, or an end of the machine, may have left a part of a line: the next one begins behind it. */
static void begin_line(const struct used_keys *used)
{
    if (fseek(used->file, -1, SEEK_END) != 0)
        return;
    int last = fgetc(used->file);
    fseek(used->file, 0, SEEK_END);
    if (last != '\n')
        fputc('\n', used->file);
}

bool used_keys_note(const struct used_keys *used, const struct used_key *list, unsigned count)
{
    if (!is_in_place(used))
        return complain(used, "the file was removed or replaced while the node runs");
    clearerr(used->file);
    begin_line(used);
    fseek(used->file, 0, SEEK_END);
    for (unsigned i = 0; i < count; i++)
        fprintf(used->file, "%s\n", list[i].digits);
    if (!ferror(used->file) && fflush(used->file) == 0 && fsync(fileno(used->file)) == 0)
        return true;
    return complain(used, strerror(errno));
}
