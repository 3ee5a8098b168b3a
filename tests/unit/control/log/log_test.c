/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"

#include "control/log/log.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct rig {
    struct log log;
    char *text;
    size_t octets;
};

static void rig_open(struct rig *rig, unsigned lines_per_s)
{
    FILE *out = open_memstream(&rig->text, &rig->octets);
    assert_non_null(out);
    log_init(&rig->log, out, lines_per_s);
}

static void rig_close(struct rig *rig)
{
    fclose(rig->log.out);
    free(rig->text);
}

static unsigned lines(const struct rig *rig)
{
    unsigned count = 0;
    for (const char *at = rig->text; (at = strchr(at, '\n')); at++)
        count++;
    return count;
}

TEST_IN(lines_have_time_and_level, struct rig, rig, rig_open(rig, 10), rig_close(rig))
{
    log_line(&rig->log, "gb", "info", "not wanted", 0);
    log_line(&rig->log, "gb", "warn", "NSE 101 is down", 1234567890);
    rig->log.own.levels.others = LOG_LEVEL_INFO;
    log_line(&rig->log, "gn", "info", "3 of four", 2 * MOMENT_SECOND);
    log_line(&rig->log, "gn", "info", "a\n9.0 gn: error: forged\x1b[31m\x7f \xc3\xa9", 3 * MOMENT_SECOND);
    fflush(rig->log.out);
    assert_string_equal(rig->text, "1.234567 gb: warn: NSE 101 is down\n2.000000 gn: info: 3 of four\n"
                                   "3.000000 gn: info: a\\n9.0 gn: error: forged\\x1b[31m\\x7f \xc3\xa9\n");
}

TEST_IN(what_changes_the_reading_is_escaped, struct rig, rig, rig_open(rig, 10), rig_close(rig))
{
    static const struct {
        const char *given, *text, *json;
    } rows[] = {
        {"\xe2\x80\xae", "\\xe2\\x80\\xae", "\\ufffd"}, /* U+202E */
        {"\xe2\x81\xa9", "\\xe2\\x81\\xa9", "\\ufffd"}, /* U+2069 */
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8", "\\ufffd"}, /* U+2028 */
        {"\xc2\x9b", "\\xc2\\x9b", "\\ufffd"},          /* CSI of C1 */
        {"\x9b", "\\x9b", "\\ufffd"},                   /* no UTF-8 */
        {"\x1b", "\\x1b", "\\u001b"},
        {"\xc3\xa9\xe6\xbc\xa2", "\xc3\xa9\xe6\xbc\xa2", "\xc3\xa9\xe6\xbc\xa2"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int is_json = 0; is_json < 2; is_json++) {
            char expected[64];
            rewind(rig->log.out);
            rig->log.format = is_json ? LOG_JSON : LOG_TEXT;
            log_line(&rig->log, "gb", "error", rows[i].given, (int64_t)i * MOMENT_SECOND);
            fputc('\0', rig->log.out);
            fflush(rig->log.out);
            snprintf(expected, sizeof(expected), is_json ? "\"text\":\"%s\"}\n" : ": error: %s\n",
                     is_json ? rows[i].json : rows[i].text);
            assert_non_null(strstr(rig->text, expected));
        }
}

TEST_IN(the_rate_holds_on_average, struct rig, rig, rig_open(rig, 10), rig_close(rig))
{
    for (int ms = 0; ms < 10000; ms++)
        log_line(&rig->log, "gb", "error", "again", ms * (MOMENT_SECOND / 1000));
    fflush(rig->log.out);
    assert_in_range(lines(rig), 100, 112); /* the burst, ten seconds, and one line more */
    assert_int_equal(rig->log.own.written, lines(rig));
    assert_non_null(strstr(rig->text, "log: warn: "));
}

TEST_IN(what_was_left_out_is_said, struct rig, rig, rig_open(rig, 2), rig_close(rig))
{
    for (int i = 0; i < 7; i++)
        log_line(&rig->log, "gb", "warn", "x", 0);
    log_line(&rig->log, "gb", "warn", "y", 2 * MOMENT_SECOND);
    log_line(&rig->log, "gb", "warn", "z", 4 * MOMENT_SECOND);
    fflush(rig->log.out);
    assert_string_equal(rig->text,
                        "0.000000 gb: warn: x\n0.000000 gb: warn: x\n2.000000 log: warn: lines left out: 5\n"
                        "2.000000 gb: warn: y\n4.000000 gb: warn: z\n");
}

/* --- levels of categories --- */

static const struct {
    const char *list, *wrong; /* wrong: the part that is refused */
    const char *lines;        /* of gtpc info, gtpc warn, ns info, ns error */
} level_rows[] = {
    {"warn", NULL, "gtpc: warn: b\nns: error: d\n"},
    {"info", NULL, "gtpc: info: a\ngtpc: warn: b\nns: info: c\nns: error: d\n"},
    {"error", NULL, "ns: error: d\n"},
    {"gtpc:info", NULL, "gtpc: info: a\ngtpc: warn: b\nns: error: d\n"},
    {"gtpc:error,ns:info", NULL, "ns: info: c\nns: error: d\n"},
    {"error,gtpc:warning", NULL, "gtpc: warn: b\nns: error: d\n"},
    {"loud", "loud", NULL},
    {"info,gtp:info", "gtp:info", NULL},
    {"ns:", "ns:", NULL},
    {"", "", NULL},
};

TEST(levels_are_those_of_the_list)
{
    for (size_t i = 0; i < COUNT(level_rows); i++) {
        struct rig rig;
        rig_open(&rig, 10);
        rig.log.format = LOG_JOURNAL;
        const char *wrong = log_levels_set(&rig.log.own.levels, level_rows[i].list);
        assert_int_equal(wrong != NULL, level_rows[i].wrong != NULL);
        if (wrong)
            assert_string_equal(wrong, level_rows[i].wrong);
        log_line(&rig.log, "gtpc", "info", "a", 0);
        log_line(&rig.log, "gtpc", "warning", "b", 0);
        log_line(&rig.log, "ns", "info", "c", 0);
        log_line(&rig.log, "ns", "error", "d", 0);
        fflush(rig.log.out);
        char seen[256] = "", *out = seen;
        for (const char *at = rig.text; level_rows[i].lines && *at; at++)
            if (*at == '<')
                at += 2;
            else
                *out++ = *at;
        if (level_rows[i].lines)
            assert_string_equal(seen, level_rows[i].lines);
        rig_close(&rig);
    }
}

/* --- followers --- */

struct pair {
    struct rig rig;
    int fds[2]; /* of the log, of its reader */
};

static void pair_open(struct pair *pair)
{
    rig_open(&pair->rig, 10);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair->fds), 0);
}

static void pair_close(struct pair *pair)
{
    close(pair->fds[0]);
    close(pair->fds[1]);
    rig_close(&pair->rig);
}

/* "": no message. */
static const char *heard(const struct pair *pair)
{
    static char text[2 * LOG_FOLLOWER_LINE_OCTETS];
    ssize_t octets = recv(pair->fds[1], text, sizeof(text) - 1, 0);
    text[octets > 0 ? octets : 0] = '\0';
    return text;
}

/* What of gmm debug, gmm info, ns warn and ns info comes, by the first letters of the texts. */
static const struct {
    const char *word, *list, *wrong, *letters;
} follow_rows[] = {
    {"", "", NULL, "c"},
    {"", "info", NULL, "bcd"},
    {"", "gmm=debug", NULL, "abc"},
    {"", "error,gmm:info", NULL, "b"},
    {"26242", "", NULL, "ab"},
    {"26242", "gmm=info", NULL, "b"},
    {"2624", "", NULL, ""},
    {"NSVCI 3", "", NULL, "cd"},
    {"192.0.2.1", "", NULL, "c"},
    {"2001:db8::1", "", NULL, "d"},
    {"", "gmm=loud", "'gmm=loud' is not LEVEL or CATEGORY=LEVEL", ""},
};

TEST_IN(a_follower_has_levels_and_a_filter_of_its_own, struct pair, pair, pair_open(pair), pair_close(pair))
{
    struct log *log = &pair->rig.log;
    for (size_t i = 0; i < COUNT(follow_rows); i++) {
        char letters[8] = "";
        const char *wrong = log_follow(log, pair->fds[0], false, follow_rows[i].word, follow_rows[i].list);
        assert_int_equal(wrong != NULL, follow_rows[i].wrong != NULL);
        if (wrong)
            assert_string_equal(wrong, follow_rows[i].wrong);
        int64_t now = (int64_t)i * MOMENT_SECOND;
        log_line(log, "gmm", "debug", "a 26242 TLLI c0000001: x", now);
        log_line(log, "gmm", "info", "b 26242/5: x", now);
        log_line(log, "ns", "warn", "c NSVCI 3 192.0.2.1:23000", now);
        log_line(log, "ns", "info", "d NSVCI 3 [2001:db8::1]:23000, 192.0.2.10, 2001:db8::1:2", now);
        for (const char *line = heard(pair); line[0]; line = heard(pair))
            strncat(letters,
                    strstr(line, strstr(line, "debug")  ? "debug: "
                                 : strstr(line, "info") ? "info: "
                                                        : "warn: ") +
                        (strstr(line, "debug") ? 7 : 6),
                    1);
        assert_string_equal(letters, follow_rows[i].letters);
        log_leave(log, pair->fds[0]);
    }
    fflush(log->out);
    assert_int_equal(lines(&pair->rig), COUNT(follow_rows)); /* of level warn */
}

TEST_IN(a_slow_follower_loses_lines_and_is_told, struct pair, pair, pair_open(pair), pair_close(pair))
{
    struct log *log = &pair->rig.log;
    unsigned read = 0, given = 5000;
    char told[64];
    assert_null(log_follow(log, pair->fds[0], false, "", "info"));
    for (unsigned i = 0; i < given; i++)
        log_line(log, "gmm", "info", "x", i * (MOMENT_SECOND / 500));
    for (; heard(pair)[0]; read++)
        ;
    assert_in_range(read, 10, given - 1);
    assert_int_equal(log->followers[0].sink.left_out, given - read);
    log_tell_followers(log, 20 * MOMENT_SECOND);
    snprintf(told, sizeof(told), "20.000000 log: warn: lines left out: %u", given - read);
    assert_string_equal(heard(pair), told);
    log_tell_followers(log, 21 * MOMENT_SECOND);
    assert_string_equal(heard(pair), "");
    log_line(log, "gmm", "info", "y", 22 * MOMENT_SECOND);
    assert_string_equal(heard(pair), "22.000000 gmm: info: y");
}

TEST_IN(a_follower_gets_a_limited_number_a_second, struct pair, pair, pair_open(pair), pair_close(pair))
{
    struct log *log = &pair->rig.log;
    unsigned read = 0;
    assert_null(log_follow(log, pair->fds[0], false, "", "info"));
    for (unsigned i = 0; i < 4 * LOG_FOLLOWER_LINES_PER_S; i++) {
        log_line(log, "gmm", "info", "x", MOMENT_SECOND);
        read += heard(pair)[0] != '\0';
    }
    assert_int_equal(read, LOG_FOLLOWER_LINES_PER_S);
}

TEST_IN(followers_are_few_and_their_lines_short, struct pair, pair, pair_open(pair), pair_close(pair))
{
    struct log *log = &pair->rig.log;
    static char text[3 * LOG_FOLLOWER_LINE_OCTETS];
    memset(text, 'x', sizeof(text) - 1);
    for (int i = 0; i < LOG_FOLLOWERS; i++)
        assert_null(log_follow(log, i == 0 ? pair->fds[0] : 1000 + i, false, i == 0 ? "" : "nothing", ""));
    assert_string_equal(log_follow(log, 2000, false, "", ""),
                        "5 clients follow the log, which is the most; end one of them");
    log_line(log, "gmm", "error", text, 0);
    assert_int_equal(strlen(heard(pair)), LOG_FOLLOWER_LINE_OCTETS);
    log_leave(log, 1001);
    assert_null(log_follow(log, 2000, false, "nothing", ""));
}

/* The place of another one that may act is not taken. */
TEST_IN(one_that_may_act_takes_the_place_of_a_reader, struct pair, pair, pair_open(pair), pair_close(pair))
{
    struct log *log = &pair->rig.log;
    for (int i = 0; i < LOG_FOLLOWERS; i++)
        assert_null(log_follow(log, i == 3 ? pair->fds[0] : 1000 + i, i != 3, "nothing", ""));
    assert_non_null(log_follow(log, 2000, false, "", ""));
    assert_non_null(log_follow(log, 2000, true, "", "loud"));
    assert_int_equal(log->followers[3].fd, pair->fds[0]);
    assert_null(log_follow(log, 2000, true, "nothing", ""));
    assert_int_equal(recv(pair->fds[1], &(char){0}, 1, 0), 0); /* not EAGAIN: its end */
    log_leave(log, pair->fds[0]);
    assert_int_equal(log->followers[3].fd, 2000);
    assert_non_null(log_follow(log, 2001, true, "", ""));
}

TEST_IN(a_follower_that_has_gone_does_no_harm, struct pair, pair, pair_open(pair), pair_close(pair))
{
    struct log *log = &pair->rig.log;
    assert_null(log_follow(log, pair->fds[0], false, "", ""));
    close(pair->fds[1]);
    log_line(log, "gmm", "error", "x", 0);
    log_line(log, "gmm", "error", "y", 0);
    assert_int_equal(log->followers[0].sink.left_out, 2);
    pair->fds[1] = dup(pair->fds[0]);
}

static const struct {
    const char *list, *names;
} debug_rows[] = {
    {"info", ""},
    {"gmm=debug,sm=debug", "gmm sm"},
    {"debug,gmm=info", "gb ns bssgp llc gtpc gn sm sms gsup phones control bss"},
};

TEST(names_of_categories_with_level_debug)
{
    for (size_t i = 0; i < COUNT(debug_rows); i++) {
        struct log_levels levels = {.others = LOG_LEVEL_WARN};
        char names[LOG_NAMES_CHARS];
        assert_null(log_levels_set(&levels, debug_rows[i].list));
        assert_int_equal(log_debug_names(&levels, names), debug_rows[i].names[0] != '\0');
        assert_string_equal(names, debug_rows[i].names);
    }
}

/* --- formats --- */

static int64_t wall(void)
{
    return INT64_C(1795406400123456789);
}

static const struct {
    const char *name, *line;
} formats[] = {
    {"text", "2026-11-23T04:00:00.123456Z ns: error: a\\n\"\n"},
    {"json", "{\"time\":\"2026-11-23T04:00:00.123456Z\",\"level\":\"error\",\"category\":\"ns\",\"text\":"
             "\"a\\u000a\\\"\"}\n"},
    {"journal", "<3>ns: error: a\\n\"\n"},
};

TEST(formats_have_time_level_and_category)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct rig rig;
        rig_open(&rig, 10);
        rig.log.wall_ns = wall;
        assert_true(log_set_format(&rig.log, formats[i].name));
        log_line(&rig.log, "ns", "error", "a\n\"", 0);
        fflush(rig.log.out);
        assert_string_equal(rig.text, formats[i].line);
        assert_false(log_set_format(&rig.log, "xml"));
        rig_close(&rig);
    }
}

/* --- Datagrams to the socket of NOTIFY_SOCKET, and signs of life at half of WATCHDOG_USEC --- */

/* A socket without a file, as systemd in a container has it; its name is in NOTIFY_SOCKET. */
static int listen_as_systemd(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char name[64];
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    snprintf(name, sizeof(name), "@gbflow-notify-test-%d", (int)getpid());
    memcpy(at.sun_path, name, strlen(name));
    at.sun_path[0] = '\0';
    assert_int_equal(
        bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
        0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

/* "" if there is none. */
static const char *next(int fd)
{
    static char text[128];
    ssize_t octets = recv(fd, text, sizeof(text) - 1, 0);
    text[octets > 0 ? octets : 0] = '\0';
    return text;
}

TEST(test_texts)
{
    struct notify notify;
    int fd = listen_as_systemd();
    unsetenv("WATCHDOG_USEC");
    notify_open(&notify);
    notify_send(&notify, "READY=1\nSTATUS=x");
    assert_string_equal(next(fd), "READY=1\nSTATUS=x");
    assert_true(notify_alive(&notify, true, 0) == MOMENT_NEVER);
    assert_string_equal(next(fd), "");
    notify_close(&notify);
    close(fd);
}

static const struct {
    int64_t now;
    bool is_working, is_sent;
    int64_t next;
} alive_rows[] = {
    {0, true, true, 500},       {499, true, false, 500},   {500, true, true, 1000},
    {1001, false, false, 1501}, {1500, true, false, 1501}, {1501, true, true, 2001},
};

TEST(test_alive)
{
    struct notify notify;
    int fd = listen_as_systemd();
    setenv("WATCHDOG_USEC", "1000000", 1);
    notify_open(&notify);
    for (size_t i = 0; i < COUNT(alive_rows); i++) {
        int64_t ms = MOMENT_SECOND / 1000;
        assert_true(notify_alive(&notify, alive_rows[i].is_working, alive_rows[i].now * ms) ==
                    alive_rows[i].next * ms);
        assert_string_equal(next(fd), alive_rows[i].is_sent ? "WATCHDOG=1" : "");
    }
    notify_close(&notify);
    close(fd);
}

static const struct {
    const char *socket, *micros, *pid;
    bool is_open, has_watchdog;
} environments[] = {
    {NULL, "1000000", NULL, false, false},
    {"relative", "1000000", NULL, false, false},
    {"/nowhere/at/all", NULL, NULL, false, false},
    {"", NULL, NULL, false, false},
};

TEST(test_without_a_socket)
{
    for (size_t i = 0; i < COUNT(environments); i++) {
        struct notify notify;
        unsetenv("NOTIFY_SOCKET");
        if (environments[i].socket)
            setenv("NOTIFY_SOCKET", environments[i].socket, 1);
        notify_open(&notify);
        assert_int_equal(notify.fd >= 0, environments[i].is_open);
        assert_int_equal(notify.every_ns > 0, environments[i].has_watchdog);
        notify_send(&notify, "READY=1");
        notify_close(&notify);
    }
}

TEST(test_the_watchdog_of_another_process)
{
    struct notify notify;
    int fd = listen_as_systemd();
    setenv("WATCHDOG_USEC", "1000000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    notify_open(&notify);
    assert_true(notify.fd >= 0 && notify.every_ns == 0);
    unsetenv("WATCHDOG_PID");
    notify_close(&notify);
    close(fd);
}

UNIT_MAIN(NULL, NULL)
