/* SPDX-License-Identifier: BSD-3-Clause */
/* The editor of lines at a terminal: libedit, completion by TAB, lists by ?. */
#include "app/console/console.h"
#include "app/console/history.h"
#include "app/console/keys.h"
#include "app/console/syntax.h"

#include <histedit.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define FOUND_MOST   640
#define LISTED_MOST  48 /* values of a list */
#define NAME_COLUMNS 24
#define COLUMNS      80

static struct {
    struct console *console;
    bool is_cancelled;
} editor;

/* The words and values that may stand at the cursor. */
struct found {
    const char *begin; /* the word before the cursor */
    bool is_list;      /* options are listed, too, where other words may stand */
    struct syntax_choice list[FOUND_MOST];
    unsigned count;
    char *values;     /* lines; names of the list point there */
    const char *noun; /* of the value that stands here; NULL: none */
    bool is_cut;      /* there may be more values */
    bool is_end;
};

/* --- what may follow --- */

static void add(struct found *f, const char *name, const char *what, bool is_joined)
{
    if (f->count < FOUND_MOST)
        f->list[f->count++] = (struct syntax_choice){.name = name, .what = what, .is_joined = is_joined};
}

static void add_values(struct found *f, const char *noun, const char *placeholder, const char *table)
{
    f->noun = noun;
    if (f->values)
        return;
    bool is_all = true;
    f->values = console_values(placeholder, table, f->begin, &is_all);
    f->is_cut = !is_all;
    for (char *at = f->values; at && *at;) {
        size_t chars = strcspn(at, "\n");
        bool is_last = at[chars] == '\0';
        at[chars] = '\0';
        add(f, at, "", false);
        at += chars + !is_last;
    }
}

static bool is_shown(const struct syntax_choice *choice, const char *begin, bool has_options)
{
    bool is_option = choice->name[0] == '-';
    if (strncmp(choice->name, begin, strlen(begin)) != 0)
        return false;
    return !is_option ||
           (has_options && strcmp(choice->name, "--prefix") != 0 && strcmp(choice->name, "--config") != 0);
}

static void find_commands(struct found *f)
{
    struct syntax_choices choices;
    console_list_commands(&choices);
    for (unsigned i = 0; i < choices.count; i++)
        if (is_shown(&choices.list[i], f->begin, false))
            add(f, choices.list[i].name, choices.list[i].what, false);
}

/* Behind a command's name and `count` words. */
static void find_words(struct found *f, const struct syntax *s, char *const *words, unsigned count)
{
    struct syntax_choices choices;
    syntax_follow(s, words, count, &choices);
    bool has_words = false;
    for (unsigned i = 0; i < choices.count; i++) {
        const struct syntax_choice *choice = &choices.list[i];
        const struct syntax_word *option = choice->is_value ? syntax_option(s, choice->name) : NULL;
        has_words |= choice->is_value || choice->name[0] != '-';
        if (choice->is_value)
            add_values(f, option ? option->noun : choice->name, choice->name, count > 0 ? words[0] : NULL);
        else if (is_shown(choice, f->begin, f->begin[0] == '-' || f->is_list || !has_words))
            add(f, choice->name, choice->what, choice->is_joined);
    }
    f->is_end = choices.is_end && !f->begin[0];
}

/* For the text before the cursor. False: nothing is known there. */
static bool find(struct found *f, struct line *line, bool is_list)
{
    static char empty[] = "";
    char error[SYNTAX_ERROR_CHARS];
    const LineInfo *text = el_line((EditLine *)editor.console->editor);
    size_t octets = (size_t)(text->cursor - text->buffer);
    char *copy = strndup(text->buffer, octets);
    *f = (struct found){.is_list = is_list};
    bool is_line = copy && !line_split(line, copy, strlen(copy)) && !line->open &&
                   line->filter == 0; /* not of filters */
    f->begin = is_line && line->is_within ? line->words[line->count - 1] : empty;
    size_t chars = strlen(f->begin);
    is_line = is_line && octets >= chars && memcmp(copy + octets - chars, f->begin, chars) == 0;
    free(copy);
    unsigned count = line->count - line->is_within;
    if (!is_line)
        return false;
    if (count == 0) {
        find_commands(f);
        return true;
    }
    const struct syntax *s = console_expand_command(&line->words[0], error)
                                 ? console_syntax(editor.console, line->words[0])
                                 : NULL;
    if (s && syntax_expand(s, line->words + 1, count - 1, error))
        find_words(f, s, line->words + 1, count - 1);
    return s != NULL;
}

/* --- lists --- */

static unsigned columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : COLUMNS;
}

/* A name and what it is for, over several lines where one is too short. */
static void print_row(const char *name, const char *what, int width)
{
    unsigned room = columns() - (unsigned)width - 5;
    printf("  %-*s", *what ? width : 0, name);
    for (const char *gap = "  "; *what; gap = NULL) {
        size_t chars = strlen(what);
        for (chars = chars > room ? room : chars; what[chars] && what[chars] != ' ' && chars > 1;)
            chars--;
        printf("%s%*s%.*s", gap ? gap : "\n", gap ? 0 : width + 4, "", (int)chars, what);
        what += chars + strspn(what + chars, " ");
    }
    putchar('\n');
}

static void print_found(const struct found *f)
{
    int width = 4;
    unsigned values = 0;
    for (unsigned i = 0; i < f->count; i++) {
        int chars = (int)strlen(f->list[i].name) + f->list[i].is_joined;
        width = f->list[i].what[0] && chars > width && chars <= NAME_COLUMNS ? chars : width;
    }
    putchar('\n');
    if (f->noun)
        print_row(f->noun, "", width);
    for (unsigned i = 0; i < f->count; i++) {
        char name[SYNTAX_NAME_CHARS + 1];
        bool is_value = f->noun && !f->list[i].what[0];
        snprintf(name, sizeof(name), "%s%s", f->list[i].name, f->list[i].is_joined ? "=" : "");
        values += is_value;
        if (!is_value || values <= LISTED_MOST)
            print_row(name, f->list[i].what, width);
    }
    if (values > LISTED_MOST)
        printf("  ... (%s%u more)\n", f->is_cut ? "at least " : "", values - LISTED_MOST);
    if (f->is_end)
        print_row("<cr>", "carry out the line", width);
    if (f->count == 0 && !f->noun && !f->is_end)
        print_row("nothing is known here", "", width);
    fflush(stdout);
}

static unsigned char on_question(EditLine *el, int key)
{
    static struct line line;
    static struct found f;
    (void)key;
    if (!find(&f, &line, true) && line.open)
        return el_insertstr(el, "?") == 0 ? CC_REFRESH : CC_ERROR;
    print_found(&f);
    free(f.values);
    return CC_REDISPLAY;
}

/* Octets that all names begin with. */
static size_t common(const struct found *f)
{
    size_t chars = strlen(f->list[0].name);
    for (unsigned i = 1; i < f->count; i++)
        for (size_t k = 0; k < chars; k++)
            if (f->list[i].name[k] != f->list[0].name[k])
                chars = k;
    return chars;
}

static unsigned char complete(EditLine *el, const struct found *f)
{
    char text[SYNTAX_NAME_CHARS + 1];
    size_t old = strlen(f->begin), chars = common(f);
    const char *end = f->count > 1 ? "" : f->list[0].is_joined ? "=" : " ";
    if (f->is_cut || (chars <= old && f->count > 1)) {
        print_found(f);
        return CC_REDISPLAY;
    }
    snprintf(text, sizeof(text), "%.*s%s", (int)(chars - old), f->list[0].name + old, end);
    return el_insertstr(el, text) == 0 ? CC_REFRESH : CC_ERROR;
}

static unsigned char on_tab(EditLine *el, int key)
{
    static struct line line;
    static struct found f;
    unsigned char next = CC_ERROR;
    (void)key;
    if (find(&f, &line, false) && f.count > 0)
        next = complete(el, &f);
    free(f.values);
    return next;
}

static unsigned char on_interrupt(EditLine *el, int key)
{
    const LineInfo *text = el_line(el);
    (void)key;
    el_cursor(el, (int)(text->lastchar - text->cursor));
    text = el_line(el);
    el_deletestr(el, (int)(text->lastchar - text->buffer));
    fputs("^C\n", stdout);
    fflush(stdout);
    editor.is_cancelled = true;
    return CC_NEWLINE;
}

/* --- the terminal --- */

static char *prompt(EditLine *el)
{
    static char text[CONSOLE_NAME_CHARS + 4];
    (void)el;
    snprintf(text, sizeof(text), "%s%s ", editor.console->prefix, editor.console->may_act ? "#" : ">");
    return text;
}

static EditLine *open_editor(struct console *c, History *past)
{
    HistEvent event;
    EditLine *el = el_init("gbflow", stdin, stdout, stderr);
    if (!el)
        return NULL;
    history(past, &event, H_SETSIZE, HISTORY_LINES);
    for (unsigned i = 0; i < c->history.count; i++)
        history(past, &event, H_ENTER, history_line(&c->history, i));
    el_set(el, EL_PROMPT, prompt);
    el_set(el, EL_EDITOR, "emacs");
    el_set(el, EL_GETCFN, keys_read);
    el_set(el, EL_HIST, history, past);
    if (history_is_own_folder(getenv("HOME")))
        el_source(el, NULL);
    el_set(el, EL_ADDFN, "gbflow-list", "List what can follow", on_question);
    el_set(el, EL_ADDFN, "gbflow-complete", "Complete the word", on_tab);
    el_set(el, EL_ADDFN, "gbflow-cancel", "End the line", on_interrupt);
    el_set(el, EL_BIND, "?", "gbflow-list", NULL);
    el_set(el, EL_BIND, "\t", "gbflow-complete", NULL);
    el_set(el, EL_BIND, KEYS_INTERRUPT, "gbflow-cancel", NULL);
    el_set(el, EL_SETTY, "-d", "-isig", NULL);
    return el;
}

/* A command that was ended by a signal may leave the terminal as it was for itself. */
static void carry_out(struct console *c, const char *text, size_t octets, const struct termios *mode)
{
    if (octets > 0 && octets <= LINE_OCTETS && strspn(text, " \t") < octets)
        history_add(&c->history, text);
    console_carry_out(c, text, octets);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, mode);
    c->look(c);
}

static void edit_lines(struct console *c, EditLine *el, History *past)
{
    struct termios mode;
    tcgetattr(STDIN_FILENO, &mode);
    while (!c->is_over) {
        HistEvent event;
        int got = 0;
        el_set(el, EL_PREP_TERM, 1); /* else the prompt comes before the mode: ctrl-C would be lost */
        el_resize(el);
        keys_begin();
        const char *read = el_gets(el, &got);
        keys_end();
        if (editor.is_cancelled) {
            editor.is_cancelled = false;
            continue;
        }
        if (!read || got <= 0)
            break;
        size_t octets = (size_t)got - (read[got - 1] == '\n');
        char *text = strndup(read, octets);
        if (!text)
            break;
        if (octets > 0)
            history(past, &event, H_ENTER, text);
        carry_out(c, text, octets, &mode);
        free(text);
    }
}

int console_edit(struct console *c)
{
    keys_open();
    signal(SIGINT, SIG_IGN); /* the command's that runs */
    signal(SIGQUIT, SIG_IGN);
    history_open(&c->history);
    History *past = history_init();
    editor.console = c;
    EditLine *el = past ? open_editor(c, past) : NULL;
    c->editor = el;
    if (el)
        edit_lines(c, el, past);
    else
        command_error("console", "no memory for the editor of lines");
    if (el && !c->is_over)
        putchar('\n');
    if (el)
        el_end(el);
    if (past)
        history_end(past);
    history_close(&c->history);
    if (keys_end_signal())
        raise(keys_end_signal());
    return el ? COMMAND_OK : COMMAND_FAILED;
}
