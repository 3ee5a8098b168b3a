/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of the telemetry socket: a command and its parameters, as DPDK's thread calls for them, answered
 * by a control thread. A page of a table has its rows from the asked one on, in texts that DPDK takes; an
 * order to capture needs three numbers in their ranges and a path, and anything else is refused. No file is
 * opened here.
 */
#include "control/live/live.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/live_model.h"
#include "tests/fuzz/rte_telemetry_model.h"
#include "tests/fuzz/telemetry_open.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

enum { TEXT = 100, STEPS = 16 };

static char opened[LIVE_CAPTURE_PATH_CHARS];

int telemetry_open(const char *path, int flags, ...)
{
    FUZZ_CHECK((flags & O_NOFOLLOW) && strlen(path) < sizeof opened);
    snprintf(opened, sizeof opened, "%s", path);
    if (path[0] == '/') {
        errno = EACCES;
        return -1;
    }
    return memfd_create("capture", MFD_CLOEXEC);
}

/* --- the control thread --- */

static struct telemetry telemetry;
static void *control(void *unused_arg)
{
    for (;;) {
        while (sem_wait(&live_model_wakes) != 0)
            ;
        telemetry_answer(&telemetry);
    }
    return NULL;
}

static void start(void)
{
    static pthread_t thread;
    if (rte_telemetry_model_count > 0)
        return;
    FUZZ_CHECK(sem_init(&live_model_wakes, 0, 0) == 0);
    telemetry_init(&telemetry, &live_model_source);
    FUZZ_CHECK(rte_telemetry_model_count == 4 && pthread_create(&thread, NULL, control, NULL) == 0);
}

/* --- the model --- */

/* Digits alone, of a number that is not above `most`; *at is behind them and the comma. */
static bool has_number(const char **at, uint64_t most)
{
    uint64_t number = 0;
    const char *begin = *at;
    for (; isdigit((unsigned char)**at); ++*at) {
        unsigned digit = (unsigned)(**at - '0');
        if (number > (most - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    return *at > begin && *(*at)++ == ',';
}

static const char *path_of(const char *parameters)
{
    const char *at = parameters;
    bool is_right = has_number(&at, UINT32_MAX) && has_number(&at, UINT16_MAX) &&
                    has_number(&at, UINT64_MAX) && at[0] && strlen(at) < LIVE_CAPTURE_PATH_CHARS;
    return is_right ? at : NULL;
}

/* A capture to UDP addresses opens no file; which addresses are right is left to their own test. */
static void check_start(const char *parameters, bool was_on, const char *result)
{
    const char *path = parameters ? path_of(parameters) : NULL;
    bool is_tried = path && !was_on && strncmp(result, "the ends of", 11) != 0;
    bool is_udp = is_tried && strncmp(path, "udp:", 4) == 0, is_ok = strcmp(result, "ok") == 0;
    FUZZ_CHECK(live_model.capture.is_on == (was_on || is_ok));
    FUZZ_CHECK(is_udp || is_ok == (is_tried && path[0] != '/'));
    FUZZ_CHECK((opened[0] != 0) == (is_tried && !is_udp) && (!opened[0] || strcmp(opened, path) == 0));
}

/* From the asked row on, without a gap; a page has a row, unless there is none. */
static void check_page(const char *parameters, const struct rte_tel_data *page)
{
    FUZZ_CHECK(page->is_array && page->count >= 2);
    unsigned first = 0, rows = page->count - 2;
    for (const char *c = parameters ? parameters : ""; isdigit((unsigned char)*c) && first < 1000; c++)
        first = first * 10 + (unsigned)(*c - '0');
    bool is_plain = !parameters || strspn(parameters, "0123456789") == strlen(parameters);
    if (!is_plain || first >= 1000)
        return;
    FUZZ_CHECK(first + rows <= live_model_row_count || rows == 0);
    FUZZ_CHECK(rows > 0 || first >= live_model_row_count);
    for (unsigned i = 0; i < rows; i++) {
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)live_model_rows[first + i].number);
        if (live_model_rows[first + i].number == FIELD_NONE)
            snprintf(number, sizeof number, "-");
        FUZZ_CHECK(page->lists[2 + i]->count == 2 && strcmp(page->lists[2 + i]->cells[0], number) == 0);
    }
}

/* --- inputs --- */

static char *take_text(struct fuzz_input *in)
{
    size_t octets;
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1) % TEXT, &octets);
    char *text = malloc(octets + 1);
    FUZZ_CHECK(text);
    memcpy(text, block, octets);
    text[octets] = 0;
    return text;
}

static void change_table(struct fuzz_input *in)
{
    if (live_model_row_count == LIVE_MODEL_ROWS)
        return;
    live_model_rows[live_model_row_count++] =
        (struct live_model_row){.number = fuzz_take(in, 8), .text = take_text(in)};
}

static void ask(struct fuzz_input *in, const char *before)
{
    unsigned what = (unsigned)fuzz_take(in, 1) % rte_telemetry_model_count;
    char *rest = take_text(in), *parameters = malloc(strlen(before) + strlen(rest) + 1);
    bool was_on = live_model.capture.is_on, is_there = before[0] || rest[0];
    struct rte_tel_data answer = {.count = 0};
    FUZZ_CHECK(parameters);
    sprintf(parameters, "%s%s", before, rest);
    opened[0] = 0;
    FUZZ_CHECK(rte_telemetry_model_commands[what].answer(rte_telemetry_model_commands[what].name,
                                                         is_there ? parameters : NULL, &answer) == 0);
    if (strstr(rte_telemetry_model_commands[what].name, "table/"))
        check_page(is_there ? parameters : NULL, &answer);
    else if (strstr(rte_telemetry_model_commands[what].name, "rows"))
        FUZZ_CHECK(answer.is_dictionary && answer.count <= 2);
    else if (strstr(rte_telemetry_model_commands[what].name, "start"))
        check_start(is_there ? parameters : NULL, was_on, answer.cells[0]);
    for (unsigned i = 0; i < answer.count; i++)
        free(answer.lists[i]);
    free(parameters);
    free(rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const char *const befores[] = {"", "0,0,0,", "3221225473,",
                                          "4294967295,65535,18446744073709551615,"};
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    start();
    for (; input.left > 0 && steps < STEPS; steps++) {
        unsigned what = (unsigned)fuzz_take(&input, 1);
        if (what % 8 < 3)
            change_table(&input);
        else
            ask(&input, befores[what >> 4 & 3]);
    }
    fuzz_count_sequence(steps);
    live_capture_close(&live_model);
    for (; live_model_row_count > 0; live_model_row_count--)
        free((char *)(uintptr_t)live_model_rows[live_model_row_count - 1].text);
    return 0;
}
