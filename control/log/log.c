/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/log/log.h"

#include "control/base/utf8.h"
#include "dataplane/base/moment.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define DELETE      0x7f
#define REPLACEMENT 0xfffd
#define STAMP_CHARS 48
#define PART_CHARS  32

static const char *const categories[LOG_CATEGORIES] = {"gb", "ns",   "bssgp",  "llc",     "gtpc", "gn", "gmm",
                                                       "sm", "gsup", "phones", "control", "bss",  "sms"};
static const char *const levels[LOG_LEVELS] = {"error", "warn", "info"};
static const int priorities[LOG_LEVELS] = {3, 4, 6}; /* of syslog(3) */

void log_init(struct log *log, FILE *out, unsigned lines_per_s)
{
    *log = (struct log){.out = out, .lines_per_s = lines_per_s};
}

/* --- levels --- */

static int category_of(const char *who)
{
    for (int i = 0; i < LOG_CATEGORIES; i++)
        if (strcmp(categories[i], who) == 0)
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

const char *log_categories(void)
{
    static char text[LOG_CATEGORIES * 10];
    size_t used = 0;
    for (int i = 0; i < LOG_CATEGORIES; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? " " : "", categories[i]);
    return text;
}

static bool set_level(struct log *log, char *part)
{
    char *colon = strchr(part, ':');
    int level = level_of(colon ? colon + 1 : part);
    if (colon)
        *colon = '\0';
    int category = colon ? category_of(part) : 0;
    if (colon)
        *colon = ':';
    if (level < 0 || category < 0)
        return false;
    *(colon ? &log->levels[category] : &log->level) = (uint8_t)(level + 1);
    return true;
}

const char *log_set_levels(struct log *log, const char *list)
{
    static char part[PART_CHARS];
    for (const char *at = list; at;) {
        size_t chars = strcspn(at, ",");
        snprintf(part, sizeof(part), "%.*s", (int)chars, at);
        if (!set_level(log, part))
            return part;
        at = at[chars] ? at + chars + 1 : NULL;
    }
    return NULL;
}

static bool is_wanted(const struct log *log, const char *who, int level)
{
    int category = category_of(who);
    int most = category >= 0 && log->levels[category] > 0 ? log->levels[category] - 1
               : log->level > 0                           ? log->level - 1
               : log->is_verbose                          ? LOG_LEVEL_INFO
                                                          : LOG_LEVEL_WARN;
    return level <= most;
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

static void write_line(struct log *log, const char *who, int level, const char *text, int64_t now)
{
    char stamp[STAMP_CHARS];
    make_stamp(log, now, stamp);
    if (log->format == LOG_JSON) {
        fprintf(log->out, "{\"time\":\"%s\",\"level\":\"%s\",\"category\":\"%s\",\"text\":\"", stamp,
                levels[level], who);
        put_json(log->out, text);
        fputs("\"}\n", log->out);
    } else {
        if (log->format == LOG_JOURNAL)
            fprintf(log->out, "<%d>%s: %s: ", priorities[level], who, levels[level]);
        else
            fprintf(log->out, "%s %s: %s: ", stamp, who, levels[level]);
        put_text(log->out, text);
        fputc('\n', log->out);
    }
    log->written++;
}

/* --- lines --- */

/* Charges one line to the leaky bucket, in its virtual scheduling form; false: the bucket is full. */
static bool log_take(struct log *log, int64_t now)
{
    int64_t step_ns = MOMENT_SECOND / log->lines_per_s;
    if (log->whole_ns > now && log->whole_ns - now > (log->lines_per_s - 1) * step_ns)
        return false;
    log->whole_ns = moment_max(log->whole_ns, now) + step_ns;
    return true;
}

/* The number of dropped lines is written before the next line that the bucket allows, and is charged like
 * others. */
static void tell_left_out(struct log *log, int64_t now)
{
    char text[STAMP_CHARS];
    uint64_t count = log->left_out - log->left_out_told;
    if (count == 0)
        return;
    snprintf(text, sizeof(text), "%llu lines left out", (unsigned long long)count);
    write_line(log, "log", LOG_LEVEL_WARN, text, now);
    log->left_out_told = log->left_out;
    log->whole_ns += MOMENT_SECOND / log->lines_per_s;
}

void log_line(struct log *log, const char *who, const char *level, const char *text, int64_t now)
{
    int number = level_of(level);
    if (number < 0)
        number = LOG_LEVEL_ERROR;
    if (!is_wanted(log, who, number))
        return;
    if (!log_take(log, now)) {
        log->left_out++;
        return;
    }
    tell_left_out(log, now);
    write_line(log, who, number, text, now);
    fflush(log->out);
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
