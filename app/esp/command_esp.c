/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow esp`: files of the keys of ESP, and their associations as Wireshark's table esp_sa.
 */
#include "app/esp/esp.h"
#include "control/base/command.h"
#include "control/base/words.h"
#include "control/esp/lua_esp_keys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: gbflow esp wireshark KEYS FILE\n"
    "\n"
    "Writes the associations of KEYS, a file as esp.keys of a node names it, into the\n"
    "new FILE, of mode 0600, as Wireshark's table \"esp_sa\" has them. As the file\n"
    "esp_sa in a folder of Wireshark's profiles it has Wireshark decipher captures\n"
    "with ESP (Preferences, Protocols, ESP: attempt to detect/decode encrypted ESP\n"
    "payloads). A reader of FILE reads all packets of these associations, and can\n"
    "forge them.\n"
    "\n"
    "Exit status: 0 success, 1 KEYS is wrong or FILE cannot be written, 2 wrong\n"
    "arguments.\n";

static const struct {
    const char *cipher, *proof;
    unsigned key_octets, salt_octets;
} suites[SA_SUITES] = {
    [SA_AES_GCM_128] = {"AES-GCM with 16 octet ICV [RFC4106]", "NULL", 16, SA_SALT_OCTETS},
    [SA_AES_GCM_256] = {"AES-GCM with 16 octet ICV [RFC4106]", "NULL", 32, SA_SALT_OCTETS},
    [SA_AES_CBC_128_SHA_256] = {"AES-CBC [RFC3602]", "HMAC-SHA-256-128 [RFC4868]", 16, 0},
    [SA_AES_CBC_256_SHA_256] = {"AES-CBC [RFC3602]", "HMAC-SHA-256-128 [RFC4868]", 32, 0},
    [SA_NULL_SHA_256] = {"NULL", "HMAC-SHA-256-128 [RFC4868]", 0, 0},
};

static void put_hex(FILE *out, const uint8_t *octets, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%02x", octets[i]);
}

/* Extended numbers have no column, and the proof of HMAC covers them: it would look wrong. */
static void put_sa(FILE *out, const struct sa_params *p)
{
    char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
    int family = p->is_ipv6 ? AF_INET6 : AF_INET;
    bool has_salt = suites[p->suite].salt_octets > 0, has_proof = !has_salt && !p->has_esn;
    inet_ntop(family, p->source.octets, source, sizeof(source));
    inet_ntop(family, p->destination.octets, destination, sizeof(destination));
    fprintf(out, "\"%s\",\"%s\",\"%s\",\"0x%08x\",\"%s\",\"", p->is_ipv6 ? "IPv6" : "IPv4", source,
            destination, p->spi, suites[p->suite].cipher);
    if (suites[p->suite].key_octets > 0)
        fputs("0x", out);
    put_hex(out, p->key, suites[p->suite].key_octets);
    put_hex(out, p->salt, suites[p->suite].salt_octets);
    fprintf(out, "\",\"%s\",\"%s",
            has_salt || has_proof ? suites[p->suite].proof : "ANY 128 bit authentication [no checking]",
            has_proof ? "0x" : "");
    put_hex(out, p->auth, has_proof ? SA_KEY_OCTETS : 0);
    fputs("\"\n", out);
}

static bool write_table(const struct esp_keys *keys, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        command_error("esp wireshark", "%s: %s", path,
                      errno == EEXIST ? "the file exists; delete it, or name another file" : strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < keys->count; i++)
        put_sa(out, &keys->list[i].params);
    bool is_whole = fflush(out) == 0;
    if (fclose(out) == 0 && is_whole)
        return true;
    command_error("esp wireshark", "%s: %s", path, strerror(errno));
    unlink(path);
    return false;
}

/* All associations, whatever rule has them. */
static bool read_keys(struct esp_keys *keys, const char *path)
{
    struct esp_config all = {.is_on = false};
    size_t octets = strlen(path);
    if (octets >= sizeof(all.keys)) {
        command_error("esp wireshark", "the name of the file of keys is longer than %zu octets",
                      sizeof(all.keys) - 1);
        return false;
    }
    memcpy(all.keys, path, octets + 1);
    return lua_esp_keys_load(keys, &all, "", NULL);
}

static int wireshark(int argc, char **argv)
{
    const struct command_parser parser = {.command = "esp wireshark"};
    int status = command_parse(&parser, argc, argv);
    if (!command_accepted(usage, &status))
        return status;
    if (argc - optind != 2)
        return command_wrong("esp wireshark", "the arguments are not KEYS and FILE", "");
    struct esp_keys *keys = calloc(1, sizeof(*keys));
    bool is_done = keys && read_keys(keys, argv[optind]) && write_table(keys, argv[optind + 1]);
    if (is_done)
        command_error(
            "esp wireshark",
            "warning: %s has the keys of %u association%s: who has it reads all protected packets and can "
            "forge them; delete it after use",
            argv[optind + 1], keys->count, words_plural(keys->count));
    if (keys)
        lua_esp_keys_forget(keys);
    free(keys);
    return is_done ? COMMAND_OK : COMMAND_FAILED;
}

/* --- modes --- */

static const struct command_mode modes[] = {
    {"wireshark", "write the keys as Wireshark's table esp_sa, to decipher captures"},
};
static int (*const calls[])(int argc, char **argv) = {wireshark};

int command_esp(int argc, char **argv)
{
    const struct command_modes m = {.command = "esp",
                                    .noun = "MODE",
                                    .head = "usage: gbflow esp MODE ...\n"
                                            "\n"
                                            "Works on a file with the keys of ESP, which esp.keys of a node "
                                            "names.\n"
                                            "\n",
                                    .tail =
                                        "\n`gbflow esp MODE --help` prints the arguments of a mode.\nExit "
                                        "status: 0 success, 1 the mode failed, 2 wrong arguments.\n",
                                    .modes = modes,
                                    .count = sizeof(modes) / sizeof(modes[0])};
    unsigned mode;
    int status;
    if (!command_find_mode(&m, argc, argv, &mode, &status))
        return status;
    return calls[mode](argc - 1, argv + 1);
}
