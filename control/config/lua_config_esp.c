/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads `esp` of a checked configuration, and its file of associations. */
#include "control/config/esp_config.h"

#include "control/config/lua_config_node.h"
#include "control/base/command.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_table.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROTO_ICMP = 1, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_ICMPV6 = 58, PROTO_SCTP = 132, SPI_MIN = 256 };

static const char *const suites[] = {"aes-gcm-128",         "aes-gcm-256",  "aes-cbc-128-sha-256",
                                     "aes-cbc-256-sha-256", "null-sha-256", NULL};
static const char *const actions[] = {"pass", "protect", "drop", NULL};

static const struct {
    const char *name;
    uint8_t number;
} protocols[] = {{"udp", PROTO_UDP},
                 {"tcp", PROTO_TCP},
                 {"sctp", PROTO_SCTP},
                 {"icmp", PROTO_ICMP},
                 {"icmpv6", PROTO_ICMPV6}};

/* The text of a field; "": it is not there. Valid while the table has it. */
static const char *text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text ? text : "";
}

static bool is_text(lua_State *L, const char *key, const char *wanted)
{
    return strcmp(text_of(L, key), wanted) == 0;
}

/* The place of a text among words; 0: not one of them. */
static unsigned place_of(const char *const *words, const char *text)
{
    for (unsigned i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return 0;
}

/* --- rules --- */

static void read_network(lua_State *L, const char *key, struct sa_address *address, uint8_t *bits)
{
    char full[32];
    size_t count;
    snprintf(full, sizeof(full), "%s_octets", key);
    lua_getfield(L, -1, full);
    const char *octets = lua_tolstring(L, -1, &count);
    if (octets && count <= sizeof(address->octets))
        memcpy(address->octets, octets, count);
    lua_pop(L, 1);
    snprintf(full, sizeof(full), "%s_bits", key);
    *bits = (uint8_t)lua_table_integer(L, full);
}

/* The index of a name of associations, which is added if it is new. */
static uint32_t group_of(struct esp_config *esp, const char *name)
{
    for (unsigned i = 0; i < esp->group_count; i++)
        if (strcmp(esp->groups[i], name) == 0)
            return i;
    snprintf(esp->groups[esp->group_count], ESP_CONFIG_NAME_CHARS, "%s", name);
    return esp->group_count++;
}

struct rule_place {
    struct esp_config *esp;
    struct esp_config_side *side;
};

static void read_rule(lua_State *L, void *arg, uint32_t parent)
{
    struct rule_place *place = arg;
    struct rule *rule = &place->side->rules[place->side->count++];
    struct rule_selector *s = &rule->selector;
    s->is_ipv6 = is_text(L, "ip", "ipv6");
    read_network(L, "remote", &s->remote, &s->remote_bits);
    read_network(L, "local_address", &s->local, &s->local_bits);
    for (unsigned i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
        if (is_text(L, "protocol", protocols[i].name))
            s->protocol = protocols[i].number;
    s->local_port = (uint16_t)lua_table_integer(L, "local_port");
    s->remote_port = (uint16_t)lua_table_integer(L, "remote_port");
    rule->action = (enum rule_action)place_of(actions, text_of(L, "action"));
    const char *sas = text_of(L, "sas");
    if (rule->action == RULE_PROTECT)
        rule->group = sas[0] ? group_of(place->esp, sas) : ESP_CONFIG_NO_GROUP;
}

static void read_side(lua_State *L, const char *key, struct esp_config *esp, struct esp_config_side *side)
{
    struct rule_place place = {esp, side};
    side->is_on = lua_table_enter(L, key);
    if (!side->is_on)
        return;
    side->others = (enum rule_action)place_of(actions, text_of(L, "others"));
    lua_table_each(L, "rules", read_rule, &place, 0);
    lua_pop(L, 1);
}

static void read_ike(lua_State *L, struct esp_config_ike *ike)
{
    ike->is_on = lua_table_enter(L, "ike");
    if (!ike->is_on)
        return;
    snprintf(ike->netns, sizeof(ike->netns), "%s", text_of(L, "netns"));
    snprintf(ike->interface, sizeof(ike->interface), "%s", text_of(L, "interface"));
    lua_pop(L, 1);
}

void lua_config_esp_read(lua_State *L, struct esp_config *esp)
{
    *esp = (struct esp_config){0};
    esp->is_on = lua_table_enter(L, "esp");
    if (!esp->is_on)
        return;
    snprintf(esp->keys, sizeof(esp->keys), "%s", text_of(L, "keys"));
    snprintf(esp->device, sizeof(esp->device), "%s", text_of(L, "device"));
    read_ike(L, &esp->ike);
    read_side(L, "gn", esp, &esp->sides[ESP_CONFIG_GN]);
    read_side(L, "gb", esp, &esp->sides[ESP_CONFIG_GB]);
    lua_pop(L, 1);
}

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
    size_t count = read_hex(text_of(L, "key"), octets, sizeof(octets));
    size_t key = has_salt ? count - SA_SALT_OCTETS : count;
    memcpy(p->key, octets, key);
    if (has_salt)
        memcpy(p->salt, octets + key, SA_SALT_OCTETS);
    read_hex(text_of(L, "auth"), p->auth, sizeof(p->auth));
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
        if (is_text(L, "name", reading->esp->groups[i]))
            sa->group = i;
    if (sa->group == UINT32_MAX && reading->esp->is_on)
        return; /* no rule has it */
    reading->keys->count++;
    p->is_inbound = is_text(L, "direction", "in");
    p->spi = (uint32_t)lua_table_integer(L, "spi");
    p->suite = (enum sa_suite)place_of(suites, text_of(L, "suite"));
    p->is_tunnel = is_text(L, "mode", "tunnel");
    p->is_ipv6 = lua_table_text_ip(text_of(L, "from"), p->source.octets) == sizeof(p->source.octets);
    lua_table_text_ip(text_of(L, "to"), p->destination.octets);
    p->is_inner_ipv6 = p->is_tunnel ? is_text(L, "inner", "ipv6") : p->is_ipv6;
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

void lua_config_esp_path(const struct esp_config *esp, const char *config_path,
                         char path[2 * ESP_CONFIG_FILE_CHARS])
{
    const char *slash = strrchr(config_path, '/');
    if (esp->keys[0] == '/' || !slash)
        snprintf(path, 2 * ESP_CONFIG_FILE_CHARS, "%s", esp->keys);
    else
        snprintf(path, 2 * ESP_CONFIG_FILE_CHARS, "%.*s/%s", (int)(slash - config_path), config_path,
                 esp->keys);
}

bool lua_config_esp_keys(lua_State *L, struct esp_keys *keys, const struct esp_config *esp, const char *user)
{
    const char *path = keys->path;
    struct keys_reading reading = {keys, esp};
    keys->count = 0;
    FILE *file = open_keys(path, user);
    if (!file || !lua_text_load_opened(L, path, file, "esp"))
        return false;
    lua_table_each(L, "sas", read_sa, &reading, 0);
    lua_pop(L, 1);
    return has_all(keys, esp, path);
}

void lua_config_esp_forget(struct esp_keys *keys)
{
    explicit_bzero(keys, sizeof(*keys));
}
