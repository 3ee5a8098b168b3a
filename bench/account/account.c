/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/account/account.h"

#if defined(__x86_64__)

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#if HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#define TRAP_FLAG UINT64_C(0x100)              /* TF of RFLAGS */
#define GOLDEN    UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio: multiplicative hashing */
#define PROBES    64

/* --- the lines of cache that a step touches, and the stages that touch them --- */

#define LINES_SLOTS (UINT32_C(1) << 17) /* a power of two; lines of a step beyond it are not counted */

struct lines_slot {
    uint64_t line;   /* address / ACCOUNT_LINE_OCTETS */
    uint32_t step;   /* the step that used the slot last */
    uint16_t stages; /* bit for each stage that touched the line */
    uint8_t prefetched_by;
    bool is_prefetched;
};

struct lines_watch {
    uint64_t first, end; /* lines */
};

struct lines {
    uint32_t step;
    struct lines_watch watches[ACCOUNT_WATCHES]; /* those not used are empty */
    struct lines_slot slots[LINES_SLOTS];
};

/* A new step; `lines` begins as zeros. */
static void lines_start_step(struct lines *lines)
{
    lines->step++;
}

/* NULL: no room. */
static struct lines_slot *lines_find(struct lines *lines, uint64_t line)
{
    uint32_t at = (uint32_t)(line * GOLDEN >> 32);
    for (unsigned i = 0; i < PROBES; i++) {
        struct lines_slot *slot = &lines->slots[(at + i) % LINES_SLOTS];
        if (slot->step != lines->step)
            *slot = (struct lines_slot){.line = line, .step = lines->step};
        if (slot->line == line)
            return slot;
    }
    return NULL;
}

static bool is_watched(const struct lines *lines, uint64_t line)
{
    bool is_in = false;
    for (unsigned i = 0; i < ACCOUNT_WATCHES; i++)
        is_in |= line >= lines->watches[i].first && line < lines->watches[i].end;
    return is_in;
}

static void touch(const struct lines *lines, struct lines_slot *slot, unsigned stage,
                  struct account_figures *figures)
{
    const uint16_t bit = (uint16_t)(1U << stage);
    if (slot->stages == 0) {
        figures[stage].new_lines++;
        figures[stage].watched_lines += is_watched(lines, slot->line);
        if (slot->is_prefetched)
            figures[slot->prefetched_by].unused_prefetches--;
    }
    if (!(slot->stages & bit))
        figures[stage].lines++;
    slot->stages |= bit;
}

/* Octets that an instruction of a stage reads, writes or prefetches; adds to figures[ACCOUNT_STAGES]. */
static void lines_touch(struct lines *lines, unsigned stage, uint64_t address, unsigned octets,
                        struct account_figures *figures)
{
    const uint64_t last = (address + (octets > 0 ? octets : 1) - 1) / ACCOUNT_LINE_OCTETS;
    for (uint64_t line = address / ACCOUNT_LINE_OCTETS; line <= last; line++) {
        struct lines_slot *slot = lines_find(lines, line);
        if (slot)
            touch(lines, slot, stage, figures);
    }
}

static void lines_prefetch(struct lines *lines, unsigned stage, uint64_t address,
                           struct account_figures *figures)
{
    struct lines_slot *slot = lines_find(lines, address / ACCOUNT_LINE_OCTETS);
    if (!slot || slot->stages != 0 || slot->is_prefetched)
        return;
    slot->is_prefetched = true;
    slot->prefetched_by = (uint8_t)stage;
    figures[stage].unused_prefetches++;
}

/* --- the memory operands of the instruction at an address; each is disassembled once --- */

#define DECODE_OPERANDS 2 /* of a string instruction */

struct decode_operand {
    int8_t base, index; /* of gregs, or -1 */
    uint8_t scale, octets;
    bool is_thread_local; /* relative to FS */
    int64_t displacement; /* relative to RIP: of the next instruction already */
};

struct decode_instruction {
    uint64_t address; /* 0: none */
    uint8_t operand_count;
    bool is_known, is_prefetch, is_repeated;
    struct decode_operand operands[DECODE_OPERANDS];
};

struct decoder;

#if HAVE_CAPSTONE

#define KNOWN       (UINT32_C(1) << 15) /* slots of instructions; a power of two */
#define LONGEST     15                  /* octets of an instruction */
#define REGISTER_NO (-1)

/* Of the version whose header the program was built with. */
#define NUMBER_TEXT(number)   #number
#define LIBRARY_NAME(version) "libcapstone.so." NUMBER_TEXT(version)

/* Functions of Capstone, found when they are needed first. */
static struct {
    __typeof__(cs_open) *open;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *malloc;
    __typeof__(cs_free) *free;
    __typeof__(cs_close) *close;
    __typeof__(cs_disasm_iter) *disasm_iter;
} library;

/* It stays loaded. False: it is not installed. */
static bool library_load(void)
{
    void *handle = library.disasm_iter ? NULL : dlopen(LIBRARY_NAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        library.open = (__typeof__(library.open))dlsym(handle, "cs_open");
        library.option = (__typeof__(library.option))dlsym(handle, "cs_option");
        library.malloc = (__typeof__(library.malloc))dlsym(handle, "cs_malloc");
        library.free = (__typeof__(library.free))dlsym(handle, "cs_free");
        library.close = (__typeof__(library.close))dlsym(handle, "cs_close");
        library.disasm_iter = (__typeof__(library.disasm_iter))dlsym(handle, "cs_disasm_iter");
    }
    return library.disasm_iter != NULL;
}

struct decoder {
    csh capstone;
    cs_insn *instruction;
    struct decode_instruction known[KNOWN];
};

static void decode_free(struct decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->instruction)
        library.free(decoder->instruction, 1);
    if (decoder->capstone)
        library.close(&decoder->capstone);
    free(decoder);
}

/* NULL: out of memory, or without Capstone. */
static struct decoder *decode_new(void)
{
    struct decoder *decoder = library_load() ? calloc(1, sizeof(*decoder)) : NULL;
    if (!decoder)
        return NULL;
    if (library.open(CS_ARCH_X86, CS_MODE_64, &decoder->capstone) == CS_ERR_OK) {
        library.option(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON);
        decoder->instruction = library.malloc(decoder->capstone);
    }
    if (decoder->instruction)
        return decoder;
    decode_free(decoder);
    return NULL;
}

static int8_t register_of(unsigned name)
{
    static const struct {
        uint16_t name, also; /* with 32 bits */
        int8_t number;
    } registers[] = {
        {X86_REG_RAX, X86_REG_EAX, REG_RAX},  {X86_REG_RBX, X86_REG_EBX, REG_RBX},
        {X86_REG_RCX, X86_REG_ECX, REG_RCX},  {X86_REG_RDX, X86_REG_EDX, REG_RDX},
        {X86_REG_RSI, X86_REG_ESI, REG_RSI},  {X86_REG_RDI, X86_REG_EDI, REG_RDI},
        {X86_REG_RBP, X86_REG_EBP, REG_RBP},  {X86_REG_RSP, X86_REG_ESP, REG_RSP},
        {X86_REG_R8, X86_REG_R8D, REG_R8},    {X86_REG_R9, X86_REG_R9D, REG_R9},
        {X86_REG_R10, X86_REG_R10D, REG_R10}, {X86_REG_R11, X86_REG_R11D, REG_R11},
        {X86_REG_R12, X86_REG_R12D, REG_R12}, {X86_REG_R13, X86_REG_R13D, REG_R13},
        {X86_REG_R14, X86_REG_R14D, REG_R14}, {X86_REG_R15, X86_REG_R15D, REG_R15},
        {X86_REG_RIP, X86_REG_EIP, REG_RIP},
    };
    for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
        if (name == registers[i].name || name == registers[i].also)
            return registers[i].number;
    return REGISTER_NO;
}

static void put_operand(struct decode_instruction *out, const cs_insn *in, const cs_x86_op *operand)
{
    const x86_op_mem *memory = &operand->mem;
    struct decode_operand *to = &out->operands[out->operand_count++];
    to->base = register_of(memory->base);
    to->index = register_of(memory->index);
    to->scale = (uint8_t)memory->scale;
    to->octets = operand->size;
    to->is_thread_local = memory->segment == X86_REG_FS;
    to->displacement = memory->disp + (to->base == REG_RIP ? in->size : 0);
}

static bool is_prefetch(unsigned id)
{
    return id == X86_INS_PREFETCH || id == X86_INS_PREFETCHNTA || id == X86_INS_PREFETCHT0 ||
           id == X86_INS_PREFETCHT1 || id == X86_INS_PREFETCHT2 || id == X86_INS_PREFETCHW;
}

static void translate(struct decode_instruction *out, const cs_insn *in)
{
    const cs_x86 *detail = &in->detail->x86;
    out->is_known = true;
    out->is_prefetch = is_prefetch(in->id);
    out->is_repeated = detail->prefix[0] == X86_PREFIX_REP || detail->prefix[0] == X86_PREFIX_REPNE;
    if (in->id == X86_INS_LEA || in->id == X86_INS_NOP)
        return;
    for (unsigned i = 0; i < detail->op_count && out->operand_count < DECODE_OPERANDS; i++)
        if (detail->operands[i].type == X86_OP_MEM)
            put_operand(out, in, &detail->operands[i]);
}

/* The instruction at an address of this program. Valid until the next call. */
static const struct decode_instruction *decode_at(struct decoder *decoder, uint64_t address)
{
    struct decode_instruction *slot = &decoder->known[(address * GOLDEN >> 32) % KNOWN];
    if (slot->address == address)
        return slot;
    *slot = (struct decode_instruction){.address = address};
    const uint8_t *code = (const uint8_t *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
    size_t octets = LONGEST;
    if (library.disasm_iter(decoder->capstone, &code, &octets, &address, decoder->instruction))
        translate(slot, decoder->instruction);
    return slot;
}

static uint64_t thread_base(void)
{
    uint64_t base;
    __asm__("mov %%fs:0, %0" : "=r"(base));
    return base;
}

/* An operand's address before the instruction is executed. */
static uint64_t decode_address(const struct decode_operand *operand, const greg_t *registers)
{
    uint64_t address = (uint64_t)operand->displacement;
    if (operand->base >= 0)
        address += (uint64_t)registers[operand->base];
    if (operand->index >= 0)
        address += (uint64_t)registers[operand->index] * operand->scale;
    return operand->is_thread_local ? address + thread_base() : address;
}

#else

static struct decoder *decode_new(void)
{
    return NULL;
}

static void decode_free(struct decoder *decoder)
{
}

static const struct decode_instruction *decode_at(struct decoder *decoder, uint64_t address)
{
    return NULL;
}

static uint64_t decode_address(const struct decode_operand *operand, const greg_t *registers)
{
    return 0;
}

#endif

/* --- the account --- */

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

struct account *account_new(bool has_lines)
{
    const struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    struct account *account = calloc(1, sizeof(*account));
    if (!account)
        return NULL;
    account->decoder = has_lines ? decode_new() : NULL;
    sigaction(SIGTRAP, &action, &account->previous);
    account_start_step(account);
    account_run(account, 0, empty, NULL);
    account->overhead = account->figures[0].instructions;
    account->figures[0] = (struct account_figures){0};
    return account;
}

void account_free(struct account *account)
{
    if (!account)
        return;
    sigaction(SIGTRAP, &account->previous, NULL);
    decode_free(account->decoder);
    free(account);
}

#else /* there is no trap flag to step by */

bool account_is_possible(void)
{
    return false;
}

bool account_has_lines(void)
{
    return false;
}

struct account *account_new(bool has_lines)
{
    return NULL;
}

void account_free(struct account *account)
{
}

void account_watch(struct account *account, const void *first, size_t octets)
{
}

void account_start_step(struct account *account)
{
}

void account_run(struct account *account, unsigned stage, void (*run)(void *arg), void *arg)
{
    run(arg);
}

struct account_figures account_figures(const struct account *account, unsigned stage)
{
    return (struct account_figures){0};
}

#endif
