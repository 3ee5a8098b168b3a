/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/esp.h"

#include "dataplane/esp/esp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <rte_crypto.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPS_WORKER (4 * ESP_BURST)
#define IV_OCTETS  16

/* --- keys --- */

/*
 * Keys that protect what leaves are used by one run of a node alone. A second run would begin with sequence
 * number 1 again: AES-GCM would repeat its nonces, which gives its plaintext and its key of integrity away
 * (RFC 4106 clause 2), and the other end would drop all as replays. FILE.used, beside the file of the keys,
 * has a hash of each.
 */

enum { HASH_DIGITS = 2 * SHA256_DIGEST_SIZE };

static void hash_of(const struct sa_params *p, char digits[HASH_DIGITS + 1])
{
    struct sha256_ctx sha;
    uint8_t hash[SHA256_DIGEST_SIZE];
    sha256_init(&sha);
    sha256_update(&sha, sizeof(p->spi), (const uint8_t *)&p->spi);
    sha256_update(&sha, sizeof(p->key), p->key);
    sha256_update(&sha, sizeof(p->auth), p->auth);
    sha256_update(&sha, sizeof(p->salt), p->salt);
    sha256_digest(&sha, sizeof(hash), hash);
    for (unsigned i = 0; i < sizeof(hash); i++)
        snprintf(digits + 2 * i, 3, "%02x", hash[i]);
}

/* Whether a line of the file is that of an association. */
static bool has(FILE *file, const char *digits)
{
    char line[HASH_DIGITS + 2];
    rewind(file);
    while (fgets(line, sizeof(line), file))
        if (strncmp(line, digits, HASH_DIGITS) == 0)
            return true;
    return false;
}

static bool claim_all(FILE *file, const struct esp_keys *keys)
{
    char digits[HASH_DIGITS + 1];
    for (unsigned i = 0; i < keys->count; i++) {
        const struct sa_params *p = &keys->list[i].params;
        hash_of(p, digits);
        if (p->is_inbound || !has(file, digits))
            continue;
        fprintf(
            stderr,
            "gbflow: %s: SPI 0x%08x of direction out was used by an earlier run: its sequence numbers would "
            "come again; give both ends new keys\n",
            keys->path, p->spi);
        return false;
    }
    fseek(file, 0, SEEK_END);
    for (unsigned i = 0; i < keys->count; i++) {
        hash_of(&keys->list[i].params, digits);
        if (!keys->list[i].params.is_inbound)
            fprintf(file, "%s\n", digits);
    }
    if (fflush(file) == 0 && fsync(fileno(file)) == 0)
        return true;
    fprintf(stderr, "gbflow: %s.used: %s\n", keys->path, strerror(errno));
    return false;
}

static bool claim_keys(const struct esp_keys *keys)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s.used", keys->path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");
    if (!file) {
        fprintf(stderr, "gbflow: %s: %s; the node writes there which keys it has used\n", path,
                strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool is_claimed = claim_all(file, keys);
    fclose(file);
    return is_claimed;
}

/* --- devices, associations, rules --- */

static const char *const best[LIVE_ESP_DEVICES] = {"crypto_aesni_gcm", "crypto_aesni_mb", "crypto_openssl"};

/* Opens the devices: those of the configuration, or all that are there. */
static bool open_devices(struct live_esp *esp, const char *name, unsigned workers)
{
    const char *reason = NULL;
    bool is_auto = strcmp(name, "auto") == 0;
    for (unsigned i = 0; i < (is_auto ? LIVE_ESP_DEVICES : 1); i++) {
        const char *wanted = is_auto ? best[i] : name;
        if (sa_device_open(&esp->devices[esp->device_count], wanted, workers, ESP_CONFIG_SAS, &reason))
            esp->device_count++;
    }
    if (esp->device_count == 0)
        fprintf(stderr, "gbflow: esp.device: '%s': %s; install IPsec-mb or OpenSSL's driver of DPDK\n", name,
                reason);
    return esp->device_count > 0;
}

static const struct sa_device *device_for(const struct live_esp *esp, enum sa_suite suite)
{
    for (unsigned i = 0; i < esp->device_count; i++)
        if (sa_device_has(&esp->devices[i], suite))
            return &esp->devices[i];
    return NULL;
}

static struct sa *add_sa(struct live_esp *esp, const struct sa_params *params)
{
    const char *reason = "no crypto device has the suite";
    const struct sa_device *device = device_for(esp, params->suite);
    struct sa *sa = device ? sa_new(params, device, &reason) : NULL;
    if (!sa)
        fprintf(stderr, "gbflow: esp.keys: SPI 0x%08x, %s: %s\n", params->spi, sa_suite_name(params->suite),
                reason);
    else
        esp->sas[esp->sa_count++] = sa;
    return sa;
}

/* The last outbound association of a group protects what leaves. False, with a line on stderr: a rule names
 * it for packets of the other IP version, which it cannot carry. */
static bool enter(struct rules *rules, struct sa *sa, uint32_t group)
{
    for (unsigned i = 0; i < rules->out_count; i++) {
        const struct rule *rule = &rules->out[i];
        if (rule->action != RULE_PROTECT || rule->group != group ||
            rule->selector.is_ipv6 == sa->params.is_inner_ipv6)
            continue;
        fprintf(stderr,
                "gbflow: esp.keys: SPI 0x%08x carries %s, and a rule has ip = \"%s\"; set `inner`, or `ip`\n",
                sa->params.spi, sa->params.is_inner_ipv6 ? "IPv6" : "IPv4",
                rule->selector.is_ipv6 ? "ipv6" : "ipv4");
        return false;
    }
    if (sa->params.is_inbound) {
        rules_add_inbound(rules, sa, group);
        return true;
    }
    for (unsigned i = 0; i < rules->out_count; i++)
        if (rules->out[i].action == RULE_PROTECT && rules->out[i].group == group)
            rules->out[i].sa = sa;
    return true;
}

static struct rules *rules_of(const struct esp_config_side *side)
{
    struct rules *rules = rules_new();
    if (!rules)
        return NULL;
    rules->others = side->others;
    for (unsigned i = 0; i < side->count; i++)
        rules->out[rules->out_count++] = rules->in[rules->in_count++] = side->rules[i];
    return rules;
}

static void note_encap(struct rules *rules, uint16_t port)
{
    for (unsigned i = 0; i < rules->encap_count; i++)
        if (rules->encap_ports[i] == port)
            return;
    if (port != 0 && rules->encap_count < RULES_ENCAPS)
        rules->encap_ports[rules->encap_count++] = port;
}

static bool make(struct live_esp *esp, const struct esp_config *config, const struct esp_keys *keys)
{
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
        if (config->sides[side].is_on && !(esp->rules[side] = rules_of(&config->sides[side]))) {
            fprintf(stderr, "gbflow: no memory for the rules of ESP\n");
            return false;
        }
    for (unsigned i = 0; i < keys->count; i++) {
        struct sa *sa = add_sa(esp, &keys->list[i].params);
        if (!sa)
            return false;
        for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++) {
            if (!esp->rules[side])
                continue;
            if (!enter(esp->rules[side], sa, keys->list[i].group))
                return false;
            if (sa->params.is_inbound)
                note_encap(esp->rules[side], sa->params.encap_destination);
        }
    }
    return true;
}

bool live_esp_open(struct live_esp *esp, const struct node *node, const char *config_path)
{
    const struct esp_config *config = &node->config.esp;
    unsigned workers = node_config_workers(&node->config);
    *esp = (struct live_esp){.is_on = config->is_on};
    if (!esp->is_on)
        return true;
    struct esp_keys *keys = calloc(1, sizeof(*keys));
    if (!keys || !lua_config_load_esp_keys(keys, config, config_path) || !claim_keys(keys)) {
        if (keys)
            lua_config_esp_forget(keys);
        free(keys);
        return false;
    }
    esp->ops = rte_crypto_op_pool_create("esp.ops", RTE_CRYPTO_OP_TYPE_SYMMETRIC, workers * OPS_WORKER, 0,
                                         IV_OCTETS, SOCKET_ID_ANY);
    if (!esp->ops)
        fprintf(stderr, "gbflow: no memory for ESP's operations\n");
    bool is_made = esp->ops && open_devices(esp, config->device, workers) && make(esp, config, keys);
    lua_config_esp_forget(keys);
    free(keys);
    return is_made;
}

void live_esp_deal(const struct live_esp *esp, unsigned workers, struct node_ports *out)
{
    for (unsigned i = 0; i < workers; i++) {
        out[i].esp_ops = esp->ops;
        out[i].gn_rules = esp->rules[ESP_CONFIG_GN];
        out[i].gb_rules = esp->rules[ESP_CONFIG_GB];
    }
}

void live_esp_close(struct live_esp *esp)
{
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++)
        rules_free(esp->rules[side]);
    for (unsigned i = 0; i < esp->sa_count; i++)
        sa_free(esp->sas[i]);
    for (unsigned i = 0; i < esp->device_count; i++)
        sa_device_close(&esp->devices[i]);
    rte_mempool_free(esp->ops);
    *esp = (struct live_esp){0};
}
