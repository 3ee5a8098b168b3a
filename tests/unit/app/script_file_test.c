/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/script_file.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "exchange,after,wait_s,connection,request_octets,response_octets\n"
#define ALL  "exchange,after,wait_s,connection,request_octets,response_octets,server,transport,think_s,page\n"
#define NONE APP_SCRIPT_NONE

/* Writes the text to a file and reads it as a script; what was said on stderr goes to `said`. */
static bool read_text(const char *text, size_t octets, struct script_file *f, char said[512])
{
    char path[] = "/tmp/gbflow-script-XXXXXX", errors[] = "/tmp/gbflow-script-XXXXXX";
    int fd = mkstemp(path), to = mkstemp(errors), before = dup(STDERR_FILENO);
    assert_true(fd >= 0 && to >= 0 && before >= 0);
    assert_int_equal(write(fd, text, octets), octets);
    close(fd);
    fflush(stderr);
    dup2(to, STDERR_FILENO);
    *f = (struct script_file){.file = strdup(strrchr(path, '/') + 1)};
    bool is_right = script_file_read(f, "/tmp/");
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    ssize_t got = pread(to, said, 511, 0);
    said[got > 0 ? got : 0] = '\0';
    close(to);
    unlink(path);
    unlink(errors);
    return is_right;
}

/* Columns in any order, comments, blanks, CRLF, a byte order mark; names of connections and pages. */
TEST(takes_a_table)
{
    static const char text[] =
        "\xef\xbb\xbf# a script\r\n\r\n"
        "page, think_s,exchange,after,wait_s,connection,transport,response_octets,request_octets,server\r\n"
        "70,0.25,1,0,0,900,tcp,5000,300,\r\n"
        "# the second\n"
        ", ,2,1,1.5,20,,0,100,\n"
        "3,1e-3,3,1,0.000001,900,, 10 ,0,";
    struct script_file f;
    char said[512];
    assert_true(read_text(text, sizeof(text) - 1, &f, said));
    assert_string_equal(said, "");
    assert_int_equal(f.script.count, 3);
    assert_int_equal(f.script.connection_count, 2);
    assert_int_equal(f.script.page_count, 2);
    static const struct app_script_exchange expected[] = {
        {NONE, 1, 1, 300, 5000, 0, MOMENT_SECOND / 4},
        {0, 0, NONE, 100, 0, 3 * MOMENT_SECOND / 2, 0},
        {0, 1, 0, 0, 10, 1000, MOMENT_SECOND / 1000},
    };
    for (unsigned i = 0; i < COUNT(expected); i++) {
        const struct app_script_exchange *e = &f.script.exchanges[i], *x = &expected[i];
        assert_int_equal(e->after, x->after);
        assert_int_equal(e->connection, x->connection);
        assert_int_equal(e->page, x->page);
        assert_int_equal(e->request_octets, x->request_octets);
        assert_int_equal(e->response_octets, x->response_octets);
        assert_int_equal(e->wait_ns, x->wait_ns);
        assert_int_equal(e->think_ns, x->think_ns);
    }
    script_file_fini(&f);
}

struct bad {
    const char *text, *said; /* a part of it, behind the path */
};

static void refuses(const struct bad *bad)
{
    struct script_file f;
    char said[512];
    assert_false(read_text(bad->text, strlen(bad->text), &f, said));
    if (!strstr(said, bad->said))
        fail_msg("'%s' has no '%s'", said, bad->said);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    script_file_fini(&f);
}

static const struct bad bads[] = {
    {"", "has no exchange"},
    {"# nothing\n", "has no exchange"},
    {HEAD, "has no exchange"},
    {"exchange,after\n1,0\n", ":1: 'wait_s': the column is missing"},
    {"exchange,after,size\n", ":1: 'size': no such column"},
    {"exchange,exchange\n", ":1: 'exchange': the column is there twice"},
    {HEAD "1,0,0,1,1\n", ":2: '': needs as many values"},
    {HEAD "1,0,0,1,1,1,7\n", ":2: '7': needs as many values"},
    {HEAD "2,0,0,1,1,1\n", ":2: exchange '2': exchanges count 1, 2, 3: this one is 1"},
    {HEAD "1,0,0,1,1,1\n1,0,0,1,1,1\n", ":3: exchange '1': exchanges count 1, 2, 3: this one is 2"},
    {HEAD "1,1,0,1,1,1\n", ":2: after '1': needs the number of an exchange above"},
    {HEAD "1,0,-1,1,1,1\n", ":2: wait_s '-1': needs seconds from 0 to 86400"},
    {HEAD "1,0,86401,1,1,1\n", ":2: wait_s '86401'"},
    {HEAD "1,0,nan,1,1,1\n", ":2: wait_s 'nan'"},
    {HEAD "1,0,inf,1,1,1\n", ":2: wait_s 'inf'"},
    {HEAD "1,0,1e400,1,1,1\n", ":2: wait_s '1e400'"},
    {HEAD "1,0,,1,1,1\n", ":2: wait_s ''"},
    {HEAD "1,0,0,1.5,1,1\n", ":2: connection '1.5': needs an integer"},
    {HEAD "1,0,0,1,1,99999999999999999999\n", ":2: response_octets '99999999999999999999'"},
    {HEAD "1,0,0,1,0x10,1\n", ":2: request_octets '0x10'"},
    {HEAD "1,0,0,1,0,0\n", ":2: request_octets '0': an exchange without octets"},
    {ALL "1,0,0,1,1,1,far,tcp,0,\n", ":2: server 'far'"},
    {ALL "1,0,0,1,1,1,,sctp,0,\n", ":2: transport 'sctp'"},
    {ALL "1,0,0,1,1,1,,,3601,\n", ":2: think_s '3601'"},
    {ALL "1,0,0,1,1,1,,,,x\n", ":2: page 'x'"},
};

TEST_EACH(refuses_bad_tables, refuses, bads)

TEST(refuses_octets_that_are_no_text)
{
    static const char zero[] = HEAD "1,0,0,1,1,\0001\n";
    static char long_line[4096];
    struct script_file f;
    char said[512];
    assert_false(read_text(zero, sizeof(zero) - 1, &f, said));
    script_file_fini(&f);
    memset(long_line, '#', sizeof(long_line));
    assert_false(read_text(long_line, sizeof(long_line), &f, said));
    assert_non_null(strstr(said, ":1: "));
    assert_non_null(strstr(said, "too long"));
    script_file_fini(&f);
    static const char cut[] = HEAD "1,0,0,1,2,3\n2,1,0,1,5,6\0,7"; /* in a last line without a new line */
    assert_false(read_text(cut, sizeof(cut) - 1, &f, said));
    assert_non_null(strstr(said, "has an octet 0"));
    script_file_fini(&f);
    f = (struct script_file){.file = strdup("null")};
    assert_false(script_file_read(&f, "/dev/"));
    script_file_fini(&f);
}

UNIT_MAIN(NULL, NULL)
