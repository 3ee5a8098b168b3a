/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_CHARS 2048
#define SECOND     INT64_C(1000000000)
#define MODE       0640 /* of the file */

static const char csv_head[] = "timestamp,imsi,imei,msisdn,cell_id,lac,hlr,event,pdp_duration,ggsn_addr,"
                               "sgsn_addr,apni,eua_addr,vol_in,vol_out,charging_id\n";

/* --- lines --- */

struct text {
    char chars[LINE_CHARS];
    size_t used;
    bool is_cut;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int wanted = vsnprintf(t->chars + t->used, sizeof(t->chars) - t->used, format, values);
    va_end(values);
    t->is_cut |= wanted < 0 || (size_t)wanted >= sizeof(t->chars) - t->used;
    t->used += t->is_cut ? 0 : (size_t)wanted;
}

static void put_time(struct text *t, const char *format, int64_t ns)
{
    time_t seconds = ns / SECOND;
    struct tm tm;
    gmtime_r(&seconds, &tm);
    put(t, format, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
        (int)(ns % SECOND / 1000000));
}

/* Digits, addresses and names: their characters need no escape. */
static void put_word(struct text *t, const char *key, const char *word)
{
    if (word && word[0])
        put(t, ",\"%s\":\"%s\"", key, word);
}

static void put_moment(struct text *t, const char *key, int64_t ns)
{
    put(t, "%s\"%s\":\"", t->used > 1 ? "," : "", key);
    put_time(t, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", ns);
}

static void put_volume(struct text *t, const char *way, const struct context_volume *v)
{
    put(t, ",\"%s_octets\":%" PRIu64 ",\"%s_npdus\":%" PRIu64, way, v->octets, way, v->npdus);
    put(t, ",\"%s_dropped_octets\":%" PRIu64 ",\"%s_dropped_npdus\":%" PRIu64, way, v->dropped_octets, way,
        v->dropped_npdus);
}

static void put_context(struct text *t, const struct records_line *line)
{
    put(t, ",\"nsapi\":%u", line->nsapi);
    put_word(t, "apn", line->apn);
    put_word(t, "pdp_type", line->pdp_type);
    put_word(t, "pdp_address", line->ipv4);
    put_word(t, "pdp_ipv6_address", line->ipv6);
    put(t, ",\"charging_id\":%" PRIu32, line->charging_id);
    put_word(t, "ggsn_address", line->ggsn);
    put_word(t, "sgsn_address", line->sgsn);
    put_word(t, "class", line->class);
    put(t, ",\"sequence\":%" PRIu32, line->sequence);
    put_moment(t, "opened", line->opened_ns);
    put(t, ",\"duration_s\":%.3f", (double)(line->at_ns - line->opened_ns) / (double)SECOND);
    put_volume(t, "uplink", &line->volumes.up);
    put_volume(t, "downlink", &line->volumes.down);
}

static void put_json(struct text *t, const struct records_line *line)
{
    static const char *const kinds[] = {"attach", "detach", "context_begin", "context_interim",
                                        "context_end"};
    put(t, "{");
    put_moment(t, "at", line->at_ns);
    put_word(t, "record", kinds[line->kind]);
    put_word(t, "imsi", line->imsi);
    put_word(t, "msisdn", line->msisdn);
    put_word(t, "imeisv", line->imeisv);
    put_word(t, "mcc", line->mcc);
    put_word(t, "mnc", line->mnc);
    put(t, ",\"lac\":%u,\"rac\":%u,\"ci\":%u", line->lac, line->rac, line->ci);
    if (line->kind >= RECORDS_CONTEXT_BEGIN)
        put_context(t, line);
    if (line->cause != RECORDS_OPEN)
        put(t, ",\"cause\":%d", (int)line->cause);
    put(t, "}\n");
}

static const char *or_empty(const char *word)
{
    return word ? word : "";
}

/* osmo-sgsn 1.9: volumes and time of a context are those since it began; in: from the phone. Of the IMEI the
 * 14 digits that an IMEISV has. */
static void put_csv(struct text *t, const struct records_line *line)
{
    static const char *const kinds[] = {"attach", "detach", "pdp-act", "pdp-periodic", "pdp-deact"};
    put_time(t, "%04d%02d%02d%02d%02d%02d%03d", line->at_ns);
    put(t, ",%s,%.14s,%s,%u,%u,,%s", or_empty(line->imsi), or_empty(line->imeisv), or_empty(line->msisdn),
        line->ci, line->lac, kinds[line->kind]);
    if (line->kind >= RECORDS_CONTEXT_BEGIN)
        put(t, ",%" PRId64 ",%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu32,
            (line->at_ns - line->begun_ns) / SECOND, or_empty(line->ggsn), or_empty(line->sgsn),
            or_empty(line->apn), line->ipv4 ? line->ipv4 : or_empty(line->ipv6), line->all.up.octets,
            line->all.down.octets, line->charging_id);
    put(t, "\n");
}

/* --- the file --- */

/* Writes a line, or nothing of it: what a full disk took of it is cut off again. Returns 0 or errno. */
static int append(int fd, const char *line, size_t octets)
{
    ssize_t done = write(fd, line, octets);
    if (done == (ssize_t)octets)
        return 0;
    if (done < 0)
        return errno;
    struct stat status;
    if (done > 0 && fstat(fd, &status) == 0 && ftruncate(fd, status.st_size - done) != 0)
        return errno;
    return ENOSPC;
}

/* With the head of a CSV file that is new. Returns the descriptor, or -1 with errno. */
static int open_file(const struct live_config_records *config)
{
    struct stat status;
    int fd = open(config->file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, MODE);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    if (config->is_csv && status.st_size == 0)
        append(fd, csv_head, sizeof(csv_head) - 1);
    return fd;
}

static void tell_error(const struct live_config_records *config)
{
    fprintf(stderr,
            "gbflow: phones.records.file '%s': %s; name a regular file in a folder that the node may write\n",
            config->file, strerror(errno));
}

bool records_open(struct records *r, const struct live_config_records *config)
{
    *r = (struct records){.config = *config};
    if (!config->file[0])
        return true;
    r->fd = open_file(config);
    if (r->fd > 0)
        return true;
    tell_error(config);
    r->fd = 0;
    return false;
}

int records_reopen(struct records *r)
{
    int fd = open_file(&r->config);
    if (fd < 0)
        return errno;
    close(r->fd);
    r->fd = fd;
    return 0;
}

static void close_next(struct records *r)
{
    if (r->next_fd > 0)
        close(r->next_fd);
    r->next_fd = 0;
}

void records_close(struct records *r)
{
    if (r->fd > 0)
        close(r->fd);
    r->fd = 0;
    close_next(r);
}

bool records_prepare(struct records *r, const struct live_config_records *config)
{
    close_next(r);
    if (strcmp(r->config.file, config->file) == 0 && r->config.is_csv == config->is_csv)
        return true;
    r->next_fd = open_file(config);
    if (r->next_fd > 0)
        return true;
    tell_error(config);
    r->next_fd = 0;
    return false;
}

void records_exchange(struct records *r, const struct live_config_records *config)
{
    if (r->next_fd <= 0)
        return;
    close(r->fd);
    r->fd = r->next_fd;
    r->next_fd = r->error = 0;
    memcpy(r->config.file, config->file, sizeof(r->config.file));
    r->config.is_csv = config->is_csv;
}

bool records_write(struct records *r, const struct records_line *line)
{
    struct text text = {.used = 0};
    if (r->config.is_csv)
        put_csv(&text, line);
    else
        put_json(&text, line);
    r->error = text.is_cut ? EMSGSIZE : append(r->fd, text.chars, text.used);
    r->written += r->error == 0;
    r->lost += r->error != 0;
    return r->error == 0;
}

/* --- volumes --- */

static void add(struct context_volume *sum, const struct context_volume *v)
{
    sum->octets += v->octets;
    sum->npdus += v->npdus;
    sum->dropped_octets += v->dropped_octets;
    sum->dropped_npdus += v->dropped_npdus;
}

struct context_volumes records_volumes(const struct records *r, uint32_t pdp)
{
    struct context_volumes sum = {.up = {0}};
    for (unsigned i = 0; i < TEID_WORKERS && r->volumes[i]; i++) {
        add(&sum.up, &r->volumes[i][pdp].up);
        add(&sum.down, &r->volumes[i][pdp].down);
    }
    return sum;
}
