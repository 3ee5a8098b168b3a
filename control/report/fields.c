/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/fields.h"

#include "control/base/whole_file.h"
#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void fields_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void fields_put_count(json_t *object, const char *key, uint64_t value)
{
    fields_put(object, key, json_integer((json_int_t)value));
}

void fields_put_seconds(json_t *object, const char *key, int64_t ns)
{
    fields_put(object, key, json_real((double)ns / MOMENT_SECOND));
}

void fields_ip(uint32_t address, char out[INET_ADDRSTRLEN])
{
    struct in_addr in = {.s_addr = htonl(address)};
    inet_ntop(AF_INET, &in, out, INET_ADDRSTRLEN);
}

bool fields_write(json_t *object, const char *path)
{
    errno = 0;
    FILE *file = whole_file_open(path);
    bool is_dumped = file && json_dumpf(object, file, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
                     fputc('\n', file) != EOF;
    int error = is_dumped ? 0 : errno ? errno : EIO, late = file ? whole_file_close(file, path) : 0;
    error = error ? error : late;
    if (error)
        fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(error));
    json_decref(object);
    return error == 0;
}
