/* SPDX-License-Identifier: BSD-3-Clause */
/* ESP in `gbflow doctor`, drivers of crypto devices and XFRM for IKE, and in `gbflow check`. */
#include "app/esp/esp.h"

#include "app/doctor/finding.h"
#include "app/doctor/host_tree.h"
#include "control/base/command.h"
#include "control/config/node_config.h"
#include "control/esp/lua_esp_keys.h"
#include "dataplane/crypto/gcm.h"

#include <errno.h>
#include <pwd.h>
#include <rte_build_config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER     RTE_EAL_PMD_PATH /* whose drivers DPDK loads; ends in its ABI, such as pmds-23.0 */
#define XFRM       "/proc/sys/net/core/xfrm_acq_expires"
#define TUN        "/dev/net/tun"
#define PATH_CHARS 512

static bool has_driver(const struct findings *d, const char *name)
{
    const char *dash = strrchr(FOLDER, '-');
    char path[PATH_CHARS];
    snprintf(path, sizeof(path), "%s/librte_crypto_%s.so.%s", FOLDER, name, dash ? dash + 1 : "");
    return host_tree_has(&d->tree, path);
}

/* Debian's package of a driver; its number is that of the ABI. */
static void say_install(char out[PATH_CHARS], const char *package)
{
    const char *dash = strrchr(FOLDER, '-');
    snprintf(out, PATH_CHARS, "apt-get install %s%.*s", package, dash ? (int)strcspn(dash + 1, ".") : 0,
             dash ? dash + 1 : "");
}

static void examine_devices(struct findings *d)
{
    static const char name[] = "esp devices";
    bool has_ipsec_mb = has_driver(d, "ipsec_mb"), has_openssl = has_driver(d, "openssl");
    char advice[PATH_CHARS];
    say_install(advice, "librte-crypto-ipsec-mb");
    if (has_ipsec_mb)
        finding_ok(d, name, "crypto_aesni_gcm, crypto_aesni_mb%s", has_openssl ? ", crypto_openssl" : "");
    else if (has_openssl)
        finding_warn(d, name, advice,
                     "crypto_openssl alone: no crypto_aesni_gcm and crypto_aesni_mb, which are faster");
    else
        finding_missing(d, name, advice, "no crypto_aesni_gcm, crypto_aesni_mb or crypto_openssl: %s",
                        gcm_missing() ? "a node with esp does not start" : "esp has AES-GCM alone");
}

/* Which calls of IPsec-mb this program has without DPDK. */
static void examine_library(struct findings *d)
{
    static const char name[] = "esp ipsec_mb";
    const char *reason = gcm_missing();
    if (reason)
        finding_warn(d, name, "apt-get install libipsec-mb-dev, and build again",
                     "%s: AES-GCM by a crypto device of DPDK, which is slower", reason);
    else
        finding_ok(d, name, "AES-GCM by IPsec-mb itself");
}

static void examine_ike(struct findings *d)
{
    static const char name[] = "esp ike";
    if (!host_tree_has(&d->tree, XFRM))
        finding_missing(d, name,
                        "a kernel with CONFIG_XFRM_USER and CONFIG_INET_ESP, or esp.keys in place of esp.ike",
                        "no XFRM in this kernel: an IKE daemon cannot give it associations");
    else if (!host_tree_has(&d->tree, TUN))
        finding_missing(d, name, "modprobe tun", "no " TUN ": esp.ike needs a TUN device");
    else
        finding_ok(
            d, name,
            "XFRM and TUN devices in this kernel; whether it has ESP (CONFIG_INET_ESP) is not tested here");
}

void esp_examine(struct findings *d)
{
    examine_library(d);
    examine_devices(d);
    examine_ike(d);
}

/* --- files of keys --- */

/* The owner of the file may be the node's user. */
bool esp_check(const struct node_config *config, const char *config_path, int64_t *associations)
{
    const struct esp_config *esp = &config->esp;
    char keys_path[2 * ESP_CONFIG_FILE_CHARS];
    if (!esp->is_on || !esp->keys[0])
        return true;
    lua_esp_keys_path(esp, config_path, keys_path);
    if (access(keys_path, R_OK) != 0) {
        int error = errno;
        fputs("warning: ", stderr);
        command_print(keys_path);
        fprintf(stderr, ": %s; the associations of esp.keys are not checked\n", strerror(error));
        return true;
    }
    struct stat status;
    const struct passwd *owner = stat(keys_path, &status) == 0 ? getpwuid(status.st_uid) : NULL;
    struct esp_keys *keys = calloc(1, sizeof(*keys));
    bool is_right = keys && lua_esp_keys_load(keys, esp, config_path, owner ? owner->pw_name : NULL);
    if (is_right)
        *associations = keys->count;
    if (keys)
        lua_esp_keys_forget(keys);
    free(keys);
    return is_right;
}
