/* SPDX-License-Identifier: BSD-3-Clause */
/* DNS against servers of its own on loopback: addresses, names without one, silence, servers that are none,
 * and a change of servers. */
#include "control/base/resolver.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADER_OCTETS 12
#define NAME          "rac0005.lac1234.mnc042.mcc262.gprs"
#define IPV6          "2001:db8::3"
#define TYPE_AAAA     28

enum { SERVERS = 2, MOST_TOLD = 300 };

struct server {
    int fd;
    char address[64];  /* as resolver_ask() takes it */
    uint8_t answer[4]; /* to a question for an IPv4 address; 0.0.0.0: name error. For an IPv6 one: IPV6 */
    bool is_silent;
    unsigned questions;
    uint16_t number, port; /* of the last question: its identification and source port */
    char name[128];        /* its labels, parted by points */
};

struct told {
    unsigned count;
    uint64_t id[MOST_TOLD];
    char address[MOST_TOLD][INET6_ADDRSTRLEN]; /* "": none */
};

static struct server servers[SERVERS];
static struct resolver resolver;
static struct told told;

static void server_open(struct server *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t octets = sizeof(at);
    *s = (struct server){.fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)};
    assert_true(bind(s->fd, (struct sockaddr *)&at, sizeof(at)) == 0);
    assert_true(getsockname(s->fd, (struct sockaddr *)&at, &octets) == 0);
    snprintf(s->address, sizeof(s->address), "127.0.0.1:%u", ntohs(at.sin_port));
}

static size_t read_name(const uint8_t *at, char *name)
{
    size_t used = 0;
    for (size_t i = 0; i < 100 && at[i] != 0; i += at[i] + 1U) {
        memcpy(name + used, at + i + 1, at[i]);
        used += at[i];
        name[used++] = '.';
    }
    name[used - 1] = '\0';
    return used + 1;
}

/* Answers one question, if there is one. */
static void server_step(struct server *s)
{
    uint8_t bytes[512];
    struct sockaddr_in from;
    socklen_t octets = sizeof(from);
    ssize_t got = recvfrom(s->fd, bytes, sizeof(bytes) - 64, 0, (struct sockaddr *)&from, &octets);
    if (got < HEADER_OCTETS)
        return;
    s->questions++;
    s->number = (uint16_t)(bytes[0] << 8 | bytes[1]);
    s->port = ntohs(from.sin_port);
    size_t end = HEADER_OCTETS + read_name(bytes + HEADER_OCTETS, s->name) + 4;
    bool has_address = s->answer[0] != 0, is_ipv6 = bytes[end - 3] == TYPE_AAAA;
    uint8_t address[16], octets_of = is_ipv6 ? 16 : 4;
    if (s->is_silent)
        return;
    bytes[2] |= 0x80;
    bytes[3] = has_address ? 0x80 : 0x83;
    memset(bytes + 6, 0, 6);
    bytes[7] = has_address;
    const uint8_t record[] = {0xc0, HEADER_OCTETS, 0, bytes[end - 3], 0, 1, 0, 0, 0, 60, 0, octets_of};
    assert_int_equal(inet_pton(AF_INET6, IPV6, address), 1);
    memcpy(bytes + end, record, sizeof(record));
    memcpy(bytes + end + sizeof(record), is_ipv6 ? address : s->answer, octets_of);
    size_t count = end + (has_address ? sizeof(record) + octets_of : 0);
    assert_true(sendto(s->fd, bytes, count, 0, (struct sockaddr *)&from, octets) == (ssize_t)count);
}

static void note(void *arg, uint64_t id, const char *address)
{
    struct told *t = arg;
    t->id[t->count] = id;
    snprintf(t->address[t->count++], INET6_ADDRSTRLEN, "%s", address ? address : "");
}

/* Steps until as many answers were told. */
static void run_until(unsigned count)
{
    for (unsigned i = 0; i < 10000 && told.count < count; i++) {
        int64_t wait_ns = resolver_step(&resolver, note, &told);
        for (unsigned k = 0; k < SERVERS; k++)
            server_step(&servers[k]);
        struct epoll_event event;
        if (wait_ns != 0 && told.count < count)
            epoll_wait(resolver.epoll_fd, &event, 1, 1);
    }
    assert_int_equal(told.count, count);
}

/* Whether in a row of numbers at most one of 16 is there before, and the same of their differences. */
static bool are_unlike(const uint16_t *numbers, unsigned count)
{
    static uint8_t seen[2][UINT16_MAX + 1];
    unsigned again = 0, alike = 0;
    memset(seen, 0, sizeof(seen));
    for (unsigned i = 0; i < count; i++) {
        again += seen[0][numbers[i]]++ > 0;
        alike += i > 0 && seen[1][(uint16_t)(numbers[i] - numbers[i - 1])]++ > 0;
    }
    return again <= count / 16 && alike <= count / 16;
}

static int set_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SERVERS; i++)
        server_open(&servers[i]);
    resolver_init(&resolver, epoll_create1(0));
    told = (struct told){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resolver_fini(&resolver);
    close(resolver.epoll_fd);
    for (unsigned i = 0; i < SERVERS; i++)
        close(servers[i].fd);
    return 0;
}

/* A forged answer has to guess both numbers, also at a node that has just been started. */
TEST_WITH(test_numbers_of_questions, set_up, tear_down)
{
    enum { QUESTIONS = 200, FIRST = 64 };
    uint16_t numbers[QUESTIONS], ports[QUESTIONS], first[FIRST];
    memcpy(servers[0].answer, (uint8_t[]){10, 98, 0, 3}, 4);
    for (unsigned i = 0; i < QUESTIONS; i++) {
        resolver_ask(&resolver, i, NAME, servers[0].address, false);
        run_until(i + 1);
        numbers[i] = servers[0].number;
        ports[i] = servers[0].port;
    }
    assert_true(are_unlike(numbers, QUESTIONS) && are_unlike(ports, QUESTIONS));
    told.count = 0;
    for (unsigned i = 0; i < FIRST; i++) {
        resolver_fini(&resolver);
        close(resolver.epoll_fd);
        resolver_init(&resolver, epoll_create1(0));
        resolver_ask(&resolver, i, NAME, servers[0].address, false);
        run_until(i + 1);
        first[i] = servers[0].number;
    }
    assert_true(are_unlike(first, FIRST));
}

TEST_WITH(test_address, set_up, tear_down)
{
    memcpy(servers[0].answer, (uint8_t[]){10, 98, 0, 3}, 4);
    resolver_ask(&resolver, 7, NAME, servers[0].address, false);
    run_until(1);
    assert_int_equal(told.id[0], 7);
    assert_string_equal(told.address[0], "10.98.0.3");
    assert_string_equal(servers[0].name, NAME);
    assert_true(resolver_step(&resolver, note, &told) == INT64_MAX);
    assert_int_equal(resolver.pending, 0);
    resolver_ask(&resolver, 8, NAME, servers[0].address, true);
    run_until(2);
    assert_string_equal(told.address[1], IPV6);
}

/* Hosts files may have the machine's own name. */
TEST_WITH(test_own_name, set_up, tear_down)
{
    char name[64] = "";
    assert_int_equal(gethostname(name, sizeof(name) - 1), 0);
    memcpy(servers[0].answer, (uint8_t[]){10, 98, 0, 6}, 4);
    resolver_ask(&resolver, 1, name, servers[0].address, false);
    run_until(1);
    assert_true(servers[0].questions > 0);
    assert_string_equal(told.address[0], "10.98.0.6");
}

TEST_WITH(test_no_such_name, set_up, tear_down)
{
    resolver_ask(&resolver, 1, NAME, servers[0].address, false);
    run_until(1);
    assert_string_equal(told.address[0], "");
}

/* The second server of a list is asked when the first is silent; a list of silent ones is answered, too. */
TEST_WITH(test_silence, set_up, tear_down)
{
    char both[160];
    servers[0].is_silent = true;
    memcpy(servers[1].answer, (uint8_t[]){10, 98, 0, 4}, 4);
    snprintf(both, sizeof(both), "%s,%s", servers[0].address, servers[1].address);
    resolver_ask(&resolver, 1, NAME, both, false);
    run_until(1);
    assert_string_equal(told.address[0], "10.98.0.4");
    assert_true(servers[0].questions > 0);
    servers[0].questions = 0;
    resolver_ask(&resolver, 2, NAME, servers[0].address, false);
    run_until(2);
    assert_string_equal(told.address[1], "");
    assert_int_equal(servers[0].questions << 4 | servers[1].questions, 0x21); /* twice, and no other one */
}

/* Questions to servers that are no longer asked are answered without an address. */
TEST_WITH(test_other_servers, set_up, tear_down)
{
    servers[0].is_silent = true;
    memcpy(servers[1].answer, (uint8_t[]){10, 98, 0, 7}, 4);
    resolver_ask(&resolver, 1, NAME, servers[0].address, false);
    resolver_ask(&resolver, 2, NAME, servers[1].address, false);
    run_until(1);
    assert_string_equal(told.address[0], "");
    run_until(2);
    assert_string_equal(told.address[1], "10.98.0.7");
    assert_int_equal(told.id[0] << 4 | told.id[1], 0x12);
}

/* Beyond the limit a question is answered at once, without an address. */
TEST_WITH(test_many, set_up, tear_down)
{
    memcpy(servers[0].answer, (uint8_t[]){10, 98, 0, 5}, 4);
    for (unsigned i = 0; i < RESOLVER_PENDING + 4; i++)
        resolver_ask(&resolver, i, NAME, servers[0].address, false);
    run_until(RESOLVER_PENDING + 4);
    unsigned without = 0;
    for (unsigned i = 0; i < told.count; i++)
        without += told.address[i][0] == '\0';
    assert_int_equal(without, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(told.id[i], RESOLVER_PENDING + i);
}

/* Servers that are none, or too many, are not replaced by those of the machine. */
TEST_WITH(test_no_servers, set_up, tear_down)
{
    char many[RESOLVER_SERVERS_CHARS + 1];
    memset(many, '1', sizeof(many) - 1);
    many[sizeof(many) - 1] = '\0';
    for (unsigned i = 0; i < 3; i++) {
        resolver_ask(&resolver, i, NAME, i < 2 ? "not a server" : many, false);
        assert_null(resolver.channel);
    }
    assert_true(resolver_step(&resolver, note, &told) == 0);
    assert_int_equal(told.count, 3);
    assert_string_equal(told.address[1], "");
}

/* A name that is none; questions that are pending, or answered and not told, at the end. */
TEST_WITH(test_end, set_up, tear_down)
{
    resolver_ask(&resolver, 2, "no name at all ..", servers[0].address, false);
    run_until(1);
    resolver_ask(&resolver, 3, NAME, "not a server", false);
    servers[0].is_silent = true;
    resolver_ask(&resolver, 1, NAME, servers[0].address, false);
    assert_int_equal(resolver.pending, 1);
}

UNIT_MAIN(NULL, NULL)
