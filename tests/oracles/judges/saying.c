/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/judges/saying.h"

#include "dataplane/base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line that does not fit is a fault of this program. */
static void put(struct saying *s, const char *text, size_t chars)
{
    if (s->chars + chars >= sizeof s->text)
        abort();
    memcpy(s->text + s->chars, text, chars);
    s->chars += chars;
    s->text[s->chars] = '\0';
}

static void put_string(struct saying *s, const char *text)
{
    put(s, text, strlen(text));
}

static void put_number(struct saying *s, uint64_t value)
{
    char text[24], *p = text + sizeof text;
    do
        *--p = (char)('0' + value % 10);
    while (value /= 10);
    put(s, p, (size_t)(text + sizeof text - p));
}

static void put_octets(struct saying *s, const uint8_t *bytes, size_t octets)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < octets; i++) {
        char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        put(s, pair, 2);
    }
}

static void put_name(struct saying *s, const char *name)
{
    put(s, "\t", 1);
    put_string(s, name);
    put(s, "=", 1);
    s->is_list = false;
}

void saying_begin(struct saying *s, int answer)
{
    static const char *const names[] = {
        [-ERR_TRUNCATED] = "truncated", [-ERR_MALFORMED] = "malformed", [-ERR_UNSUPPORTED] = "unsupported"};
    s->chars = 0;
    put_string(s, answer >= 0 ? "ok" : names[-answer]);
}

void saying_number(struct saying *s, const char *name, uint64_t value)
{
    put_name(s, name);
    put_number(s, value);
}

void saying_octets(struct saying *s, const char *name, const uint8_t *bytes, size_t octets)
{
    put_name(s, name);
    put_octets(s, bytes, octets);
}

void saying_text(struct saying *s, const char *name, const char *text)
{
    put_name(s, name);
    put_string(s, text);
}

void saying_list(struct saying *s, const char *name)
{
    put_name(s, name);
}

static void separate(struct saying *s)
{
    if (s->is_list)
        put(s, ",", 1);
    s->is_list = true;
}

void saying_item(struct saying *s, uint64_t value)
{
    separate(s);
    put_number(s, value);
}

void saying_octets_item(struct saying *s, const uint8_t *bytes, size_t octets)
{
    separate(s);
    put_octets(s, bytes, octets);
}
