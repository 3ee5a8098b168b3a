/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of Linux's XFRM netlink as control has them. */
#include "control/esp/xfrm.h"

#include <libmnl/libmnl.h>
#include <linux/udp.h>
#include <linux/xfrm.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 8, ICV_BITS = 128, SALT_BITS = 32, WINDOW_LEAST = 128, PORT_EXACT = 0xffff, NAME_CHARS = 64 };
enum { PROTO_IPSEC = 255 }; /* for the kernel: AH, ESP and IPComp */

/* --- attributes --- */

struct attributes {
    const struct nlattr *list[XFRMA_MAX + 1];
};

static int keep_attribute(const struct nlattr *attribute, void *arg)
{
    struct attributes *all = arg;
    uint16_t type = mnl_attr_get_type(attribute);
    if (type <= XFRMA_MAX)
        all->list[type] = attribute;
    return MNL_CB_OK;
}

/* The payload of an attribute of at least so many octets; NULL: it is not there, or shorter. */
static const void *payload_of(const struct attributes *all, unsigned type, size_t octets)
{
    const struct nlattr *attribute = all->list[type];
    return attribute && mnl_attr_get_payload_len(attribute) >= octets ? mnl_attr_get_payload(attribute)
                                                                      : NULL;
}

/* The key behind the head of an algorithm, of `bits`; NULL: it is longer than the attribute. */
static const char *xfrm_read_key(const struct attributes *all, unsigned type, const void *head,
                                 size_t head_octets, unsigned bits)
{
    size_t octets = mnl_attr_get_payload_len(all->list[type]);
    return bits % BITS == 0 && octets >= head_octets + bits / BITS ? (const char *)head + head_octets : NULL;
}

static bool refuse(struct xfrm_message *to, const char *what, const char *why)
{
    to->kind = XFRM_REFUSED;
    snprintf(to->text, sizeof(to->text), "%s: %s", what, why);
    return true;
}

static void name_sa(const struct xfrm_usersa_info *info, char text[32])
{
    snprintf(text, 32, "SPI 0x%08x", ntohl(info->id.spi));
}

/* --- associations --- */

static void put_address(struct sa_address *to, const xfrm_address_t *from, bool is_ipv6)
{
    memset(to, 0, sizeof(*to));
    memcpy(to->octets, from, is_ipv6 ? 16 : 4);
}

/* AES-GCM: the salt is behind the key. */
static const char *read_aead(const struct attributes *all, struct sa_params *p)
{
    const struct xfrm_algo_aead *aead = payload_of(all, XFRMA_ALG_AEAD, sizeof(*aead));
    if (!aead || strncmp(aead->alg_name, "rfc4106(gcm(aes))", sizeof(aead->alg_name)) != 0 ||
        aead->alg_icv_len != ICV_BITS)
        return "gbflow has not its algorithm; of AEAD it has aes128gcm16 and aes256gcm16";
    const char *key =
        xfrm_read_key(all, XFRMA_ALG_AEAD, aead, offsetof(struct xfrm_algo_aead, alg_key), aead->alg_key_len);
    unsigned bits = aead->alg_key_len - SALT_BITS;
    if (!key || (bits != 128 && bits != 256))
        return "its key has neither 128 nor 256 bits";
    p->suite = bits == 128 ? SA_AES_GCM_128 : SA_AES_GCM_256;
    memcpy(p->key, key, bits / BITS);
    memcpy(p->salt, key + bits / BITS, SA_SALT_OCTETS);
    return NULL;
}

/* AES-CBC or NULL, with HMAC-SHA-256 that is cut to 128 bits (RFC 4868). */
static const char *read_pair(const struct attributes *all, struct sa_params *p)
{
    const struct xfrm_algo *crypt = payload_of(all, XFRMA_ALG_CRYPT, sizeof(*crypt));
    const struct xfrm_algo_auth *auth = payload_of(all, XFRMA_ALG_AUTH_TRUNC, sizeof(*auth));
    const char *cipher = crypt ? crypt->alg_name : "";
    bool is_null = strncmp(cipher, "ecb(cipher_null)", NAME_CHARS) == 0;
    if (!crypt || !auth || strncmp(auth->alg_name, "hmac(sha256)", sizeof(auth->alg_name)) != 0 ||
        auth->alg_trunc_len != ICV_BITS || (!is_null && strncmp(cipher, "cbc(aes)", NAME_CHARS) != 0))
        return "gbflow has not its algorithms; give the daemon one of esp_proposals = aes128gcm16, "
               "aes256gcm16, aes128-sha256, aes256-sha256, null-sha256";
    const char *key = xfrm_read_key(all, XFRMA_ALG_CRYPT, crypt, offsetof(struct xfrm_algo, alg_key),
                                    crypt->alg_key_len),
               *secret = xfrm_read_key(all, XFRMA_ALG_AUTH_TRUNC, auth,
                                       offsetof(struct xfrm_algo_auth, alg_key), auth->alg_key_len);
    if (!key || !secret || auth->alg_key_len != BITS * SA_KEY_OCTETS ||
        (!is_null && crypt->alg_key_len != 128 && crypt->alg_key_len != 256))
        return "its keys have other lengths than 128 or 256 bits";
    p->suite = is_null                     ? SA_NULL_SHA_256
               : crypt->alg_key_len == 128 ? SA_AES_CBC_128_SHA_256
                                           : SA_AES_CBC_256_SHA_256;
    if (!is_null)
        memcpy(p->key, key, crypt->alg_key_len / BITS);
    memcpy(p->auth, secret, SA_KEY_OCTETS);
    return NULL;
}

static const char *read_algorithms(const struct attributes *all, struct sa_params *p)
{
    return all->list[XFRMA_ALG_AEAD] ? read_aead(all, p) : read_pair(all, p);
}

static uint32_t window_of(const struct attributes *all, const struct xfrm_usersa_info *info)
{
    const struct xfrm_replay_state_esn *esn = payload_of(all, XFRMA_REPLAY_ESN_VAL, sizeof(*esn));
    uint32_t window = esn ? esn->replay_window : info->replay_window;
    return window < WINDOW_LEAST ? WINDOW_LEAST : window > SA_WINDOW_MAX ? SA_WINDOW_MAX : window;
}

static const char *read_encap(const struct attributes *all, struct sa_params *p)
{
    const struct xfrm_encap_tmpl *encap = payload_of(all, XFRMA_ENCAP, sizeof(*encap));
    if (!encap)
        return NULL;
    p->encap_source = ntohs(encap->encap_sport);
    p->encap_destination = ntohs(encap->encap_dport);
    if (encap->encap_type != UDP_ENCAP_ESPINUDP)
        return "its UDP encapsulation is not that of RFC 3948";
    return p->is_tunnel ? NULL : "UDP encapsulation needs mode = tunnel";
}

static const char *read_info(const struct xfrm_usersa_info *info, const struct attributes *all,
                             struct sa_params *p)
{
    p->is_tunnel = info->mode == XFRM_MODE_TUNNEL;
    p->is_ipv6 = p->is_inner_ipv6 = info->family == AF_INET6;
    p->has_esn = info->flags & XFRM_STATE_ESN;
    p->copies_dscp = true;
    p->hop_limit = 64;
    p->window = window_of(all, info);
    put_address(&p->source, &info->saddr, p->is_ipv6);
    put_address(&p->destination, &info->id.daddr, p->is_ipv6);
    if (info->mode != XFRM_MODE_TUNNEL && info->mode != XFRM_MODE_TRANSPORT)
        return "its mode is neither tunnel nor transport";
    if (all->list[XFRMA_MARK] || all->list[XFRMA_IF_ID])
        return "gbflow has no marks and interface identifiers";
    const char *why = read_encap(all, p);
    return why ? why : read_algorithms(all, p);
}

/* One without keys is on its way: the daemon has its SPI alone yet. */
static bool read_sa(const struct xfrm_usersa_info *info, const struct attributes *all,
                    struct xfrm_message *to)
{
    char name[32];
    struct xfrm_sa *sa = &to->sa;
    if (info->id.proto != IPPROTO_ESP || (!all->list[XFRMA_ALG_AEAD] && !all->list[XFRMA_ALG_CRYPT]))
        return false;
    to->kind = XFRM_SA;
    sa->params.spi = ntohl(info->id.spi);
    sa->reqid = info->reqid;
    sa->soft_octets = info->lft.soft_byte_limit;
    sa->hard_octets = info->lft.hard_byte_limit;
    sa->soft_packets = info->lft.soft_packet_limit;
    sa->hard_packets = info->lft.hard_packet_limit;
    sa->add_time = info->curlft.add_time;
    const char *why = read_info(info, all, &sa->params);
    name_sa(info, name);
    return why ? refuse(to, name, why) : true;
}

static bool read_gone(const struct xfrm_usersa_id *id, struct xfrm_message *to)
{
    to->kind = XFRM_SA_GONE;
    to->sa.params.spi = ntohl(id->spi);
    to->sa.params.is_ipv6 = id->family == AF_INET6;
    put_address(&to->sa.params.destination, &id->daddr, id->family == AF_INET6);
    return id->proto == IPPROTO_ESP;
}

/* --- policies --- */

static bool has_ports(uint8_t protocol)
{
    return protocol == 0 || protocol == IPPROTO_UDP || protocol == IPPROTO_TCP || protocol == IPPROTO_SCTP;
}

/* Of what a rule cannot say, the selector has more: the policy is refused, and drops all of that. */
static const char *read_selector(const struct xfrm_selector *s, bool is_out, struct rule_selector *to)
{
    bool is_ipv6 = s->family == AF_INET6;
    uint16_t local = is_out ? s->sport : s->dport, remote = is_out ? s->dport : s->sport,
             local_mask = is_out ? s->sport_mask : s->dport_mask,
             remote_mask = is_out ? s->dport_mask : s->sport_mask;
    uint8_t most = is_ipv6 ? 128 : 32, local_bits = is_out ? s->prefixlen_s : s->prefixlen_d,
            remote_bits = is_out ? s->prefixlen_d : s->prefixlen_s;
    bool are_ports = has_ports(s->proto);
    *to = (struct rule_selector){.is_ipv6 = is_ipv6,
                                 .local_bits = local_bits < most ? local_bits : most,
                                 .remote_bits = remote_bits < most ? remote_bits : most,
                                 .protocol = s->proto,
                                 .local_port = are_ports && local_mask == PORT_EXACT ? ntohs(local) : 0,
                                 .remote_port = are_ports && remote_mask == PORT_EXACT ? ntohs(remote) : 0};
    put_address(&to->local, is_out ? &s->saddr : &s->daddr, is_ipv6);
    put_address(&to->remote, is_out ? &s->daddr : &s->saddr, is_ipv6);
    if (local_bits > most || remote_bits > most)
        return "its prefix is longer than an address";
    if (!are_ports && (local_mask || remote_mask))
        return "gbflow has ports of UDP, TCP and SCTP alone, no types of ICMP; leave them out";
    if ((local_mask && !to->local_port) || (remote_mask && !to->remote_port))
        return "gbflow has no ranges of ports, and no port 0; give single ports, or none";
    return NULL;
}

static const char *read_template(const struct xfrm_user_tmpl *t, bool is_out, struct association_template *to)
{
    to->reqid = t->reqid;
    to->is_tunnel = t->mode == XFRM_MODE_TUNNEL;
    to->is_ipv6 = to->is_tunnel && t->family == AF_INET6;
    if (to->is_tunnel) {
        put_address(&to->local, is_out ? &t->saddr : &t->id.daddr, to->is_ipv6);
        put_address(&to->remote, is_out ? &t->id.daddr : &t->saddr, to->is_ipv6);
    }
    if (t->id.proto != IPPROTO_ESP || t->optional ||
        (t->mode != XFRM_MODE_TUNNEL && t->mode != XFRM_MODE_TRANSPORT))
        return "its template is not ESP in tunnel or transport mode (no IPComp, no AH)";
    if ((t->ealgos & t->aalgos) != UINT32_MAX)
        return "its template has a list of algorithms; leave it out";
    return NULL;
}

static const char *read_templates(const struct attributes *all, bool is_out, struct xfrm_policy *to)
{
    const struct nlattr *list = all->list[XFRMA_TMPL];
    size_t octets = list ? mnl_attr_get_payload_len(list) : 0;
    if (octets == 0)
        return NULL;
    if (octets != sizeof(struct xfrm_user_tmpl))
        return "it has several templates; gbflow has ESP alone";
    to->is_protecting = true;
    to->policy.rule.action = RULE_PROTECT;
    if (is_out)
        to->policy.spi = ntohl(((const struct xfrm_user_tmpl *)mnl_attr_get_payload(list))->id.spi);
    return read_template(mnl_attr_get_payload(list), is_out, &to->template);
}

/* Of the kernel's second list, which stands before the main one whatever its priorities are. */
static bool is_sub(const struct attributes *all)
{
    const struct xfrm_userpolicy_type *type = payload_of(all, XFRMA_POLICY_TYPE, sizeof(*type));
    return type && type->type != XFRM_POLICY_TYPE_MAIN;
}

/* Packets of the node are of one interface for policies, and have no mark. */
static const char *read_scope(const struct xfrm_selector *s, const struct attributes *all,
                              const char *interface)
{
    if (all->list[XFRMA_MARK] || all->list[XFRMA_IF_ID])
        return "gbflow has no marks and interface identifiers";
    if (is_sub(all))
        return "gbflow has no policies of type sub";
    if (s->ifindex != 0 && (unsigned)s->ifindex != if_nametoindex(interface))
        return "its device (dev) is another interface than that of esp.ike";
    return NULL;
}

/* NULL: gbflow can do what it says. */
static const char *read_rule(const struct xfrm_userpolicy_info *info, const struct attributes *all,
                             const char *interface, struct xfrm_policy *to)
{
    bool is_out = info->dir == XFRM_POLICY_OUT;
    const char *why = read_selector(&info->sel, is_out, &to->policy.rule.selector);
    to->policy.rule.action = info->action == XFRM_POLICY_ALLOW ? RULE_PASS : RULE_DROP;
    if (!why)
        why = read_scope(&info->sel, all, interface);
    if (!why && info->action == XFRM_POLICY_ALLOW)
        why = read_templates(all, is_out, to);
    return why;
}

/* The node forwards no packet for others. A policy that gbflow cannot do drops what it is for: the packets
 * must not find another one of lower priority. */
static bool read_policy(const struct xfrm_userpolicy_info *info, const struct attributes *all,
                        const char *interface, struct xfrm_message *to)
{
    struct xfrm_policy *policy = &to->policy;
    if (info->dir != XFRM_POLICY_OUT && info->dir != XFRM_POLICY_IN)
        return false;
    to->kind = XFRM_POLICY;
    policy->policy.is_out = info->dir == XFRM_POLICY_OUT;
    policy->policy.priority = info->priority;
    policy->policy.index = info->index;
    const char *why = read_rule(info, all, interface, policy);
    if (why) {
        policy->policy.rule.action = RULE_DROP;
        policy->is_protecting = false;
        snprintf(policy->refusal, sizeof(policy->refusal), "%s", why);
    }
    return true;
}

/* The kernel's id of a policy that was deleted by its selector has no index; the policy in the attribute has.
 */
static bool read_policy_gone(const struct xfrm_userpolicy_id *id, const struct attributes *all,
                             struct xfrm_message *to)
{
    const void *payload = payload_of(all, XFRMA_POLICY, sizeof(struct xfrm_userpolicy_info));
    struct xfrm_userpolicy_info info = {.index = id->index};
    if (payload)
        memcpy(&info, payload, sizeof(info)); /* netlink aligns it to 4 octets, and it has some of 8 */
    to->kind = XFRM_POLICY_GONE;
    to->policy.policy.is_out = id->dir == XFRM_POLICY_OUT;
    to->policy.policy.index = info.index;
    return id->dir == XFRM_POLICY_OUT || id->dir == XFRM_POLICY_IN;
}

/* --- the whole --- */

/* The struct that a message begins with; netlink aligns it to 4 octets, and it has some of 8. */
union head {
    struct xfrm_usersa_info sa;
    struct xfrm_usersa_id sa_id;
    struct xfrm_user_expire expire;
    struct xfrm_userpolicy_info policy;
    struct xfrm_userpolicy_id policy_id;
    struct xfrm_user_polexpire polexpire;
    struct xfrm_usersa_flush flush;
};

static bool is_long_enough(const struct nlmsghdr *from, size_t head)
{
    return mnl_nlmsg_get_payload_len(from) >= head;
}

/* The size of the struct that a message begins with; 0: control does not need it. */
static size_t head_octets(uint16_t type)
{
    switch (type) {
    case XFRM_MSG_NEWSA:
    case XFRM_MSG_UPDSA:
        return sizeof(struct xfrm_usersa_info);
    case XFRM_MSG_DELSA:
        return sizeof(struct xfrm_usersa_id);
    case XFRM_MSG_EXPIRE:
        return sizeof(struct xfrm_user_expire);
    case XFRM_MSG_NEWPOLICY:
    case XFRM_MSG_UPDPOLICY:
        return sizeof(struct xfrm_userpolicy_info);
    case XFRM_MSG_DELPOLICY:
        return sizeof(struct xfrm_userpolicy_id);
    case XFRM_MSG_POLEXPIRE:
        return sizeof(struct xfrm_user_polexpire);
    case XFRM_MSG_FLUSHSA:
        return sizeof(struct xfrm_usersa_flush);
    default:
        return 0;
    }
}

/* The kernel has deleted an association whose hard life has ended. */
static bool read_expire(const struct xfrm_user_expire *expire, struct xfrm_message *to)
{
    struct xfrm_usersa_id id = {.daddr = expire->state.id.daddr,
                                .spi = expire->state.id.spi,
                                .family = expire->state.family,
                                .proto = expire->state.id.proto};
    return expire->hard && read_gone(&id, to);
}

static bool read_polexpire(const struct xfrm_user_polexpire *expire, const struct attributes *all,
                           struct xfrm_message *to)
{
    struct xfrm_userpolicy_id id = {.index = expire->pol.index, .dir = expire->pol.dir};
    return expire->hard && read_policy_gone(&id, all, to);
}

/* Of one protocol, or of all. */
static bool read_flush(const struct xfrm_usersa_flush *flush, struct xfrm_message *to)
{
    to->kind = XFRM_FLUSH_SAS;
    return flush->proto == 0 || flush->proto == IPPROTO_ESP || flush->proto == PROTO_IPSEC;
}

bool xfrm_read(const struct nlmsghdr *from, const char *interface, struct xfrm_message *to)
{
    struct attributes all = {0};
    union head head;
    size_t octets = head_octets(from->nlmsg_type);
    memset(to, 0, sizeof(*to));
    if (from->nlmsg_type == XFRM_MSG_FLUSHPOLICY) {
        to->kind = XFRM_FLUSH_POLICIES;
        return mnl_attr_parse(from, 0, keep_attribute, &all) >= 0 && !is_sub(&all);
    }
    if (octets == 0 || !is_long_enough(from, octets) ||
        mnl_attr_parse(from, octets, keep_attribute, &all) < 0)
        return false;
    memcpy(&head, mnl_nlmsg_get_payload(from), octets);
    switch (from->nlmsg_type) {
    case XFRM_MSG_NEWSA:
    case XFRM_MSG_UPDSA:
        return read_sa(&head.sa, &all, to);
    case XFRM_MSG_DELSA:
        return read_gone(&head.sa_id, to);
    case XFRM_MSG_EXPIRE:
        return read_expire(&head.expire, to);
    case XFRM_MSG_NEWPOLICY:
    case XFRM_MSG_UPDPOLICY:
        return read_policy(&head.policy, &all, interface, to);
    case XFRM_MSG_DELPOLICY:
        return read_policy_gone(&head.policy_id, &all, to);
    case XFRM_MSG_POLEXPIRE:
        return read_polexpire(&head.polexpire, &all, to);
    default:
        return read_flush(&head.flush, to);
    }
}
