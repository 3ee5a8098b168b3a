/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory operands of the instruction at an address. Each instruction is disassembled once. */
#ifndef BENCH_ACCOUNT_DECODE_H
#define BENCH_ACCOUNT_DECODE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

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

/* NULL: out of memory, or built without Capstone. */
struct decoder *decode_new(void);
void decode_free(struct decoder *decoder);

/* The instruction at an address of this program. Valid until the next call. */
const struct decode_instruction *decode_at(struct decoder *decoder, uint64_t address);

/* An operand's address before the instruction is executed. */
uint64_t decode_address(const struct decode_operand *operand, const greg_t *registers);

#endif
