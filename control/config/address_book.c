/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/address_book.h"

#include "dataplane/base/bytes.h"

#include <arpa/inet.h>
#include <string.h>

#define FIRST_MULTICAST UINT32_C(0xe0000000)

static uint32_t of_ipv4(const uint8_t *octets)
{
    uint32_t address = bytes_get_u32(octets);
    return address < FIRST_MULTICAST ? address : ADDRESS_NONE;
}

static bool is_host(const uint8_t *octets)
{
    static const uint8_t unspecified[ADDRESS_IPV6_OCTETS];
    return octets[0] != 0xff && memcmp(octets, unspecified, sizeof(unspecified)) != 0;
}

uint32_t address_book_put(struct address_book *book, const uint8_t *octets, size_t count)
{
    if (count == 4)
        return of_ipv4(octets);
    if (count != ADDRESS_IPV6_OCTETS || !is_host(octets))
        return ADDRESS_NONE;
    for (uint32_t i = 0; i < book->count; i++)
        if (memcmp(book->list[i], octets, ADDRESS_IPV6_OCTETS) == 0)
            return address_of_place(i);
    if (book->count == ADDRESS_BOOK_MAX)
        return ADDRESS_NONE;
    memcpy(book->list[book->count], octets, ADDRESS_IPV6_OCTETS);
    return address_of_place(book->count++);
}

bool address_book_has(const struct address_book *book, const uint8_t octets[ADDRESS_IPV6_OCTETS])
{
    for (uint32_t i = 0; i < book->count; i++)
        if (memcmp(book->list[i], octets, ADDRESS_IPV6_OCTETS) == 0)
            return true;
    return false;
}

const char *address_book_text(const struct address_book *book, uint32_t address,
                              char out[ADDRESS_BOOK_TEXT_CHARS])
{
    uint32_t place = address_place(address);
    out[0] = '-';
    out[1] = '\0';
    if (address == ADDRESS_NONE)
        return out;
    if (address_is_ipv6(address))
        return place < book->count ? inet_ntop(AF_INET6, book->list[place], out, ADDRESS_BOOK_TEXT_CHARS)
                                   : out;
    struct in_addr in = {.s_addr = htonl(address)};
    return inet_ntop(AF_INET, &in, out, ADDRESS_BOOK_TEXT_CHARS);
}
