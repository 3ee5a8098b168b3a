/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/field.h"

#include "dataplane/base/moment.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static struct field_value count_of(uint64_t count)
{
    return (struct field_value){.is = count == FIELD_NONE ? FIELD_IS_NULL : FIELD_IS_COUNT, .count = count};
}

static struct field_value number_of(double number)
{
    return (struct field_value){.is = isfinite(number) ? FIELD_IS_NUMBER : FIELD_IS_NULL, .number = number};
}

static struct field_value text_of(const char *text)
{
    return (struct field_value){.is = text ? FIELD_IS_TEXT : FIELD_IS_NULL, .text = text};
}

static struct field_value seconds_of(int64_t ns)
{
    return number_of(ns == MOMENT_NEVER ? NAN : (double)ns / MOMENT_SECOND);
}

struct field_value field_value_of(const struct field *field, const void *record)
{
    const void *at = field_record(field, record);
    switch (field->type) {
    case FIELD_U8:
        return count_of(*(const uint8_t *)at);
    case FIELD_U16:
        return count_of(*(const uint16_t *)at);
    case FIELD_U32:
        return count_of(*(const uint32_t *)at);
    case FIELD_U64:
        return count_of(*(const uint64_t *)at);
    case FIELD_NS:
        return seconds_of(*(const int64_t *)at);
    case FIELD_REAL:
        return number_of(*(const double *)at);
    case FIELD_BOOL:
        return (struct field_value){.is = FIELD_IS_BOOL, .flag = *(const bool *)at};
    case FIELD_TEXT:
        return text_of(*(const char *const *)at);
    case FIELD_CHARS:
        return text_of(at);
    default:
        assert(!"a row that holds others has no value");
        return (struct field_value){.is = FIELD_IS_NULL};
    }
}

bool field_is_number(const struct field *field)
{
    return field->type <= FIELD_REAL;
}
