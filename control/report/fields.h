/* SPDX-License-Identifier: BSD-3-Clause */
/* Small helpers for JSON reports. Values are handed over. */
#ifndef CONTROL_REPORT_FIELDS_H
#define CONTROL_REPORT_FIELDS_H

#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

void fields_put(json_t *object, const char *key, json_t *value);
void fields_put_count(json_t *object, const char *key, uint64_t value);
void fields_put_seconds(json_t *object, const char *key, int64_t ns);

/* Writes an IPv4 address, host order, in dotted form. */
void fields_ip(uint32_t address, char out[INET_ADDRSTRLEN]);

/* Writes an object, indented, and gives it back. False, with a line on stderr, when it cannot be written. */
bool fields_write(json_t *object, const char *path);

#endif
