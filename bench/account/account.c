/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/account/account.h"

#include <signal.h>
#include <stdlib.h>

#define TRAP_FLAG UINT64_C(0x100) /* TF of RFLAGS */

struct account {
    struct decoder *decoder; /* NULL: lines are not counted */
    unsigned stage;
    uint64_t last;     /* address of the latest instruction */
    uint64_t overhead; /* instructions of account_run() itself */
    struct sigaction previous;
    struct account_figures figures[ACCOUNT_STAGES];
    struct lines lines;
};

bool account_has_lines(void)
{
    return HAVE_CAPSTONE && account_is_possible();
}

#if defined(__x86_64__)

/* The account under way: a signal handler has no argument of its own. */
static struct account *current;

bool account_is_possible(void)
{
    return true;
}

static void count_lines(struct account *account, const struct decode_instruction *instruction,
                        const greg_t *registers)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct decode_operand *operand = &instruction->operands[i];
        const uint64_t address = decode_address(operand, registers);
        if (instruction->is_prefetch)
            lines_prefetch(&account->lines, account->stage, address, account->figures);
        else
            lines_touch(&account->lines, account->stage, address, operand->octets, account->figures);
    }
}

/* Runs before each instruction. A repeated string instruction traps at each repetition. */
static void trap(int number, siginfo_t *info, void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    struct account *account = current;
    struct account_figures *figures = &account->figures[account->stage];
    const uint64_t address = (uint64_t)registers[REG_RIP];
    const struct decode_instruction *instruction =
        account->decoder ? decode_at(account->decoder, address) : NULL;
    if (!instruction || !instruction->is_repeated || address != account->last)
        figures->instructions++;
    account->last = address;
    if (instruction) {
        figures->unknown_instructions += !instruction->is_known;
        count_lines(account, instruction, registers);
    }
}

/* Not inlined, so that the instructions around run() are the same for every function. */
__attribute__((noinline)) static void step_through(void (*run)(void *arg), void *arg)
{
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    run(arg);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
}

void account_run(struct account *account, unsigned stage, void (*run)(void *arg), void *arg)
{
    account->stage = stage;
    account->last = 0;
    current = account;
    step_through(run, arg);
    account->figures[stage].instructions -= account->overhead;
}

/* Nothing but the return in every build: a frame of its own would count as overhead, and so would the endbr64
 * of compilers that protect indirect calls unless told not to, as Ubuntu's do. */
void account_nothing(void *arg);
__asm__(".text\n.type account_nothing,@function\naccount_nothing:\nret\n.size "
        "account_nothing,.-account_nothing\n");

/* Volatile, so that no compiler makes a shorter account_run() for it. */
static void (*volatile empty)(void *arg) = account_nothing;

#else

bool account_is_possible(void)
{
    return false;
}

void account_run(struct account *account, unsigned stage, void (*run)(void *arg), void *arg)
{
    run(arg);
}

#endif

void account_watch(struct account *account, const void *first, size_t octets)
{
    const uint64_t at = (uint64_t)(uintptr_t)first, end = at + octets + ACCOUNT_LINE_OCTETS - 1;
    for (unsigned i = 0; i < ACCOUNT_WATCHES; i++) {
        struct lines_watch *watch = &account->lines.watches[i];
        if (watch->end > 0)
            continue;
        *watch = (struct lines_watch){at / ACCOUNT_LINE_OCTETS, end / ACCOUNT_LINE_OCTETS};
        return;
    }
}

void account_start_step(struct account *account)
{
    lines_start_step(&account->lines);
}

struct account_figures account_figures(const struct account *account, unsigned stage)
{
    return account->figures[stage];
}

struct account *account_new(void)
{
#if defined(__x86_64__)
    const struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    struct account *account = calloc(1, sizeof(*account));
    if (!account)
        return NULL;
    account->decoder = decode_new();
    sigaction(SIGTRAP, &action, &account->previous);
    account_start_step(account);
    account_run(account, 0, empty, NULL);
    account->overhead = account->figures[0].instructions;
    account->figures[0] = (struct account_figures){0};
    return account;
#else
    return NULL;
#endif
}

void account_free(struct account *account)
{
    if (!account)
        return;
    sigaction(SIGTRAP, &account->previous, NULL);
    decode_free(account->decoder);
    free(account);
}
