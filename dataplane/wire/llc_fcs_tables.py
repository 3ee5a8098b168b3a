# SPDX-License-Identifier: BSD-3-Clause
"""Prints the look-up tables of llc_fcs.c: tables[k][b] is octet b followed by k zero octets, divided."""

REFLECTED_POLYNOMIAL = 0xAD85DD  # 0xBBA1B5 with its 24 bits in reverse
SLICES = 16


def divide(register):
    for _ in range(8):
        register = register >> 1 ^ (REFLECTED_POLYNOMIAL if register & 1 else 0)
    return register


def main():
    table = [divide(octet) for octet in range(256)]
    print(f"static const uint32_t tables[{SLICES}][256] = {{")
    for k in range(SLICES):
        print("    {" + ", ".join(f"0x{entry:06x}" for entry in table) + "},")
        table = [divide(entry) for entry in table]
    print("};")


main()
