# SPDX-License-Identifier: BSD-3-Clause
"""Prints the constants of the LLC FCS as C.

usage: llc_fcs_tables.py tables | powers

tables: tables[k][b] is octet b followed by k zero octets, divided.
powers: powers[i] are the weights of sixteen octets with LLC_FCS_ROWS - 2 - i more such behind them, see
llc_fcs.c.
"""
import sys

POLYNOMIAL = 0x1BBA1B5
DEGREE = 24
SLICES = 16
BLOCKS = 24  # of 64 octets: 1536 hold every LLC-PDU
ROWS = 4 * BLOCKS + 1


def reflect(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


REFLECTED = reflect(POLYNOMIAL ^ 1 << DEGREE, DEGREE)


def times_x(register):
    return register >> 1 ^ (REFLECTED if register & 1 else 0)


def over_x(register):
    return register << 1 if register >> DEGREE - 1 == 0 else (register ^ REFLECTED) << 1 | 1


def power(exponent):
    """x^exponent modulo the polynomial, reflected; the exponent may be negative."""
    register = 1 << DEGREE - 1
    for _ in range(abs(exponent)):
        register = times_x(register) if exponent > 0 else over_x(register)
    return register


def divide_octet(register):
    for _ in range(8):
        register = times_x(register)
    return register


def quotient(exponent):
    """x^exponent divided by the polynomial, without the remainder."""
    value, result = 1 << exponent, 0
    for bit in range(exponent - DEGREE, -1, -1):
        if value >> bit + DEGREE & 1:
            value ^= POLYNOMIAL << bit
            result |= 1 << bit
    return result


def print_tables():
    table = [divide_octet(octet) for octet in range(256)]
    print(f"static const uint32_t tables[{SLICES}][256] = {{")
    for _ in range(SLICES):
        print("    {" + ", ".join(f"0x{entry:06x}" for entry in table) + "},")
        table = [divide_octet(entry) for entry in table]
    print("};")


def print_powers():
    print(f"enum {{ LLC_FCS_ROWS = {ROWS} }};")
    print(f"#define LLC_FCS_POLYNOMIAL UINT64_C(0x{reflect(POLYNOMIAL, DEGREE + 1):x})")
    print(f"#define LLC_FCS_INVERSE    UINT64_C(0x{reflect(quotient(64 + DEGREE), 65) & 2**64 - 1:x})")
    print("static const _Alignas(64) uint64_t powers[LLC_FCS_ROWS][2] = {")
    for behind in range(ROWS - 2, -2, -1):
        print(f"    {{0x{power(128 * behind + 87):06x}, 0x{power(128 * behind + 23):06x}}},")
    print("};")


{"tables": print_tables, "powers": print_powers}[sys.argv[1]]()
