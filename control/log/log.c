/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/log/log.h"

#include "control/base/utf8.h"
#include "dataplane/base/moment.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define DELETE           0x7f
#define REPLACEMENT      0xfffd
#define STAMP_CHARS      48
#define PART_CHARS       32
#define LOG_REASON_CHARS 96

const struct log_category log_categories[LOG_CATEGORIES] = {
    {"gb", "Gb: NSEs, cells and their mobiles as a whole; workers' ports"},
    {"ns", "NS-VCs and IP-SNS"},
    {"bssgp", "cells, flow control, paging, flush, packet flows"},
    {"llc", "LLC and SNDCP parameters of mobiles (XID)"},
    {"gtpc", "GTP-C: contexts and requests to GGSNs"},
    {"gn", "GTP-U paths and their echo"},
    {"gmm", "attach, authentication, routeing area update, detach"},
    {"sm", "PDP contexts of phones"},
    {"sms", "short messages"},
    {"gsup", "the connection to the HLR, and requests on it"},
    {"phones", "errors of the phones' part of control"},
    {"control", "the control plane, capture, restart, orders"},
    {"bss", "an emulated BSS (gbflow emulate)"},
};
static const char *const levels[LOG_LEVELS] = {"error", "warn", "info", "debug"};
static const int priorities[LOG_LEVELS] = {3, 4, 6, 7}; /* of syslog(3) */

static struct log_sink sink_of(unsigned lines_per_s)
{
    return (struct log_sink){.lines_per_s = lines_per_s, .levels.others = LOG_LEVEL_WARN};
}

void log_init(struct log *log, FILE *out, unsigned lines_per_s)
{
    *log = (struct log){.out = out, .own = sink_of(lines_per_s)};
    for (unsigned i = 0; i < LOG_FOLLOWERS; i++)
        log->followers[i].fd = -1;
}

/* --- levels --- */

static int category_of(const char *who)
{
    for (int i = 0; i < LOG_CATEGORIES; i++)
        if (strcmp(log_categories[i].name, who) == 0)
            return i;
    return -1;
}

static int level_of(const char *name)
{
    for (int i = 0; i < LOG_LEVELS; i++)
        if (strcmp(levels[i], name) == 0)
            return i;
    return strcmp(name, "warning") == 0 ? LOG_LEVEL_WARN : -1;
}

const char *log_level_name(enum log_level level)
{
    return levels[level];
}

/* The names of the categories of this level and finer ones; of all, if the levels are NULL. */
static void put_names(const struct log_levels *of, enum log_level level, char out[LOG_NAMES_CHARS])
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < LOG_CATEGORIES; i++)
        if (!of || log_levels_of(of, i) >= level)
            used += (size_t)snprintf(out + used, LOG_NAMES_CHARS - used, "%s%s", used > 0 ? " " : "",
                                     log_categories[i].name);
}

const char *log_category_names(void)
{
    static char text[LOG_NAMES_CHARS];
    put_names(NULL, LOG_LEVEL_DEBUG, text);
    return text;
}

bool log_debug_names(const struct log_levels *of, char out[LOG_NAMES_CHARS])
{
    put_names(of, LOG_LEVEL_DEBUG, out);
    return out[0] != '\0';
}

const char *log_level_names(void)
{
    static char text[LOG_LEVELS * 10];
    size_t used = 0;
    for (int i = 0; i < LOG_LEVELS; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? " " : "", levels[i]);
    return text;
}

/* "LEVEL", "CATEGORY:LEVEL" or "CATEGORY=LEVEL". */
static bool set_level(struct log_levels *to, const char *part)
{
    char name[PART_CHARS];
    size_t chars = strcspn(part, ":=");
    snprintf(name, sizeof(name), "%.*s", (int)chars, part);
    int category = part[chars] ? category_of(name) : 0,
        level = level_of(part[chars] ? part + chars + 1 : part);
    if (level < 0 || category < 0)
        return false;
    if (part[chars])
        to->own[category] = (uint8_t)(level + 1);
    else
        to->others = (uint8_t)level;
    return true;
}

const char *log_levels_set(struct log_levels *to, const char *list)
{
    static char part[PART_CHARS];
    for (const char *at = list; at;) {
        size_t chars = strcspn(at, ",");
        snprintf(part, sizeof(part), "%.*s", (int)chars, at);
        if (!set_level(to, part))
            return part;
        at = at[chars] ? at + chars + 1 : NULL;
    }
    return NULL;
}

enum log_level log_levels_of(const struct log_levels *of, unsigned category)
{
    return of->own[category] > 0 ? of->own[category] - 1u : of->others;
}

static bool is_wanted(const struct log_levels *by, int category, int level)
{
    return level <= (int)(category < 0 ? by->others : log_levels_of(by, (unsigned)category));
}

/* --- format --- */

/* "DEVICE:INODE" of the stream that systemd connects with the journal: systemd.exec(5). */
static bool is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat found;
    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(STDERR_FILENO, &found) == 0 &&
           found.st_dev == device && found.st_ino == inode;
}

bool log_set_format(struct log *log, const char *name)
{
    static const char *const names[] = {"text", "json", "journal"};
    if (strcmp(name, "auto") == 0) {
        log->format = is_journal() ? LOG_JOURNAL : LOG_TEXT;
        return true;
    }
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0) {
            log->format = (enum log_format)i;
            return true;
        }
    return false;
}

static void make_stamp(const struct log *log, int64_t now, char out[STAMP_CHARS])
{
    int64_t at_ns = log->wall_ns ? log->wall_ns() : now;
    long long seconds = at_ns / MOMENT_SECOND, micros = at_ns % MOMENT_SECOND / 1000;
    time_t whole = (time_t)seconds;
    struct tm tm;
    size_t used = log->wall_ns && gmtime_r(&whole, &tm) ? strftime(out, STAMP_CHARS, "%Y-%m-%dT%H:%M:%S", &tm)
                                                        : (size_t)snprintf(out, STAMP_CHARS, "%lld", seconds);
    snprintf(out + used, STAMP_CHARS - used, ".%06lld%s", micros, log->wall_ns ? "Z" : "");
}

/* A text may have parts of a peer's or a user's: a new line would forge a line, a change of direction what
 * one reads. */
static void put_text(FILE *out, const char *text)
{
    for (const char *c = text, *next; *c; c = next) {
        unsigned unshown = utf8_unshown(c);
        next = c + utf8_next(c).taken;
        if (*c == '\n')
            fputs("\\n", out);
        else if (unshown)
            for (unsigned i = 0; i < unshown; i++)
                fprintf(out, "\\x%02x", (unsigned char)c[i]);
        else
            fwrite(c, 1, (size_t)(next - c), out);
    }
}

static void put_json(FILE *out, const char *text)
{
    for (const char *c = text, *next; *c; c = next) {
        unsigned unshown = utf8_unshown(c);
        next = c + utf8_next(c).taken;
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (unshown)
            fprintf(out, "\\u%04x",
                    unshown == 1 && (unsigned char)*c <= DELETE ? (unsigned char)*c : REPLACEMENT);
        else
            fwrite(c, 1, (size_t)(next - c), out);
    }
}

/* A line to be written. */
struct line {
    const char *who, *text;
    int category, level; /* -1: no category of the table */
    int64_t now;
};

static void put_line(const struct log *log, enum log_format format, FILE *out, const struct line *line)
{
    char stamp[STAMP_CHARS];
    make_stamp(log, line->now, stamp);
    if (format == LOG_JSON) {
        fprintf(out, "{\"time\":\"%s\",\"level\":\"%s\",\"category\":\"%s\",\"text\":\"", stamp,
                levels[line->level], line->who);
        put_json(out, line->text);
        fputs("\"}", out);
        return;
    }
    if (format == LOG_JOURNAL)
        fprintf(out, "<%d>%s: %s: ", priorities[line->level], line->who, levels[line->level]);
    else
        fprintf(out, "%s %s: %s: ", stamp, line->who, levels[line->level]);
    put_text(out, line->text);
}

/* --- limits --- */

/* Charges one line to the leaky bucket, in its virtual scheduling form; false: the bucket is full. */
static bool take(struct log_sink *sink, int64_t now)
{
    int64_t step_ns = MOMENT_SECOND / sink->lines_per_s;
    if (sink->whole_ns > now && sink->whole_ns - now > (sink->lines_per_s - 1) * step_ns)
        return false;
    sink->whole_ns = moment_max(sink->whole_ns, now) + step_ns;
    return true;
}

/* The line with the number of lines that were dropped since the last one; false: there are none. */
static bool left_out_of(const struct log_sink *sink, int64_t now, struct line *line)
{
    static char text[STAMP_CHARS];
    uint64_t count = sink->left_out - sink->left_out_told;
    snprintf(text, sizeof(text), "lines left out: %llu", (unsigned long long)count);
    *line = (struct line){.who = "log", .text = text, .category = -1, .level = LOG_LEVEL_WARN, .now = now};
    return count > 0;
}

static void note_told(struct log_sink *sink)
{
    sink->left_out_told = sink->left_out;
    sink->whole_ns += MOMENT_SECOND / sink->lines_per_s;
}

/* --- followers --- */

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a word may end in front of `rest`: an address continues behind a dot or colon with a digit. */
static bool ends_word(const char *rest, bool is_ipv6)
{
    return !is_of_word(rest[0]) && !(rest[0] == '.' && isdigit((unsigned char)rest[1])) &&
           !(is_ipv6 && rest[0] == ':' && isxdigit((unsigned char)rest[1]));
}

bool log_has_word(const char *text, const char *word)
{
    size_t chars = strlen(word);
    bool is_ipv6 = strchr(word, ':') != NULL;
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || (!is_of_word(at[-1]) && at[-1] != '.' && !(is_ipv6 && at[-1] == ':'))) &&
            ends_word(at + chars, is_ipv6))
            return true;
    return false;
}

/* The buffer of the socket bounds the lines to a client that does not read. */
static bool send_line(const struct log *log, struct log_follower *follower, const struct line *line)
{
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);
    if (!out)
        return false;
    put_line(log, LOG_TEXT, out, line);
    bool is_sent = fclose(out) == 0;
    octets = octets < LOG_FOLLOWER_LINE_OCTETS ? octets : LOG_FOLLOWER_LINE_OCTETS;
    is_sent = is_sent && send(follower->fd, text, octets, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)octets;
    free(text);
    follower->sink.written += is_sent;
    return is_sent;
}

/* False: the client does not read. */
static bool tell_follower(const struct log *log, struct log_follower *follower, int64_t now)
{
    struct line told;
    if (!left_out_of(&follower->sink, now, &told))
        return true;
    if (!send_line(log, follower, &told))
        return false;
    note_told(&follower->sink);
    return true;
}

static bool is_for(const struct log_follower *follower, const struct line *line)
{
    return follower->fd >= 0 && is_wanted(&follower->sink.levels, line->category, line->level) &&
           (!follower->word[0] || log_has_word(line->text, follower->word));
}

static void follow_line(struct log *log, const struct line *line)
{
    for (struct log_follower *f = log->followers; f < log->followers + LOG_FOLLOWERS; f++)
        if (is_for(f, line))
            f->sink.left_out +=
                !take(&f->sink, line->now) || !tell_follower(log, f, line->now) || !send_line(log, f, line);
}

void log_tell_followers(struct log *log, int64_t now)
{
    for (struct log_follower *f = log->followers; f < log->followers + LOG_FOLLOWERS; f++)
        if (f->fd >= 0)
            tell_follower(log, f, now);
}

static struct log_follower *follower_of(struct log *log, int fd)
{
    for (struct log_follower *f = log->followers; f < log->followers + LOG_FOLLOWERS; f++)
        if (f->fd == fd)
            return f;
    return NULL;
}

/* A free place. One that may act takes that of one that may only read: the caller closes it when it finds the
 * connection at its end. NULL: there is none. */
static struct log_follower *place_for(struct log *log, bool may_act)
{
    struct log_follower *place = follower_of(log, -1);
    for (struct log_follower *f = log->followers; may_act && !place && f < log->followers + LOG_FOLLOWERS;
         f++)
        if (!f->may_act)
            place = f;
    if (place && place->fd >= 0)
        shutdown(place->fd, SHUT_RDWR);
    return place;
}

/* The levels of a follower; a wrong part of the list, or NULL. */
static const char *set_follower(const struct log *log, struct log_follower *follower, const char *list)
{
    if (list[0] || !follower->word[0])
        follower->sink.levels = log->own.levels;
    else
        follower->sink.levels.others = LOG_LEVEL_DEBUG;
    return list[0] ? log_levels_set(&follower->sink.levels, list) : NULL;
}

const char *log_follow(struct log *log, int fd, bool may_act, const char *word, const char *list)
{
    static char reason[LOG_REASON_CHARS];
    struct log_follower follower = {.fd = fd, .sink = sink_of(LOG_FOLLOWER_LINES_PER_S), .may_act = may_act};
    snprintf(follower.word, sizeof(follower.word), "%s", word);
    const char *wrong = set_follower(log, &follower, list);
    struct log_follower *place = wrong ? NULL : place_for(log, may_act);
    snprintf(reason, sizeof(reason), "'%s' is not LEVEL or CATEGORY=LEVEL", wrong ? wrong : "");
    if (!wrong && !place)
        snprintf(reason, sizeof(reason), "%d clients follow the log, which is the most; end one of them",
                 LOG_FOLLOWERS);
    if (!place)
        return reason;
    *place = follower;
    return NULL;
}

void log_leave(struct log *log, int fd)
{
    struct log_follower *follower = follower_of(log, fd);
    if (follower)
        follower->fd = -1;
}

/* --- lines --- */

static void write_line(struct log *log, const struct line *line)
{
    put_line(log, log->format, log->out, line);
    fputc('\n', log->out);
    log->own.written++;
}

/* The number of dropped lines is written before the next line that the bucket allows, and is charged like
 * others. */
static void write_own(struct log *log, const struct line *line)
{
    struct line told;
    if (!take(&log->own, line->now)) {
        log->own.left_out++;
        return;
    }
    if (left_out_of(&log->own, line->now, &told)) {
        write_line(log, &told);
        note_told(&log->own);
    }
    write_line(log, line);
    fflush(log->out);
}

void log_line(struct log *log, const char *who, const char *level, const char *text, int64_t now)
{
    struct line line = {
        .who = who, .text = text, .category = category_of(who), .level = level_of(level), .now = now};
    if (line.level < 0)
        line.level = LOG_LEVEL_ERROR;
    if (is_wanted(&log->own.levels, line.category, line.level))
        write_own(log, &line);
    follow_line(log, &line);
}

static int64_t watchdog_ns(void)
{
    const char *micros = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!micros || (pid && strtoll(pid, NULL, 10) != getpid()))
        return 0;
    int64_t number = strtoll(micros, NULL, 10);
    return number > 0 && number < INT64_MAX / 1000 ? number * 1000 : 0;
}

/* '@' in front stands for a socket without a file. */
static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t chars = strlen(path);
    if (chars == 0 || chars >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
        return -1;
    memcpy(to.sun_path, path, chars);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t octets = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + chars);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, octets) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

void notify_open(struct notify *notify)
{
    const char *path = getenv("NOTIFY_SOCKET");
    *notify = (struct notify){.fd = path ? connect_to(path) : -1};
    notify->every_ns = notify->fd >= 0 ? watchdog_ns() / 2 : 0;
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    notify->fd = -1;
}

void notify_send(const struct notify *notify, const char *text)
{
    if (notify->fd >= 0)
        (void)!send(notify->fd, text, strlen(text), MSG_NOSIGNAL);
}

int64_t notify_alive(struct notify *notify, bool is_working, int64_t now)
{
    if (notify->every_ns == 0)
        return MOMENT_NEVER;
    if (now < notify->due_ns)
        return notify->due_ns;
    if (is_working)
        notify_send(notify, "WATCHDOG=1");
    notify->due_ns = now + notify->every_ns;
    return notify->due_ns;
}
