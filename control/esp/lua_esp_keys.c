/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/lua_esp_keys.h"

#include "control/base/command.h"
#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const suites[] = {"aes-gcm-128",         "aes-gcm-256",  "aes-cbc-128-sha-256",
                                     "aes-cbc-256-sha-256", "null-sha-256", NULL};

/* --- associations --- */

/* As many octets as the digits are. */
static size_t read_hex(const char *digits, uint8_t *out, size_t cap)
{
    size_t count = 0;
    for (; digits[2 * count] && count < cap; count++)
        sscanf(digits + 2 * count, "%2hhx", &out[count]);
    return count;
}

/* A salt is behind the key (RFC 4106 clause 8.1). */
static void read_key(lua_State *L, struct sa_params *p)
{
    uint8_t octets[SA_KEY_OCTETS + SA_SALT_OCTETS];
    bool has_salt = p->suite == SA_AES_GCM_128 || p->suite == SA_AES_GCM_256;
    size_t count = read_hex(lua_esp_config_text(L, "key"), octets, sizeof(octets));
    size_t key = has_salt ? count - SA_SALT_OCTETS : count;
    memcpy(p->key, octets, key);
    if (has_salt)
        memcpy(p->salt, octets + key, SA_SALT_OCTETS);
    read_hex(lua_esp_config_text(L, "auth"), p->auth, sizeof(p->auth));
    explicit_bzero(octets, sizeof(octets));
}

static void read_udp(lua_State *L, struct sa_params *p)
{
    if (!lua_table_enter(L, "udp"))
        return;
    lua_geti(L, -1, 1);
    lua_geti(L, -2, 2);
    p->encap_source = (uint16_t)lua_tointeger(L, -2);
    p->encap_destination = (uint16_t)lua_tointeger(L, -1);
    lua_pop(L, 3);
}

struct keys_reading {
    struct esp_keys *keys;
    const struct esp_config *esp;
};

static void read_sa(lua_State *L, void *arg, uint32_t parent)
{
    struct keys_reading *reading = arg;
    struct esp_keys_sa *sa = &reading->keys->list[reading->keys->count];
    struct sa_params *p = &sa->params;
    *sa = (struct esp_keys_sa){.group = UINT32_MAX};
    for (unsigned i = 0; i < reading->esp->group_count; i++)
        if (lua_esp_config_is(L, "name", reading->esp->groups[i]))
            sa->group = i;
    if (sa->group == UINT32_MAX && reading->esp->is_on)
        return; /* no rule has it */
    reading->keys->count++;
    p->is_inbound = lua_esp_config_is(L, "direction", "in");
    p->spi = (uint32_t)lua_table_integer(L, "spi");
    p->suite = (enum sa_suite)lua_esp_config_place(suites, lua_esp_config_text(L, "suite"));
    p->is_tunnel = lua_esp_config_is(L, "mode", "tunnel");
    p->is_ipv6 =
        lua_table_text_ip(lua_esp_config_text(L, "from"), p->source.octets) == sizeof(p->source.octets);
    lua_table_text_ip(lua_esp_config_text(L, "to"), p->destination.octets);
    p->is_inner_ipv6 = p->is_tunnel ? lua_esp_config_is(L, "inner", "ipv6") : p->is_ipv6;
    p->has_esn = lua_table_boolean(L, "esn");
    p->window = (uint32_t)lua_table_integer(L, "window");
    lua_getfield(L, -1, "dscp");
    p->copies_dscp = lua_isnil(L, -1);
    p->dscp = (uint8_t)lua_tointeger(L, -1);
    lua_pop(L, 1);
    p->hop_limit = 64;
    read_key(L, p);
    read_udp(L, p);
}

static bool is_owned_by(const struct stat *status, const char *user)
{
    const struct passwd *entry = user ? getpwnam(user) : NULL;
    return status->st_uid == 0 || status->st_uid == (entry ? entry->pw_uid : geteuid());
}

static void complain(const char *path, const char *why)
{
    command_print(path);
    fprintf(stderr, ": %s\n", why);
}

/* A node that started as root may be another user when it reads the file again. */
static void complain_open(const char *path, int error)
{
    const struct passwd *entry = getpwuid(geteuid());
    if (error != EACCES || !entry) {
        complain(path, strerror(error));
        return;
    }
    command_print(path);
    fprintf(stderr, ": %s: gbflow reads esp.keys as user '%s'; chown %s ", strerror(error), entry->pw_name,
            entry->pw_name);
    command_print(path);
    fputs(", and let that user enter its folders\n", stderr);
}

static bool is_owners_alone(int fd, const char *path, const char *user)
{
    struct stat status;
    const char *why = NULL;
    if (fstat(fd, &status) != 0)
        why = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        why = "esp.keys is not a regular file; name one with the associations, of mode 0600";
    else if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0 || !is_owned_by(&status, user))
        why = "others may read or write the keys of ESP: chmod 600, and its owner is the node's user";
    if (why)
        complain(path, why);
    return !why;
}

/* A FIFO would hold the reader until it has a writer. NULL, with a line on stderr. */
static FILE *open_keys(const char *path, const char *user)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        complain_open(path, errno);
        return NULL;
    }
    FILE *file = is_owners_alone(fd, path, user) ? fdopen(fd, "rb") : NULL;
    if (!file)
        close(fd);
    return file;
}

/* Whether each group has an association in each direction. */
static bool has_all(const struct esp_keys *keys, const struct esp_config *esp, const char *path)
{
    bool is_good = true;
    for (unsigned i = 0; i < esp->group_count; i++) {
        bool has[2] = {false, false};
        for (unsigned k = 0; k < keys->count; k++)
            if (keys->list[k].group == i)
                has[keys->list[k].params.is_inbound] = true;
        if (has[0] && has[1])
            continue;
        command_print(path);
        fprintf(stderr, ": '%s' has no association of direction %s, which a rule of esp names\n",
                esp->groups[i], has[0] ? "in" : "out");
        is_good = false;
    }
    return is_good;
}

void lua_esp_keys_path(const struct esp_config *esp, const char *config_path,
                       char path[2 * ESP_CONFIG_FILE_CHARS])
{
    const char *slash = strrchr(config_path, '/');
    if (esp->keys[0] == '/' || !slash)
        snprintf(path, 2 * ESP_CONFIG_FILE_CHARS, "%s", esp->keys);
    else
        snprintf(path, 2 * ESP_CONFIG_FILE_CHARS, "%.*s/%s", (int)(slash - config_path), config_path,
                 esp->keys);
}

/* --- the file --- */

/* A state of its own, whose memory goes with the keys in it. */
struct file_reading {
    struct esp_keys *keys;
    const struct esp_config *esp;
    const char *user;
    lua_State *L;
    bool is_read;
};

static void read_file(void *arg)
{
    struct file_reading *reading = arg;
    struct esp_keys *keys = reading->keys;
    struct keys_reading sas = {keys, reading->esp};
    keys->count = 0;
    FILE *file = open_keys(keys->path, reading->user);
    if (!file || !lua_text_load_opened(reading->L, keys->path, file, "esp"))
        return;
    lua_table_each(reading->L, "sas", read_sa, &sas, 0);
    lua_pop(reading->L, 1);
    reading->is_read = has_all(keys, reading->esp, keys->path);
}

bool lua_esp_keys_load(struct esp_keys *keys, const struct esp_config *esp, const char *config_path,
                       const char *user)
{
    struct file_reading reading = {keys, esp, user, lua_host_new(lua_modules), false};
    lua_esp_keys_path(esp, config_path, keys->path);
    bool is_whole = reading.L && lua_guard_run(read_file, &reading);
    if (reading.L)
        lua_close(reading.L);
    return is_whole && reading.is_read;
}

void lua_esp_keys_forget(struct esp_keys *keys)
{
    explicit_bzero(keys, sizeof(*keys));
}
