/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of known instructions and lines. */
#include "bench/account/account.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <string.h>

#define STAGE  3
#define OTHER  4
#define LINES  64
#define OCTETS (LINES * ACCOUNT_LINE_OCTETS)

static _Alignas(ACCOUNT_LINE_OCTETS) uint8_t memory[OCTETS];

#if defined(__x86_64__)

/* void run(void *arg), in octets that no compiler or sanitizer changes; %rdi is the argument. */
#define FUNCTION(name, code)                                                                                 \
    void name(void *arg);                                                                                    \
    __asm__(".text\n.type " #name ",@function\n" #name ":\n" code "\nret\n.size " #name ",.-" #name "\n")

FUNCTION(run_nothing, "");
FUNCTION(run_loop, "1: dec %rdi\njnz 1b");
FUNCTION(run_straight, ".rept 100\nnop\n.endr");
FUNCTION(run_string, "mov $256, %ecx\nxor %eax, %eax\nrep stosb");
FUNCTION(run_one_line, "mov (%rdi), %rax\nmov 56(%rdi), %rax\nincq 8(%rdi)");
FUNCTION(run_straddle, "mov 60(%rdi), %rax");
FUNCTION(run_scaled, "mov $8, %ecx\nmov -64(%rdi,%rcx,8), %rax\nmov (%rdi,%rcx,8), %rax");
FUNCTION(run_ten_lines, ".set at, 0\n.rept 10\nmovb at(%rdi), %al\n.set at, at + 64\n.endr");
FUNCTION(run_no_access, "lea 64(%rdi), %rax\nnopl 128(%rdi)\nadd $1, %rax");
FUNCTION(run_prefetch, "prefetcht0 (%rdi)\nprefetcht0 64(%rdi)\nprefetchw 128(%rdi)\nmov (%rdi), %rax");
FUNCTION(run_wide, "vmovdqu 48(%rdi), %ymm0\nvzeroupper");
FUNCTION(run_of_code, "mov 1f(%rip), %rax\nmov 1f+8(%rip), %rax\njmp 2f\n.balign 64\n1: .skip 64\n2:");

struct row {
    const char *name;
    void (*run)(void *arg);
    void *arg;
    uint64_t instructions, lines, unused;
};

static const struct row rows[] = {
    {"nothing", run_nothing, NULL, 0, 0, 0},
    {"a loop of 1", run_loop, (void *)1, 2, 0, 0},
    {"a loop of 1000", run_loop, (void *)1000, 2000, 0, 0},
    {"100 in a row", run_straight, NULL, 100, 0, 0},
    {"a string instruction", run_string, memory, 3, 4, 0},
    {"one line, three times", run_one_line, memory, 3, 1, 0},
    {"two lines at once", run_straddle, memory, 1, 2, 0},
    {"base, index, scale", run_scaled, memory, 3, 2, 0},
    {"ten lines", run_ten_lines, memory, 10, 10, 0},
    {"addresses without access", run_no_access, memory, 3, 0, 0},
    {"prefetches, one used", run_prefetch, memory, 4, 1, 2},
    {"32 octets on two lines", run_wide, memory, 2, 2, 0},
    {"relative to the code", run_of_code, memory, 3, 1, 0},
};

/* What a stage without accesses touches: account_run() itself. */
static uint64_t own_lines(struct account *account)
{
    account_start_step(account);
    account_run(account, OTHER, run_nothing, NULL);
    return account_figures(account, OTHER).lines;
}

TEST(test_known_functions)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct account *account = account_new(true);
        assert_non_null(account);
        const uint64_t own = own_lines(account);
        account_start_step(account);
        account_run(account, STAGE, row->run, row->arg);
        const struct account_figures figures = account_figures(account, STAGE);
        print_message("%s\n", row->name);
        assert_int_equal(figures.instructions - (row->run == run_string && !account_has_lines() ? 255 : 0),
                         row->instructions);
        assert_int_equal(figures.unknown_instructions, 0);
        if (account_has_lines()) {
            assert_int_equal(figures.lines - own, row->lines);
            assert_int_equal(figures.unused_prefetches, row->unused);
        }
        account_free(account);
    }
}

/* Lines count once in each stage, and as new in the first one; a step begins without lines. */
TEST(test_stages_share_lines)
{
    if (!account_has_lines())
        skip();
    struct account *account = account_new(true);
    for (unsigned steps = 1; steps <= 3; steps++) {
        account_start_step(account);
        account_run(account, 0, run_nothing, NULL); /* touches the lines of account_run() */
        account_run(account, STAGE, run_ten_lines, memory);
        account_run(account, OTHER, run_ten_lines, memory + 4 * ACCOUNT_LINE_OCTETS);
        account_run(account, OTHER, run_ten_lines, memory + 4 * ACCOUNT_LINE_OCTETS);
        const uint64_t own = account_figures(account, 0).lines;
        assert_int_equal(account_figures(account, STAGE).instructions, 10 * steps);
        assert_int_equal(account_figures(account, OTHER).instructions, 20 * steps);
        assert_int_equal(account_figures(account, STAGE).lines, 10 * steps + own);
        assert_int_equal(account_figures(account, STAGE).new_lines, 10 * steps);
        assert_int_equal(account_figures(account, OTHER).lines, 10 * steps + own);
        assert_int_equal(account_figures(account, OTHER).new_lines, 4 * steps);
    }
    account_free(account);
}

/* New lines in watched memory, whichever of the watched parts they are in. */
TEST(test_watched_lines)
{
    if (!account_has_lines())
        skip();
    struct account *account = account_new(true);
    account_watch(account, memory, 3 * ACCOUNT_LINE_OCTETS);
    account_watch(account, memory + 5 * ACCOUNT_LINE_OCTETS, ACCOUNT_LINE_OCTETS);
    account_watch(account, memory + 7 * ACCOUNT_LINE_OCTETS, ACCOUNT_LINE_OCTETS); /* one too many */
    account_start_step(account);
    account_run(account, STAGE, run_ten_lines, memory);
    assert_int_equal(account_figures(account, STAGE).watched_lines, 4);
    account_run(account, OTHER, run_ten_lines, memory);
    assert_int_equal(account_figures(account, OTHER).watched_lines, 0);
    account_free(account);
}

/* A line that one stage prefetches and another one reads is used. */
TEST(test_prefetches_of_another_stage)
{
    if (!account_has_lines())
        skip();
    struct account *account = account_new(true);
    account_start_step(account);
    account_run(account, STAGE, run_prefetch, memory);
    assert_int_equal(account_figures(account, STAGE).unused_prefetches, 2);
    account_run(account, OTHER, run_one_line, memory + 2 * ACCOUNT_LINE_OCTETS);
    assert_int_equal(account_figures(account, STAGE).unused_prefetches, 1);
    account_run(account, OTHER, run_prefetch, memory);
    assert_int_equal(account_figures(account, OTHER).unused_prefetches, 0);
    account_free(account);
}

UNIT_MAIN(NULL, NULL)

#else

int main(void)
{
    return 77; /* skipped */
}

#endif
