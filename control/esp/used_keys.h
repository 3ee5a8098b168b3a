/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys are used by one run of a node alone. A second run would begin with sequence number 1 again: AES-GCM
 * would repeat its nonces, which gives its plaintext and its key of integrity away (RFC 4106 clause 2), and
 * the other end would drop all as replays. It would accept copies of packets from the first run. FILE.used,
 * beside the file of the keys, has a hash of each.
 */
#ifndef CONTROL_ESP_USED_KEYS_H
#define CONTROL_ESP_USED_KEYS_H

#include "dataplane/esp/sa_params.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#define USED_KEYS_DIGITS 64

/* Of an association's keys, in hexadecimal: with another SPI they would repeat their nonces, too. */
struct used_key {
    char digits[USED_KEYS_DIGITS + 1];
};

struct used_keys {
    FILE *file; /* stays open: a node that has dropped its rights could not open it again */
    char path[PATH_MAX];
};

struct used_key used_key_of(const struct sa_params *params);
bool used_key_is(const struct used_key *a, const struct used_key *b);

/* Opens FILE.used of a file with keys, and makes it if it is not there. False, with a line on stderr. */
bool used_keys_open(struct used_keys *used, const char *keys_path);
void used_keys_close(struct used_keys *used);

/* Whether an earlier run had the keys. */
bool used_keys_has(const struct used_keys *used, const struct used_key *key);

/* Notes keys, on the disk before it returns. False, with a line on stderr. */
bool used_keys_note(const struct used_keys *used, const struct used_key *list, unsigned count);

#endif
