# SPDX-License-Identifier: BSD-3-Clause
"""The block cipher KASUMI (TS 35.202), S-boxes as tables. FI is one half-function twice, the subkey between them."""

CONSTANTS = (0x0123, 0x4567, 0x89AB, 0xCDEF, 0xFEDC, 0xBA98, 0x7654, 0x3210)

S7 = tuple(bytes.fromhex(
    "36323e3816225e6026063f5d02127b21" "377127721543410c2f492e1b196f7c51" "3509794f343c3a30657f28786846472b"
    "147a483d176d0d644d011007520a6962" "75744c0b596a007d766356451e397e57" "703311055f0e5a545b08236720611c42"
    "661f1a2d4b04555c254a5031441d732c" "406b6c186e53244e2a130f2958773b03"))

S9 = tuple(int(word) for word in """
    167 239 161 379 391 334 9 338 38 226 48 358 452 385 90 397 183 253 147 331 415 340 51 362 306 500 262 82 216 159 356 177
    175 241 489 37 206 17 0 333 44 254 378 58 143 220 81 400 95 3 315 245 54 235 218 405 472 264 172 494 371 290 399 76
    165 197 395 121 257 480 423 212 240 28 462 176 406 507 288 223 501 407 249 265 89 186 221 428 164 74 440 196 458 421 350 163
    232 158 134 354 13 250 491 142 191 69 193 425 152 227 366 135 344 300 276 242 437 320 113 278 11 243 87 317 36 93 496 27
    487 446 482 41 68 156 457 131 326 403 339 20 39 115 442 124 475 384 508 53 112 170 479 151 126 169 73 268 279 321 168 364
    363 292 46 499 393 327 324 24 456 267 157 460 488 426 309 229 439 506 208 271 349 401 434 236 16 209 359 52 56 120 199 277
    465 416 252 287 246 6 83 305 420 345 153 502 65 61 244 282 173 222 418 67 386 368 261 101 476 291 195 430 49 79 166 330
    280 383 373 128 382 408 155 495 367 388 274 107 459 417 62 454 132 225 203 316 234 14 301 91 503 286 424 211 347 307 140 374
    35 103 125 427 19 214 453 146 498 314 444 230 256 329 198 285 50 116 78 410 10 205 510 171 231 45 139 467 29 86 505 32
    72 26 342 150 313 490 431 238 411 325 149 473 40 119 174 355 185 233 389 71 448 273 372 55 110 178 322 12 469 392 369 190
    1 109 375 137 181 88 75 308 260 484 98 272 370 275 412 111 336 318 4 504 492 259 304 77 337 435 21 357 303 332 483 18
    47 85 25 497 474 289 100 269 296 478 270 106 31 104 433 84 414 486 394 96 99 154 511 148 413 361 409 255 162 215 302 201
    266 351 343 144 441 365 108 298 251 34 182 509 138 210 335 133 311 352 328 141 396 346 123 319 450 281 429 228 443 481 92 404
    485 422 248 297 23 213 130 466 22 217 283 70 294 360 419 127 312 377 7 468 194 2 117 295 463 258 224 447 247 187 80 398
    284 353 105 390 299 471 470 184 57 200 348 63 204 188 33 451 97 30 310 219 94 160 129 493 64 179 263 102 189 207 114 402
    438 477 387 122 192 42 381 5 145 118 180 449 293 323 136 380 43 66 60 455 341 445 202 432 8 237 15 376 436 464 59 461
""".split())


def _half(nine, seven):
    """S9 over the nine bits, S7 over the seven, each mixed with the other; seven bits come out on top."""
    nine = S9[nine] ^ seven
    return (S7[seven] ^ nine & 127) << 9 | nine


# Both halves of FI over all 16-bit inputs: the first has its nine bits on top, the second below.
FIRST = [_half(x >> 7, x & 127) for x in range(65536)]
SECOND = [_half(x & 511, x >> 9) for x in range(65536)]


def _rol(word, bits):
    return (word << bits | word >> 16 - bits) & 0xFFFF


def schedule(key):
    """The subkeys (KL1 KL2 KO1 KI1 KO2 KI2 KO3 KI3) of the eight rounds of a key of 16 octets."""
    k = [int.from_bytes(key[at:at + 2], "big") for at in range(0, 16, 2)]
    primed = [word ^ constant for word, constant in zip(k, CONSTANTS)]
    return [(_rol(k[i], 1), primed[(i + 2) % 8], _rol(k[(i + 1) % 8], 5), primed[(i + 4) % 8], _rol(k[(i + 5) % 8], 8),
             primed[(i + 3) % 8], _rol(k[(i + 6) % 8], 13), primed[(i + 7) % 8]) for i in range(8)]


def _fl(word, kl1, kl2):
    left, right = word >> 16, word & 0xFFFF
    right ^= _rol(left & kl1, 1)
    return (left ^ _rol(right | kl2, 1)) << 16 | right


def _fo(word, keys):
    left, right = word >> 16, word & 0xFFFF
    left, right = right, SECOND[FIRST[left ^ keys[2]] ^ keys[3]] ^ right
    left, right = right, SECOND[FIRST[left ^ keys[4]] ^ keys[5]] ^ right
    return right << 16 | SECOND[FIRST[left ^ keys[6]] ^ keys[7]] ^ right


def encrypt(rounds, block):
    """One block of 64 bits, as an integer, under a schedule."""
    left, right = block >> 32, block & 0xFFFFFFFF
    for pair in range(0, 8, 2):
        odd, even = rounds[pair], rounds[pair + 1]
        right ^= _fo(_fl(left, odd[0], odd[1]), odd)
        left ^= _fl(_fo(right, even), even[0], even[1])
    return left << 32 | right
