# SPDX-License-Identifier: BSD-3-Clause
"""Prints KASUMI's S-boxes as C, from the equations of TS 35.202.

usage: kasumi_sbox.py circuit | terms | vector | nibbles

circuit: kasumi_circuit_s7() and kasumi_circuit_s9() on bit planes, see kasumi_sliced.c.
terms:   the two halves of FI as sums of products of input bits, see kasumi.c.
vector:  look-up tables of 128 octets and bit matrices, see kasumi_vector.c.
nibbles: look-up tables of 16 octets, see kasumi_nibbles.c.
"""
import itertools
import sys

# One line per output bit, y0 first: a term is the digits of the inputs it multiplies, "-" the constant one.
S7 = """
13 4 014 5 25 345 6 06 16 36 246 156 456
01 04 24 5 125 035 6 026 36 456 -
0 03 23 124 034 15 025 06 016 26 46 -
1 012 14 34 05 015 235 145 26 136
02 3 13 14 014 234 05 135 045 16 36 036 56 -
2 02 03 123 024 05 25 45 16 126 036 346 256 -
12 013 04 15 35 6 016 236 146 056
"""
S9 = """
02 3 25 56 07 17 27 48 58 78 -
1 01 23 04 14 05 35 6 17 27 58 -
1 03 34 05 26 36 56 47 57 67 8 08 -
0 12 03 24 5 06 16 47 08 18 78
01 13 4 05 36 07 67 18 28 38
2 14 45 06 16 37 47 67 58 68 78 -
0 23 15 25 45 36 46 56 7 18 38 58 78
01 02 12 3 03 23 45 26 36 27 57 8 -
01 2 12 34 15 25 16 46 7 28 38
"""


def parse(text):
    return [[term.strip("-") for term in line.split()] for line in text.split("\n") if line]


def value(equations, x):
    """The S-box at x: an empty term is one."""
    bits = (sum(all(x >> int(i) & 1 for i in term) for term in terms) & 1 for terms in equations)
    return sum(bit << i for i, bit in enumerate(bits))


def table(equations):
    width = len(equations)
    values = [value(equations, x) for x in range(1 << width)]
    assert sorted(values) == list(range(1 << width)), "not a permutation: an equation is wrong"
    return values


# Circuits: every product once, then sums that share the pairs which most of them hold.

def products(equations):
    """The products in an order in which each is the product of an earlier one and an input."""
    wanted = {term for terms in equations for term in terms if len(term) > 1}
    wanted |= {prefix_of(term, wanted) for term in wanted if len(term) > 2}
    return sorted(wanted, key=lambda term: (len(term), term))


def prefix_of(term, wanted):
    pairs = ["".join(pair) for pair in itertools.combinations(term, 2)]
    return next((pair for pair in pairs if pair in wanted), pairs[0])


def shared_pair(sums):
    counts = {}
    for terms in sums:
        for pair in itertools.combinations(sorted(terms), 2):
            counts[pair] = counts.get(pair, 0) + 1
    pair = max(sorted(counts), key=counts.get, default=None)
    return pair if pair and counts[pair] > 1 else None


def circuit(name, equations):
    lines = [f"static inline void kasumi_circuit_{name}(uint64_t *y, const uint64_t *x)", "{"]
    terms = products(equations)
    for term in terms:
        left = prefix_of(term, set(terms)) if len(term) > 2 else term[0]
        right = (set(term) - set(left)).pop()
        lines.append(f"    const uint64_t p{term} = {operand(left)} & {operand(right)};")
    sums = [{operand(term) for term in output if term} for output in equations]
    for number in itertools.count():
        pair = shared_pair(sums)
        if pair is None:
            break
        lines.append(f"    const uint64_t t{number} = {pair[0]} ^ {pair[1]};")
        sums = [terms - set(pair) | {f"t{number}"} if terms >= set(pair) else terms for terms in sums]
    for bit, (output, terms) in enumerate(zip(equations, sums)):
        text = " ^ ".join(sorted(terms))
        lines.append(f"    y[{bit}] = {'~(' + text + ')' if '' in output else text};")
    return lines + ["}", ""]


def operand(term):
    return f"x[{term}]" if len(term) == 1 else f"p{term}"


# Vector constants. S9 has degree two: what an input bit changes is an affine function of the others.

def octets(name, values):
    rows = [", ".join(f"0x{v:02x}" for v in values[i:i + 16]) + "," for i in range(0, len(values), 16)]
    return [f"static const uint8_t {name}[{len(values)}] __attribute__((aligned(64))) = {{"] + rows + ["};", ""]


def affine(name, function, width=8):
    """A macro pair: the matrix of function on octets as GF2P8AFFINEQB reads it, and what function adds."""
    added = function(0)
    columns = [function(1 << i) ^ added if i < width else 0 for i in range(8)]
    for x in range(1 << width):
        linear = added
        for i in range(width):
            linear ^= columns[i] if x >> i & 1 else 0
        assert linear == function(x), name
    matrix = 0
    for row in range(8):
        for i in range(8):
            matrix |= (columns[i] >> row & 1) << (8 * (7 - row) + i)
    return [f"#define KASUMI_{name} 0x{matrix:016x}", f"#define KASUMI_{name}_PLUS 0x{added:02x}"]


def vector():
    s7, s9 = table(parse(S7)), table(parse(S9))
    high = [0xff * (y >> 8) for y in s9]
    low = [y & 0xff for y in s9]
    lines = octets("kasumi_s7", s7) + octets("kasumi_s7_twice", [2 * y for y in s7])
    for kind, half in (("low", low), ("high", high)):
        lines += octets(f"kasumi_s9a_{kind}", [half[2 * i] for i in range(128)])
        lines += affine(f"S9A_X8_{kind.upper()}", lambda i, s=half: s[2 * i | 256] ^ s[2 * i], 7)
        lines += affine(f"S9A_X0_{kind.upper()}", lambda i, s=half: s[2 * i | 1] ^ s[2 * i])
    top = [y >> 8 for y in s9]
    for kind, half in (("low", low), ("top", top)):
        lines += octets(f"kasumi_s9b_{kind}", half[:128])
        lines += affine(f"S9B_X7_{kind.upper()}", lambda i, s=half: s[i | 128] ^ s[i], 7)
        lines += affine(f"S9B_X8_{kind.upper()}", lambda i, s=half: s[i | 256] ^ s[i])
    lines += affine("SPREAD_BIT7", lambda x: 0xff * (x >> 7)) + affine("SPREAD_BIT0", lambda x: 0xff * (x & 1))
    for shift in (1, 5):
        lines += affine(f"LEFT{shift}", lambda x, n=shift: x << n & 0xff)
        lines += affine(f"RIGHT{8 - shift}", lambda x, n=shift: x >> 8 - n)
    return lines + affine("RIGHT1", lambda x: x >> 1)


# Tables of 16 octets, two of different outputs side by side. With a and b nibbles, c a bit and S9 of degree two,
#     S9(a, b, c) = T(a) + U(b) + c (V(a) + W(b)) + P0(a) Q0(b) + P1(a) Q1(b) + P2(a) Q2(b)
# where P and Q are linear: three products suffice, because no output bit's matrix has a rank above three.

PRODUCTS = 3


def factors(rows):
    """Pairs (p, q) of bit masks: the sum over i, j of a_i b_j (bit j of rows[i]) is the sum of p(a) q(b)."""
    pairs = []
    while any(rows):
        q = next(row for row in rows if row)
        p = sum(1 << i for i, row in enumerate(rows) if row & q & -q)
        rows = [row ^ q if p >> i & 1 else row for i, row in enumerate(rows)]
        pairs.append((p, q))
    assert len(pairs) <= PRODUCTS
    return pairs + [(0, 0)] * (PRODUCTS - len(pairs))


def parity(x):
    return bin(x).count("1") & 1


def nibble_tables(function):
    """T, U, V, W, P0, Q0, P1, Q1, P2, Q2 of an octet's function of a, b and c."""
    def mixed_part(i, j):
        return function(1 << i, 1 << j, 0) ^ function(1 << i, 0, 0) ^ function(0, 1 << j, 0) ^ function(0, 0, 0)

    nibble = range(16)
    tables = [[function(a, 0, 0) for a in nibble], [function(0, b, 0) ^ function(0, 0, 0) for b in nibble],
              [function(a, 0, 1) ^ function(a, 0, 0) for a in nibble],
              [function(0, b, 1) ^ function(0, b, 0) ^ function(0, 0, 1) ^ function(0, 0, 0) for b in nibble]]
    bits = [factors([sum((mixed_part(i, j) >> bit & 1) << j for j in range(4)) for i in range(4)]) for bit in range(8)]
    for number in range(PRODUCTS):
        for side in range(2):
            tables.append([sum(parity(bits[bit][number][side] & x) << bit for bit in range(8)) for x in nibble])
    t, u, v, w = tables[:4]
    for a, b, c in itertools.product(nibble, nibble, range(2)):
        total = t[a] ^ u[b] ^ (v[a] ^ w[b] if c else 0)
        for p, q in zip(tables[4::2], tables[5::2]):
            total ^= p[a] & q[b]
        assert total == function(a, b, c)
    return tables


def rows_of(name, tables):
    lines = [f"static const uint8_t {name}[{len(tables)}][32] __attribute__((aligned(32))) = {{"]
    return lines + ["{" + ", ".join(f"0x{v:02x}" for v in row) + "}," for row in tables] + ["};", ""]


def nibbles():
    s7, s9 = table(parse(S7)), table(parse(S9))
    lines = []
    def low(y):
        return y & 0xff

    for name, lanes, index in (("s9a", (low, lambda y: 0xff * (y >> 8)), lambda a, b, c: a << 1 | b << 5 | c),
                               ("s9b", (low, lambda y: low(y << 1) | y >> 8), lambda a, b, c: a | b << 4 | c << 8)):
        sides = [nibble_tables(lambda a, b, c, i=index, f=lane: f(s9[i(a, b, c)])) for lane in lanes]
        lines += rows_of(f"kasumi_nibbles_{name}", [x + y for x, y in zip(*sides)])
    for name, values in (("s7", s7), ("s7_twice", [(x ^ y) << 1 for x, y in enumerate(s7)])):
        steps = [y ^ (values[x - 16] if x >= 16 else 0) for x, y in enumerate(values)]
        lines += rows_of(f"kasumi_nibbles_{name}", [steps[i:i + 32] for i in range(0, 128, 32)])
    return lines


# Sums of products: FI is half 2 of (half 1 of its input + the subkey); each half is a function on 16 bits.

def mixed(nine, seven, s7, s9):
    nine = s9[nine] ^ seven
    return (s7[seven] ^ nine & 127) << 9 | nine


def sum_of_products(function):
    """Rows (bits that are multiplied, what their product adds), by the Moebius transform."""
    adds = [function(x) for x in range(1 << 16)]
    for bit in (1 << i for i in range(16)):
        for x in range(1 << 16):
            adds[x] ^= adds[x ^ bit] if x & bit else 0
    return [(x, add) for x, add in enumerate(adds) if add]


def terms():
    s7, s9 = table(parse(S7)), table(parse(S9))
    lines = ["enum { KASUMI_HALF_ROWS = 13 };", ""]
    for name, function in (("half1", lambda x: mixed(x >> 7, x & 127, s7, s9)),
                           ("half2", lambda x: mixed(x & 511, x >> 9, s7, s9))):
        rows = sum_of_products(function)
        rows += [(0, 0)] * (-len(rows) % 8)
        lines.append(f"static const uint16_t kasumi_{name}[KASUMI_HALF_ROWS][2][8] __attribute__((aligned(16))) = {{")
        for i in range(0, len(rows), 8):
            columns = zip(*rows[i:i + 8])
            lines.append("{" + ", ".join("{" + ", ".join(f"0x{v:04x}" for v in c) + "}" for c in columns) + "},")
        lines += ["};", ""]
    return lines


def main():
    table(parse(S7)), table(parse(S9))
    print("/* Made by kasumi_sbox.py. */")
    print("#include <stdint.h>")
    print("\n".join({"circuit": lambda: circuit("s7", parse(S7)) + circuit("s9", parse(S9)), "terms": terms,
                     "vector": vector, "nibbles": nibbles}[sys.argv[1]]()))


if __name__ == "__main__":
    main()
