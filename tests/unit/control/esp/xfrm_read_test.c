/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the kernel: what becomes of each, and of those that gbflow cannot do. */
#include "tests/unit/unit.h"

#include "control/esp/xfrm.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/xfrm.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

static char buffer[4096];

static struct nlmsghdr *begin(uint16_t type)
{
    memset(buffer, 0, sizeof(buffer));
    struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
    message->nlmsg_type = type;
    return message;
}

static struct nlmsghdr *sa_of(unsigned flags, uint8_t mode)
{
    struct nlmsghdr *message = begin(XFRM_MSG_NEWSA);
    struct xfrm_usersa_info *info = mnl_nlmsg_put_extra_header(message, sizeof(*info));
    info->id.spi = htonl(0x1234);
    info->id.proto = IPPROTO_ESP;
    info->id.daddr.a4 = inet_addr("192.0.2.1");
    info->saddr.a4 = inet_addr("192.0.2.2");
    info->family = AF_INET;
    info->reqid = 5;
    info->mode = mode;
    info->replay_window = 32;
    info->flags = (uint8_t)flags;
    info->lft.soft_packet_limit = 1000;
    info->curlft.add_time = 77;
    return message;
}

/* A key of octets 1, 2, 3, ... behind the head of an algorithm. */
static void put_algorithm(struct nlmsghdr *message, uint16_t type, const char *name, unsigned bits)
{
    char room[256] = {0};
    size_t head = type == XFRMA_ALG_CRYPT ? offsetof(struct xfrm_algo, alg_key)
                                          : offsetof(struct xfrm_algo_aead, alg_key);
    struct xfrm_algo_aead *aead = (struct xfrm_algo_aead *)room; /* struct xfrm_algo_auth is the same */
    strcpy(aead->alg_name, name);
    aead->alg_key_len = bits;
    if (type != XFRMA_ALG_CRYPT)
        aead->alg_icv_len = 128;
    for (unsigned i = 0; i < bits / 8; i++)
        room[head + i] = (char)(i + 1);
    mnl_attr_put(message, type, head + bits / 8, room);
}

static const struct xfrm_sa *read_sa(const struct nlmsghdr *message, struct xfrm_message *to)
{
    assert_true(xfrm_read(message, "lo", to));
    if (to->kind != XFRM_SA)
        fail_msg("%s", to->text);
    return &to->sa;
}

TEST(aes_gcm)
{
    struct xfrm_message to;
    struct nlmsghdr *message = sa_of(XFRM_STATE_ESN, XFRM_MODE_TUNNEL);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc4106(gcm(aes))", 160);
    const struct xfrm_sa *sa = read_sa(message, &to);
    assert_int_equal(sa->params.spi, 0x1234);
    assert_int_equal(sa->params.suite, SA_AES_GCM_128);
    assert_int_equal(sa->params.key[15], 16);
    assert_int_equal(sa->params.key[16], 0);
    assert_int_equal(sa->params.salt[0], 17);
    assert_int_equal(sa->params.salt[3], 20);
    assert_true(sa->params.has_esn && sa->params.is_tunnel && !sa->params.is_ipv6);
    assert_int_equal(sa->params.window, 128); /* at least */
    assert_int_equal(sa->params.source.octets[3], 2);
    assert_int_equal(sa->reqid, 5);
    assert_int_equal(sa->soft_packets, 1000);
    assert_int_equal(sa->add_time, 77);
    message = sa_of(0, XFRM_MODE_TRANSPORT);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc4106(gcm(aes))", 288);
    sa = read_sa(message, &to);
    assert_int_equal(sa->params.suite, SA_AES_GCM_256);
    assert_int_equal(sa->params.salt[3], 36);
    assert_false(sa->params.has_esn || sa->params.is_tunnel);
}

TEST(pairs)
{
    static const struct {
        const char *name;
        unsigned bits;
        enum sa_suite suite;
    } ciphers[] = {{"cbc(aes)", 128, SA_AES_CBC_128_SHA_256},
                   {"cbc(aes)", 256, SA_AES_CBC_256_SHA_256},
                   {"ecb(cipher_null)", 0, SA_NULL_SHA_256}};
    for (unsigned i = 0; i < 3; i++) {
        struct xfrm_message to;
        struct nlmsghdr *message = sa_of(0, XFRM_MODE_TUNNEL);
        put_algorithm(message, XFRMA_ALG_CRYPT, ciphers[i].name, ciphers[i].bits);
        put_algorithm(message, XFRMA_ALG_AUTH_TRUNC, "hmac(sha256)", 256);
        const struct xfrm_sa *sa = read_sa(message, &to);
        assert_int_equal(sa->params.suite, ciphers[i].suite);
        assert_int_equal(sa->params.auth[31], 32);
        assert_int_equal(sa->params.key[0], ciphers[i].bits ? 1 : 0);
    }
}

static void refused(struct nlmsghdr *message, const char *why)
{
    struct xfrm_message to;
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.kind, XFRM_REFUSED);
    if (!strstr(to.text, why))
        fail_msg("'%s' has no '%s'", to.text, why);
}

TEST(what_it_cannot_do)
{
    struct nlmsghdr *message = sa_of(0, XFRM_MODE_TUNNEL);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc7539esp(chacha20,poly1305)", 288);
    refused(message, "SPI 0x00001234: gbflow has not its algorithm");
    message = sa_of(0, XFRM_MODE_TUNNEL);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc4106(gcm(aes))", 224); /* AES-192 */
    refused(message, "neither 128 nor 256 bits");
    message = sa_of(0, XFRM_MODE_BEET);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc4106(gcm(aes))", 160);
    refused(message, "neither tunnel nor transport");
    message = sa_of(0, XFRM_MODE_TRANSPORT);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc4106(gcm(aes))", 160);
    mnl_attr_put(
        message, XFRMA_ENCAP, sizeof(struct xfrm_encap_tmpl),
        &(struct xfrm_encap_tmpl){.encap_type = 2, .encap_sport = htons(4500), .encap_dport = htons(4500)});
    refused(message, "UDP encapsulation needs mode = tunnel");
    message = sa_of(0, XFRM_MODE_TUNNEL);
    put_algorithm(message, XFRMA_ALG_CRYPT, "cbc(aes)", 128);
    put_algorithm(message, XFRMA_ALG_AUTH_TRUNC, "hmac(sha1)", 160);
    refused(message, "esp_proposals");
    message = sa_of(0, XFRM_MODE_TUNNEL);
    put_algorithm(message, XFRMA_ALG_AEAD, "rfc4106(gcm(aes))", 160);
    mnl_attr_put_u32(message, XFRMA_IF_ID, 1);
    refused(message, "no marks");
}

/* A key that the attribute does not have. */
TEST(short_key)
{
    struct nlmsghdr *message = sa_of(0, XFRM_MODE_TUNNEL);
    struct xfrm_algo_aead aead = {.alg_name = "rfc4106(gcm(aes))", .alg_key_len = 160, .alg_icv_len = 128};
    mnl_attr_put(message, XFRMA_ALG_AEAD, sizeof(aead), &aead);
    refused(message, "neither 128 nor 256 bits");
}

/* The daemon has an SPI, and no keys yet. */
TEST(larval)
{
    struct xfrm_message to;
    assert_false(xfrm_read(sa_of(0, XFRM_MODE_TUNNEL), "lo", &to));
}

static struct nlmsghdr *policy_of(uint8_t direction)
{
    struct nlmsghdr *message = begin(XFRM_MSG_NEWPOLICY);
    struct xfrm_userpolicy_info *info = mnl_nlmsg_put_extra_header(message, sizeof(*info));
    info->dir = direction;
    info->index = 9;
    info->priority = 100;
    info->sel.family = AF_INET;
    info->sel.saddr.a4 = inet_addr("192.0.2.1");
    info->sel.daddr.a4 = inet_addr("198.51.100.0");
    info->sel.prefixlen_s = 32;
    info->sel.prefixlen_d = 24;
    info->sel.dport = htons(2152);
    info->sel.dport_mask = 0xffff;
    info->sel.proto = IPPROTO_UDP;
    return message;
}

static struct xfrm_user_tmpl template_of(void)
{
    return (struct xfrm_user_tmpl){
        .id = {.proto = IPPROTO_ESP, .spi = htonl(0x55), .daddr.a4 = inet_addr("203.0.113.2")},
        .saddr.a4 = inet_addr("203.0.113.1"),
        .family = AF_INET,
        .reqid = 3,
        .ealgos = UINT32_MAX,
        .aalgos = UINT32_MAX,
        .calgos = UINT32_MAX,
        .mode = XFRM_MODE_TUNNEL};
}

TEST(policies)
{
    struct xfrm_message to;
    struct xfrm_user_tmpl t = template_of();
    struct nlmsghdr *message = policy_of(XFRM_POLICY_OUT);
    mnl_attr_put(message, XFRMA_TMPL, sizeof(t), &t);
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.kind, XFRM_POLICY);
    const struct association_policy *p = &to.policy.policy;
    assert_true(p->is_out && to.policy.is_protecting);
    assert_int_equal(p->spi, 0x55);
    assert_int_equal(p->rule.action, RULE_PROTECT);
    assert_int_equal(p->rule.selector.remote_bits, 24);
    assert_int_equal(p->rule.selector.remote_port, 2152);
    assert_int_equal(p->rule.selector.local_port, 0);
    assert_int_equal(p->rule.selector.local.octets[3], 1);
    assert_int_equal(to.policy.template.local.octets[3], 1);
    assert_int_equal(to.policy.template.remote.octets[3], 2);

    message = policy_of(XFRM_POLICY_IN); /* the ends are the other way round, and the SPI does not count */
    mnl_attr_put(message, XFRMA_TMPL, sizeof(t), &t);
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.policy.policy.spi, 0);
    assert_int_equal(to.policy.policy.rule.selector.local_bits, 24);
    assert_int_equal(to.policy.policy.rule.selector.local_port, 2152);
    assert_int_equal(to.policy.template.local.octets[3], 2);

    assert_true(xfrm_read(policy_of(XFRM_POLICY_OUT), "lo", &to));
    assert_int_equal(to.policy.policy.rule.action, RULE_PASS);
    assert_false(xfrm_read(policy_of(XFRM_POLICY_FWD), "lo", &to));
}

static struct xfrm_userpolicy_info *info_of(struct nlmsghdr *message)
{
    return mnl_nlmsg_get_payload(message);
}

/* It drops what its selector names, at its priority. */
static const struct rule_selector *assert_drops(const struct nlmsghdr *message, const char *why,
                                                struct xfrm_message *to)
{
    assert_true(xfrm_read(message, "lo", to));
    assert_int_equal(to->kind, XFRM_POLICY);
    assert_int_equal(to->policy.policy.rule.action, RULE_DROP);
    assert_int_equal(to->policy.policy.priority, 100);
    assert_int_equal(to->policy.policy.index, 9);
    assert_false(to->policy.is_protecting);
    if (!strstr(to->policy.refusal, why) || (why[0] == 0) != (to->policy.refusal[0] == 0))
        fail_msg("'%s' has no '%s'", to->policy.refusal, why);
    return &to->policy.policy.rule.selector;
}

TEST(templates_it_cannot_do)
{
    struct xfrm_message to;
    struct xfrm_user_tmpl rows[6];
    static const char *const why[] = {"several templates", "no IPComp, no AH", "no IPComp, no AH",
                                      "no IPComp, no AH", "list of algorithms"};
    for (unsigned i = 0; i < 6; i++)
        rows[i] = template_of();
    rows[1].id.proto = IPPROTO_AH;
    rows[2].mode = XFRM_MODE_BEET;
    rows[3].optional = 1;
    rows[4].ealgos = 1;
    for (unsigned i = 0; i < 5; i++) {
        struct nlmsghdr *message = policy_of(XFRM_POLICY_OUT);
        mnl_attr_put(message, XFRMA_TMPL, (i == 0 ? 2 : 1) * sizeof(rows[0]), &rows[i == 0 ? 4 : i]);
        const struct rule_selector *s = assert_drops(message, why[i], &to);
        assert_int_equal(s->remote_bits, 24);
        assert_int_equal(s->remote_port, 2152);
    }
}

TEST(blocks)
{
    struct xfrm_message to;
    struct xfrm_user_tmpl template = template_of();
    struct nlmsghdr *message = policy_of(XFRM_POLICY_IN);
    info_of(message)->action = XFRM_POLICY_BLOCK;
    assert_int_equal(assert_drops(message, "", &to)->local_port, 2152);
    mnl_attr_put(message, XFRMA_TMPL, sizeof(template), &template);
    assert_drops(message, "", &to);
}

/* Where a rule cannot have a part of the selector, it drops more. */
TEST(selectors_it_cannot_do)
{
    struct xfrm_message to;
    struct nlmsghdr *message = policy_of(XFRM_POLICY_IN);
    info_of(message)->sel.dport_mask = htons(0xff00);
    const struct rule_selector *s = assert_drops(message, "no ranges of ports", &to);
    assert_int_equal(s->local_port, 0);
    assert_int_equal(s->protocol, IPPROTO_UDP);
    message = policy_of(XFRM_POLICY_OUT);
    info_of(message)->sel.proto = IPPROTO_ICMP; /* the port is a type */
    s = assert_drops(message, "no types of ICMP", &to);
    assert_int_equal(s->remote_port, 0);
    assert_int_equal(s->protocol, IPPROTO_ICMP);
    message = policy_of(XFRM_POLICY_IN);
    info_of(message)->sel.prefixlen_s = 33;
    assert_int_equal(assert_drops(message, "longer than an address", &to)->remote_bits, 32);
}

/* The node's packets have no mark, and are of the interface of esp.ike alone, which is lo here. */
TEST(scopes_it_cannot_do)
{
    struct xfrm_message to;
    const struct xfrm_mark mark = {.v = 5, .m = 7};
    struct nlmsghdr *message = policy_of(XFRM_POLICY_OUT);
    mnl_attr_put(message, XFRMA_MARK, sizeof(mark), &mark);
    assert_int_equal(assert_drops(message, "no marks", &to)->remote_port, 2152);
    message = policy_of(XFRM_POLICY_IN);
    mnl_attr_put_u32(message, XFRMA_IF_ID, 1);
    assert_drops(message, "interface identifiers", &to);
    message = policy_of(XFRM_POLICY_OUT);
    info_of(message)->sel.ifindex = (int)if_nametoindex("lo") + 1;
    assert_drops(message, "another interface than that of esp.ike", &to);
    const struct xfrm_userpolicy_type sub = {.type = XFRM_POLICY_TYPE_SUB},
                                      main_type = {.type = XFRM_POLICY_TYPE_MAIN};
    message = policy_of(XFRM_POLICY_OUT);
    mnl_attr_put(message, XFRMA_POLICY_TYPE, sizeof(sub), &sub);
    assert_drops(message, "type sub", &to);
    message = policy_of(XFRM_POLICY_OUT);
    mnl_attr_put(message, XFRMA_POLICY_TYPE, sizeof(main_type), &main_type);
    info_of(message)->sel.ifindex = (int)if_nametoindex("lo");
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.policy.policy.rule.action, RULE_PASS);
    assert_string_equal(to.policy.refusal, "");
}

TEST(ends)
{
    struct xfrm_message to;
    struct nlmsghdr *message = begin(XFRM_MSG_DELSA);
    struct xfrm_usersa_id *id = mnl_nlmsg_put_extra_header(message, sizeof(*id));
    *id = (struct xfrm_usersa_id){.spi = htonl(7), .proto = IPPROTO_ESP, .family = AF_INET};
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.kind, XFRM_SA_GONE);
    assert_int_equal(to.sa.params.spi, 7);

    message = begin(XFRM_MSG_EXPIRE);
    struct xfrm_user_expire *expire = mnl_nlmsg_put_extra_header(message, sizeof(*expire));
    expire->state.id = (struct xfrm_id){.spi = htonl(8), .proto = IPPROTO_ESP};
    assert_false(xfrm_read(message, "lo", &to)); /* soft */
    expire->hard = 1;
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.kind, XFRM_SA_GONE);
    assert_int_equal(to.sa.params.spi, 8);

    message = begin(XFRM_MSG_DELPOLICY);
    struct xfrm_userpolicy_id *policy = mnl_nlmsg_put_extra_header(message, sizeof(*policy));
    *policy = (struct xfrm_userpolicy_id){.index = 9, .dir = XFRM_POLICY_OUT};
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.kind, XFRM_POLICY_GONE);
    assert_true(to.policy.policy.is_out);
    assert_int_equal(to.policy.policy.index, 9);
    assert_true(xfrm_read(begin(XFRM_MSG_FLUSHPOLICY), "lo", &to));
    assert_int_equal(to.kind, XFRM_FLUSH_POLICIES);
    assert_false(xfrm_read(begin(XFRM_MSG_FLUSHSA), "lo", &to)); /* too short */
    struct xfrm_userpolicy_type type = {.type = XFRM_POLICY_TYPE_SUB};
    message = begin(XFRM_MSG_FLUSHPOLICY);
    mnl_attr_put(message, XFRMA_POLICY_TYPE, sizeof(type), &type);
    assert_false(xfrm_read(message, "lo", &to));
    type.type = XFRM_POLICY_TYPE_MAIN;
    message = begin(XFRM_MSG_FLUSHPOLICY);
    mnl_attr_put(message, XFRMA_POLICY_TYPE, sizeof(type), &type);
    assert_true(xfrm_read(message, "lo", &to));
}

/* The index is in the attribute alone. */
TEST(policy_deleted_by_selector)
{
    struct xfrm_message to;
    struct nlmsghdr *message = begin(XFRM_MSG_DELPOLICY);
    struct xfrm_userpolicy_id *id = mnl_nlmsg_put_extra_header(message, sizeof(*id));
    *id = (struct xfrm_userpolicy_id){.dir = XFRM_POLICY_IN};
    struct xfrm_userpolicy_info info = {.index = 16, .dir = XFRM_POLICY_IN};
    mnl_attr_put(message, XFRMA_POLICY, sizeof(info), &info);
    assert_true(xfrm_read(message, "lo", &to));
    assert_int_equal(to.kind, XFRM_POLICY_GONE);
    assert_int_equal(to.policy.policy.index, 16);
    assert_false(to.policy.policy.is_out);
}

/* Those of other protocols are not the node's. */
TEST(flushes)
{
    static const struct {
        uint8_t proto;
        bool is_esp;
    } rows[] = {{0, true}, {IPPROTO_ESP, true}, {255, true}, {IPPROTO_AH, false}, {IPPROTO_COMP, false}};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct xfrm_message to;
        struct nlmsghdr *message = begin(XFRM_MSG_FLUSHSA);
        struct xfrm_usersa_flush *flush = mnl_nlmsg_put_extra_header(message, sizeof(*flush));
        flush->proto = rows[i].proto;
        assert_int_equal(xfrm_read(message, "lo", &to), rows[i].is_esp);
        if (rows[i].is_esp)
            assert_int_equal(to.kind, XFRM_FLUSH_SAS);
    }
}

UNIT_MAIN(NULL, NULL)
