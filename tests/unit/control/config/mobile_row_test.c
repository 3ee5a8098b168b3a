/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/mobile_row.h"
#include "tests/unit/unit.h"

#include <string.h>

#define NEEDED                                                                                               \
    "imsi=001010000000001,tlli=0xc0000001,bvci=2,nsapi=5,ggsn_address=10.0.0.1,sgsn_address=10.0.0.2,class=" \
    "background,"

static const struct {
    const char *values, *column, *text; /* of the error; "": none */
} rows[] = {
    {NEEDED "ggsn_teid=7,address=10.45.0.1", "", ""},
    {NEEDED "address=10.45.0.1", "ggsn_teid", "missing; a context without apn needs it"},
    {NEEDED "ggsn_teid=7", "address", "missing; a context without apn needs address or ipv6_address"},
    {NEEDED "ggsn_teid=7,address=10.45.0.1,pfi=5", "pfi", "4 .. 7 are reserved: 0 .. 3 or 8 .. 127"},
    {NEEDED "ggsn_teid=7,address=10.45.0.1,kc=0123456789abcdef", "ciphering",
     "missing; kc needs it: gea3 or gea4"},
    {NEEDED "apn=internet,pdp_type=ipv4,ipv6_address=2001:db8::1", "ipv6_address",
     "is not an address of this pdp_type"},
};

TEST(columns_demand_of_each_other)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char values[300];
        struct mobile_row row;
        struct mobile_row_error error = {.column = MOBILE_ROW_COLUMNS};
        mobile_row_init(&row);
        strcpy(values, rows[i].values);
        for (char *rest, *item = strtok_r(values, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
            char *value = strchr(item, '=');
            *value++ = '\0';
            assert_true(mobile_row_read(&row, mobile_row_find(item), value, &error));
        }
        assert_int_equal(mobile_row_check(&row, &error), rows[i].text[0] == '\0');
        assert_string_equal(error.text, rows[i].text);
        if (error.text[0])
            assert_string_equal(mobile_row_name(error.column), rows[i].column);
    }
}

UNIT_MAIN(NULL, NULL)
