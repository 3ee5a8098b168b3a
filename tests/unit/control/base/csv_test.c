/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/csv.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *text, *fields,
        *fault; /* fields of the first line that is no comment, each with its column; NULL: wrong */
} rows[] = {
    {"a,b\n", "1:a 3:b ", NULL},
    {"# note\n\na,,b\r\n", "1:a 3: 4:b ", NULL},
    {"\xef\xbb\xbf\"a\"\n", "1:a ", NULL},
    {"\xef\xbb\xbf# note\na\n", "1:a ", NULL},
    {"\xef\xbb\xbf\na\n", "1:a ", NULL},
    {"\"a,\"\"b\",c", "1:a,\"b 9:c ", NULL},
    {"\"a\"b,c\n", NULL, "a comma is missing after the quotes"},
    {"\"a\n", NULL, "the quotes do not end"},
};

TEST(fields_have_places)
{
    static struct csv csv;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[] = "/tmp/gbflow-csv-XXXXXX", got[64] = "";
        int fd = mkstemp(path);
        const char *error;
        assert_int_equal(write(fd, rows[i].text, strlen(rows[i].text)), strlen(rows[i].text));
        close(fd);
        assert_true(csv_open(&csv, path, &error) && csv_next(&csv));
        for (unsigned k = 0; k < csv.count; k++)
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%u:%s ", csv.fields[k].column,
                     csv.fields[k].text);
        if (rows[i].fields)
            assert_string_equal(got, rows[i].fields);
        assert_string_equal(csv.fault ? csv.fault : "", rows[i].fault ? rows[i].fault : "");
        csv_close(&csv);
        unlink(path);
    }
}

UNIT_MAIN(NULL, NULL)
