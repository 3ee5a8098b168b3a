/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/console/syntax.h"

#include "control/base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE_OF        " is one of:"
#define LINE_CHARS    1024
#define WORD_CHARS    41 /* of a word in an error */
#define INDENT_CHARS  2
#define INDENT_USAGE  7 /* "usage: " */
#define LINE_OF_WORDS 64

/* --- reading --- */

static bool is_word_char(char c)
{
    return islower((unsigned char)c) || c == '_' || c == '-';
}

/* A placeholder, or a part of one: "IMSI", "[SECONDS]", "P-TMSI|ADDRESS", "[CATEGORY=]LEVEL". */
static bool is_noun(const char *text, size_t chars)
{
    bool has_capital = false;
    for (size_t i = 0; i < chars; i++) {
        if (!isupper((unsigned char)text[i]) && !strchr("[]|=-", text[i]))
            return false;
        has_capital |= isupper((unsigned char)text[i]) != 0;
    }
    return has_capital;
}

static struct syntax_word *add_word(struct syntax *s, const char *name, size_t chars, const char *noun,
                                    size_t noun_chars)
{
    if (s->word_count == SYNTAX_WORDS || chars >= SYNTAX_NAME_CHARS || noun_chars >= SYNTAX_NAME_CHARS)
        return NULL;
    struct syntax_word *word = &s->words[s->word_count++];
    *word = (struct syntax_word){.what = ""};
    memcpy(word->name, name, chars);
    memcpy(word->noun, noun, noun_chars);
    return word;
}

static void append(char *what, const char *text)
{
    size_t used = strlen(what);
    text += strspn(text, " ");
    snprintf(what + used, SYNTAX_WHAT_CHARS - used, "%s%s", used > 0 && *text ? " " : "", text);
}

/* "  --nsei NSEI    which NSE": the argument stands one blank behind the name. */
static struct syntax_word *read_option(struct syntax *s, const char *line)
{
    const char *name = line + INDENT_CHARS, *end = name + strcspn(name, " "), *noun = end + (*end == ' ');
    size_t noun_chars = strcspn(noun, " ");
    if (!is_noun(noun, noun_chars))
        noun_chars = 0;
    struct syntax_word *word = add_word(s, name, (size_t)(end - name), noun, noun_chars);
    if (word)
        append(word->what, noun + noun_chars);
    return word;
}

/* "  reset    NS-RESET, then NS-UNBLOCK", of the list of a noun. */
static struct syntax_word *read_listed(struct syntax *s, const char *line, const char *noun)
{
    const char *name = line + INDENT_CHARS, *end = name;
    while (is_word_char(*end))
        end++;
    if (*end != ' ' || !noun[0])
        return NULL;
    struct syntax_word *word = add_word(s, name, (size_t)(end - name), noun, strlen(noun));
    if (word)
        append(word->what, end);
    return word;
}

/* "LEVEL is one of: error warn. CATEGORY is one of:": words in the line, and the noun of those below. */
static void read_lists(struct syntax *s, const char *line, char noun[SYNTAX_NAME_CHARS])
{
    for (const char *at = line; (at = strstr(at, ONE_OF)); at += strlen(ONE_OF)) {
        const char *begin = at, *item = at + strlen(ONE_OF);
        while (begin > line && begin[-1] != ' ')
            begin--;
        if (!is_noun(begin, (size_t)(at - begin)))
            continue;
        snprintf(noun, SYNTAX_NAME_CHARS, "%.*s", (int)(at - begin), begin);
        for (item += strspn(item, " "); is_word_char(*item); item += strspn(item, ", ")) {
            size_t chars = strcspn(item, " ,.");
            add_word(s, item, chars, noun, strlen(noun));
            item += chars;
        }
    }
}

static void add_token(struct syntax_form *form, const char *text, size_t chars, bool is_optional,
                      bool is_repeated)
{
    if (form->count == SYNTAX_TOKENS || chars >= SYNTAX_NAME_CHARS)
        return;
    struct syntax_token *token = &form->tokens[form->count++];
    *token = (struct syntax_token){
        .is_word = !is_noun(text, chars), .is_optional = is_optional, .is_repeated = is_repeated};
    memcpy(token->text, text, chars);
}

/* The end of a part of a usage: behind its last bracket, or at a blank. */
static const char *end_of_part(const char *at)
{
    int depth = 0;
    for (; *at && (depth > 0 || *at != ' '); at++)
        depth += (*at == '[') - (*at == ']');
    return at;
}

/* "[NSAPI]", "[[CATEGORY=]LEVEL ...]"; options in brackets are not tokens. */
static void read_bracket(struct syntax_form *form, const char *at, const char *end)
{
    size_t chars = strcspn(at + 1, " ");
    bool is_repeated = at + 1 + chars < end;
    if (at[1] == '-' || (is_repeated && strncmp(at + 1 + chars, " ...", 4) != 0))
        return;
    add_token(form, at + 1, is_repeated ? chars : (size_t)(end - at) - 2, true, is_repeated);
}

/* "gbflow deactivate IMSI [NSAPI] [--dry-run]", a form. */
static void read_form(struct syntax *s, const char *text)
{
    struct syntax_form *form = &s->forms[s->form_count++];
    const char *at = text;
    bool is_behind_option = false;
    for (unsigned part = 0; *at; part++) {
        const char *end = end_of_part(at);
        bool is_option = *at == '-';
        if (part >= 2 && *at == '[')
            read_bracket(form, at, end);
        else if (part >= 2 && !is_option && *at != '|' &&
                 !(is_behind_option && is_noun(at, (size_t)(end - at))))
            add_token(form, at, (size_t)(end - at), false, false);
        is_behind_option = is_option;
        at = end + strspn(end, " ");
    }
}

/* The lines of the usage, of which the continuation of one is deeper. Returns the rest. */
static const char *read_usage(struct syntax *s, const char *help)
{
    char form[LINE_CHARS] = "";
    while (*help && *help != '\n' && s->form_count < SYNTAX_FORMS) {
        size_t chars = strcspn(help, "\n"), indent = strspn(help, " ");
        bool is_new = indent <= INDENT_USAGE;
        if (is_new && form[0])
            read_form(s, form);
        if (is_new)
            form[0] = '\0';
        size_t used = strlen(form), skip = help[0] == 'u' ? INDENT_USAGE : indent;
        snprintf(form + used, sizeof(form) - used, "%s%.*s", used > 0 ? " " : "",
                 chars > skip ? (int)(chars - skip) : 0, help + skip);
        help += chars + (help[chars] == '\n');
    }
    if (form[0] && s->form_count < SYNTAX_FORMS)
        read_form(s, form);
    return help;
}

static struct syntax_word *read_line(struct syntax *s, const char *line, char noun[SYNTAX_NAME_CHARS],
                                     struct syntax_word *last)
{
    size_t indent = strspn(line, " ");
    if (indent > INDENT_CHARS && last)
        append(last->what, line);
    if (indent > INDENT_CHARS)
        return last;
    if (indent == INDENT_CHARS)
        return line[indent] == '-' ? read_option(s, line) : read_listed(s, line, noun);
    read_lists(s, line, noun);
    return NULL;
}

void syntax_read(struct syntax *s, const char *help)
{
    struct syntax_word *last = NULL;
    char line[LINE_CHARS], noun[SYNTAX_NAME_CHARS] = "";
    *s = (struct syntax){.word_count = 0};
    for (help = read_usage(s, help); *help; help += *help == '\n') {
        size_t chars = strcspn(help, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)chars, help);
        last = read_line(s, line, noun, last);
        help += chars;
    }
}

/* --- places --- */

const struct syntax_word *syntax_option(const struct syntax *s, const char *word)
{
    size_t chars = strcspn(word, "=");
    for (unsigned i = 0; word[0] == '-' && i < s->word_count; i++)
        if (strncmp(s->words[i].name, word, chars) == 0 && s->words[i].name[chars] == '\0')
            return &s->words[i];
    return NULL;
}

/* Whether the next word is the argument of this one. */
static bool takes_next(const struct syntax *s, const char *word, const char *next)
{
    const struct syntax_word *option = syntax_option(s, word);
    if (!option || !option->noun[0] || strchr(word, '='))
        return false;
    return option->noun[0] != '[' || (next && isdigit((unsigned char)next[0]));
}

/* The places of the words that are neither options nor their arguments. */
static unsigned list_places(const struct syntax *s, char *const *words, unsigned count,
                            unsigned places[LINE_OF_WORDS])
{
    unsigned listed = 0;
    for (unsigned i = 0; i < count && listed < LINE_OF_WORDS; i++) {
        if (words[i][0] != '-')
            places[listed++] = i;
        else
            i += takes_next(s, words[i], i + 1 < count ? words[i + 1] : NULL);
    }
    return listed;
}

/* The token of a form that takes its place; NULL: it has none. */
static const struct syntax_token *token_at(const struct syntax_form *form, unsigned place)
{
    if (place < form->count)
        return &form->tokens[place];
    return form->count > 0 && form->tokens[form->count - 1].is_repeated ? &form->tokens[form->count - 1]
                                                                        : NULL;
}

/* Whether a placeholder has the noun, and whether = stands behind it. */
static bool has_noun(const char *placeholder, const char *noun, bool *is_joined)
{
    size_t chars = strlen(noun);
    *is_joined = false;
    for (const char *at = placeholder; chars > 0 && (at = strstr(at, noun)); at += chars) {
        if ((at > placeholder && !strchr("[]|", at[-1])) || (at[chars] && !strchr("[]|=", at[chars])))
            continue;
        *is_joined = at[chars] == '=';
        return true;
    }
    return false;
}

/* A word that another form has for itself at a place is not taken from a list there: `subscriber`. */
static bool is_own_word(const struct syntax *s, unsigned place, const char *name)
{
    for (unsigned i = 0; i < s->form_count; i++) {
        const struct syntax_token *token = token_at(&s->forms[i], place);
        if (token && token->is_word && strcmp(token->text, name) == 0)
            return true;
    }
    return false;
}

static const char *what_of(const struct syntax *s, const char *name)
{
    for (unsigned i = 0; i < s->word_count; i++)
        if (strcmp(s->words[i].name, name) == 0)
            return s->words[i].what;
    return "";
}

static void add_choice(struct syntax_choices *choices, struct syntax_choice choice)
{
    for (unsigned i = 0; i < choices->count; i++)
        if (strcmp(choices->list[i].name, choice.name) == 0)
            return;
    if (choices->count < sizeof(choices->list) / sizeof(choices->list[0]))
        choices->list[choices->count++] = choice;
}

/* Of a token at a place: itself, the words of its lists, or its placeholder. */
static void add_token_choices(const struct syntax *s, const struct syntax_token *token, unsigned place,
                              struct syntax_choices *choices)
{
    bool is_joined, has_list = false;
    if (token->is_word)
        add_choice(choices, (struct syntax_choice){.name = token->text, .what = what_of(s, token->text)});
    for (unsigned i = 0; !token->is_word && i < s->word_count; i++) {
        const struct syntax_word *word = &s->words[i];
        if (word->name[0] == '-' || !has_noun(token->text, word->noun, &is_joined))
            continue;
        has_list = true;
        if (!is_own_word(s, place, word->name))
            add_choice(choices, (struct syntax_choice){
                                    .name = word->name, .what = word->what, .is_joined = is_joined});
    }
    if (!token->is_word && !has_list)
        add_choice(choices, (struct syntax_choice){.name = token->text, .what = "", .is_value = true});
}

/* The choices that a token has alone. */
static void choices_of(const struct syntax *s, const struct syntax_token *token, unsigned place,
                       struct syntax_choices *choices)
{
    *choices = (struct syntax_choices){.count = 0};
    add_token_choices(s, token, place, choices);
}

/* How a word stands for a choice. */
static bool is_begun(const struct syntax_choice *choice, const char *word)
{
    return choice->is_value || (choice->is_joined && strchr(word, '=')) ||
           strncmp(choice->name, word, strlen(word)) == 0;
}

static bool is_whole(const struct syntax_choice *choice, const char *word)
{
    return !choice->is_value && strcmp(choice->name, word) == 0;
}

/* Whether a word can stand at the place of a token; exact: not as an abbreviation. */
static bool is_taken(const struct syntax *s, const struct syntax_token *token, unsigned place,
                     const char *word, bool is_exact)
{
    struct syntax_choices choices;
    choices_of(s, token, place, &choices);
    for (unsigned i = 0; i < choices.count; i++)
        if (is_exact ? is_whole(&choices.list[i], word) : is_begun(&choices.list[i], word))
            return true;
    return false;
}

/* A word that some form has at its place is no abbreviation there. */
static bool is_exact_somewhere(const struct syntax *s, unsigned place, const char *word)
{
    for (unsigned i = 0; i < s->form_count; i++) {
        const struct syntax_token *token = token_at(&s->forms[i], place);
        if (token && is_taken(s, token, place, word, true))
            return true;
    }
    return false;
}

static bool fits(const struct syntax *s, const struct syntax_form *form, char *const *words,
                 const unsigned *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct syntax_token *token = token_at(form, i);
        const char *word = words[places[i]];
        if (!token || !is_taken(s, token, i, word, !strchr(word, '=') && is_exact_somewhere(s, i, word)))
            return false;
    }
    return true;
}

/* Whether a form may end behind so many words. */
static bool may_end(const struct syntax_form *form, unsigned count)
{
    return count >= form->count || form->tokens[count].is_optional;
}

static void add_options(const struct syntax *s, char *const *words, unsigned count,
                        struct syntax_choices *choices)
{
    for (unsigned i = 0; i < s->word_count; i++) {
        bool is_given = false;
        for (unsigned k = 0; k < count; k++)
            is_given |= syntax_option(s, words[k]) == &s->words[i];
        if (s->words[i].name[0] == '-' && !is_given)
            add_choice(choices, (struct syntax_choice){.name = s->words[i].name, .what = s->words[i].what});
    }
}

void syntax_follow(const struct syntax *s, char *const *words, unsigned count, struct syntax_choices *choices)
{
    unsigned places[LINE_OF_WORDS], placed = list_places(s, words, count, places);
    *choices = (struct syntax_choices){.count = 0};
    if (count > 0 && takes_next(s, words[count - 1], "0") &&
        syntax_option(s, words[count - 1])->noun[0] != '[') {
        add_choice(choices, (struct syntax_choice){.name = syntax_option(s, words[count - 1])->name,
                                                   .what = "",
                                                   .is_value = true});
        return;
    }
    for (unsigned i = 0; i < s->form_count; i++) {
        const struct syntax_form *form = &s->forms[i];
        const struct syntax_token *token = token_at(form, placed);
        if (!fits(s, form, words, places, placed))
            continue;
        if (token)
            add_token_choices(s, token, placed, choices);
        choices->is_end |= may_end(form, placed);
    }
    add_options(s, words, count, choices);
}

/* --- abbreviations --- */

struct placed_words {
    char **words;
    unsigned places[LINE_OF_WORDS], count; /* of the words that are no options */
};

/* The choices that a word may stand for, in the forms that take all words. */
static void list_meanings(const struct syntax *s, const struct placed_words *p, unsigned place,
                          struct syntax_choices *meanings)
{
    struct syntax_choices choices;
    *meanings = (struct syntax_choices){.count = 0};
    for (unsigned i = 0; i < s->form_count; i++) {
        if (!fits(s, &s->forms[i], p->words, p->places, p->count) || !may_end(&s->forms[i], p->count))
            continue;
        choices_of(s, token_at(&s->forms[i], place), place, &choices);
        for (unsigned k = 0; k < choices.count; k++)
            if (!choices.list[k].is_value && is_begun(&choices.list[k], p->words[p->places[place]]))
                add_choice(meanings, choices.list[k]);
    }
}

void syntax_name_choices(const char *word, const struct syntax_choices *choices,
                         char error[SYNTAX_ERROR_CHARS])
{
    char shown[WORD_CHARS];
    utf8_copy(shown, sizeof(shown), word);
    size_t used = (size_t)snprintf(error, SYNTAX_ERROR_CHARS, "'%s' is ambiguous: ", shown);
    for (unsigned i = 0; i < choices->count && used < SYNTAX_ERROR_CHARS; i++)
        used += (size_t)snprintf(error + used, SYNTAX_ERROR_CHARS - used, "%s%s", i > 0 ? ", " : "",
                                 choices->list[i].name);
}

bool syntax_expand(const struct syntax *s, char **words, unsigned count, char error[SYNTAX_ERROR_CHARS])
{
    struct placed_words p = {.words = words};
    p.count = list_places(s, words, count, p.places);
    for (unsigned i = 0; i < p.count; i++) {
        struct syntax_choices meanings;
        char *word = words[p.places[i]];
        if (!word[0] || strchr(word, '=') || is_exact_somewhere(s, i, word))
            continue;
        list_meanings(s, &p, i, &meanings);
        if (meanings.count == 1 && !meanings.list[0].is_joined)
            words[p.places[i]] = (char *)meanings.list[0].name;
        if (meanings.count <= 1)
            continue;
        syntax_name_choices(word, &meanings, error);
        return false;
    }
    return true;
}
