/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/account/account.h"

#include <stdlib.h>

#if HAVE_CAPSTONE && defined(__x86_64__)

#include <capstone/capstone.h>

#define KNOWN       (UINT32_C(1) << 15) /* slots of instructions; a power of two */
#define LONGEST     15                  /* octets of an instruction */
#define GOLDEN      UINT64_C(0x9e3779b97f4a7c15)
#define REGISTER_NO (-1)

struct decoder {
    csh capstone;
    cs_insn *instruction;
    struct decode_instruction known[KNOWN];
};

struct decoder *decode_new(void)
{
    struct decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder)
        return NULL;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->capstone) == CS_ERR_OK) {
        cs_option(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON);
        decoder->instruction = cs_malloc(decoder->capstone);
    }
    if (decoder->instruction)
        return decoder;
    decode_free(decoder);
    return NULL;
}

void decode_free(struct decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->instruction)
        cs_free(decoder->instruction, 1);
    if (decoder->capstone)
        cs_close(&decoder->capstone);
    free(decoder);
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

const struct decode_instruction *decode_at(struct decoder *decoder, uint64_t address)
{
    struct decode_instruction *slot = &decoder->known[(address * GOLDEN >> 32) % KNOWN];
    if (slot->address == address)
        return slot;
    *slot = (struct decode_instruction){.address = address};
    const uint8_t *code = (const uint8_t *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
    size_t octets = LONGEST;
    if (cs_disasm_iter(decoder->capstone, &code, &octets, &address, decoder->instruction))
        translate(slot, decoder->instruction);
    return slot;
}

static uint64_t thread_base(void)
{
    uint64_t base;
    __asm__("mov %%fs:0, %0" : "=r"(base));
    return base;
}

uint64_t decode_address(const struct decode_operand *operand, const greg_t *registers)
{
    uint64_t address = (uint64_t)operand->displacement;
    if (operand->base >= 0)
        address += (uint64_t)registers[operand->base];
    if (operand->index >= 0)
        address += (uint64_t)registers[operand->index] * operand->scale;
    return operand->is_thread_local ? address + thread_base() : address;
}

#else

struct decoder *decode_new(void)
{
    return NULL;
}

void decode_free(struct decoder *decoder)
{
}

const struct decode_instruction *decode_at(struct decoder *decoder, uint64_t address)
{
    return NULL;
}

uint64_t decode_address(const struct decode_operand *operand, const greg_t *registers)
{
    return 0;
}

#endif
