/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/console/keys.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define NO_CHAR     L'\xFFFD'
#define CHAR_OCTETS 4

static const int numbers[] = {SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGTERM, SIGHUP};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static struct {
    bool has_begun;
    struct sigaction before[NUMBERS];
    sigset_t mask_before;
    volatile sig_atomic_t came; /* a bit for each signal */
    int end;
    char octets[CHAR_OCTETS]; /* that are no whole character yet */
    unsigned count;
} keys;

void keys_open(void)
{
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* --- signals --- */

/* All of them are blocked but while keys_read() waits. */
static void note(int number)
{
    keys.came |= 1 << number;
}

static bool is_left_ignored(unsigned i)
{
    return keys.before[i].sa_handler == SIG_IGN && numbers[i] != SIGINT && numbers[i] != SIGQUIT;
}

void keys_begin(void)
{
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < NUMBERS; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    sigprocmask(SIG_BLOCK, &action.sa_mask, &keys.mask_before);
    keys.came = 0;
    for (unsigned i = 0; i < NUMBERS; i++) {
        sigaction(numbers[i], &action, &keys.before[i]);
        if (is_left_ignored(i))
            sigaction(numbers[i], &keys.before[i], NULL);
    }
    keys.has_begun = true;
}

void keys_end(void)
{
    if (!keys.has_begun)
        return;
    keys.has_begun = false;
    for (unsigned i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &keys.before[i], NULL);
    sigprocmask(SIG_SETMASK, &keys.mask_before, NULL);
}

int keys_end_signal(void)
{
    return keys.end;
}

static bool take(int number)
{
    bool has_come = keys.came & 1 << number;
    keys.came &= ~(1 << number);
    return has_come;
}

/* Others may have changed the terminal's mode meanwhile. */
static void show_again(EditLine *el)
{
    el_set(el, EL_PREP_TERM, 0);
    el_set(el, EL_PREP_TERM, 1);
    el_set(el, EL_REFRESH);
}

static void stop(EditLine *el)
{
    el_set(el, EL_PREP_TERM, 0);
    raise(SIGSTOP);
    show_again(el);
}

/* True: a signal is the next key, or the end. */
static bool take_signals(EditLine *el, wchar_t *out, int *got)
{
    bool is_interrupt = take(SIGINT);
    is_interrupt |= take(SIGQUIT);
    *out = (wchar_t)KEYS_INTERRUPT[0];
    keys.end = take(SIGTERM) ? SIGTERM : take(SIGHUP) ? SIGHUP : 0;
    *got = !keys.end;
    if (keys.end || is_interrupt)
        return true;
    if (take(SIGTSTP))
        stop(el);
    if (take(SIGCONT))
        show_again(el);
    if (take(SIGWINCH))
        el_resize(el);
    return false;
}

/* --- characters --- */

static void drop(unsigned octets)
{
    keys.count -= octets;
    memmove(keys.octets, keys.octets + octets, keys.count);
}

/* False: more octets are needed. An octet that does not continue those before it begins a character. */
static bool take_char(wchar_t *out)
{
    mbstate_t state = {0};
    size_t octets = keys.count > 0 ? mbrtowc(out, keys.octets, keys.count, &state) : (size_t)-2;
    bool is_wrong = octets == (size_t)-1;
    if (octets == (size_t)-2)
        return false;
    if (is_wrong)
        *out = NO_CHAR;
    drop(is_wrong ? keys.count - (keys.count > 1) : octets > 0 ? (unsigned)octets : 1);
    return true;
}

/* False: the terminal has ended. */
static bool read_octet(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (ppoll(&in, 1, NULL, &keys.mask_before) < 0)
        return errno == EINTR;
    ssize_t got = read(STDIN_FILENO, keys.octets + keys.count, 1);
    keys.count += got > 0;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

int keys_read(EditLine *el, wchar_t *out)
{
    int got = 1;
    while (!take_signals(el, out, &got) && !take_char(out))
        if (!read_octet())
            return 0;
    return got;
}
