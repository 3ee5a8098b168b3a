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
    sha256_update(&sha, sizeof(params->spi), (const uint8_t *)&params->spi);
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

bool used_keys_open(struct used_keys *used, const char *keys_path)
{
    snprintf(used->path, sizeof(used->path), "%s.used", keys_path);
    int fd = open(used->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    used->file = fd < 0 ? NULL : fdopen(fd, "r+");
    if (used->file)
        return true;
    fprintf(stderr, "gbflow: %s: %s; the node writes there which keys it has used\n", used->path,
            strerror(errno));
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

bool used_keys_has(const struct used_keys *used, const struct used_key *key)
{
    char line[USED_KEYS_DIGITS + 2];
    rewind(used->file);
    while (fgets(line, sizeof(line), used->file))
        if (strncmp(line, key->digits, USED_KEYS_DIGITS) == 0)
            return true;
    return false;
}

bool used_keys_note(const struct used_keys *used, const struct used_key *list, unsigned count)
{
    fseek(used->file, 0, SEEK_END);
    for (unsigned i = 0; i < count; i++)
        fprintf(used->file, "%s\n", list[i].digits);
    if (fflush(used->file) == 0 && fsync(fileno(used->file)) == 0)
        return true;
    fprintf(stderr, "gbflow: %s: %s\n", used->path, strerror(errno));
    return false;
}
