/* SPDX-License-Identifier: BSD-3-Clause */
/* A message of the kernel's XFRM netlink, by its length: what control reads has values in their ranges. */
#include "control/esp/xfrm.h"
#include "tests/fuzz/fuzz.h"

#include <libmnl/libmnl.h>

static void check_sa(const struct xfrm_sa *sa)
{
    const struct sa_params *p = &sa->params;
    FUZZ_CHECK((unsigned)p->suite < SA_SUITES);
    FUZZ_CHECK(p->window >= 128 && p->window <= SA_WINDOW_MAX);
    FUZZ_CHECK(p->encap_destination == 0 || p->is_tunnel);
}

static void check_policy(const struct xfrm_policy *policy)
{
    const struct rule *rule = &policy->policy.rule;
    unsigned most = rule->selector.is_ipv6 ? 128 : 32;
    FUZZ_CHECK(rule->selector.local_bits <= most && rule->selector.remote_bits <= most);
    FUZZ_CHECK(policy->is_protecting == (rule->action == RULE_PROTECT));
    FUZZ_CHECK(memchr(policy->refusal, 0, sizeof(policy->refusal)));
    FUZZ_CHECK(!policy->refusal[0] || rule->action == RULE_DROP);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct xfrm_message message;
    uint8_t *copy = fuzz_copy(bytes, len);
    const struct nlmsghdr *from = (const struct nlmsghdr *)copy;
    bool is_whole = len >= sizeof(*from) && from->nlmsg_len >= sizeof(*from) && from->nlmsg_len <= len;
    if (is_whole && xfrm_read(from, "lo", &message)) {
        if (message.kind == XFRM_SA)
            check_sa(&message.sa);
        if (message.kind == XFRM_POLICY)
            check_policy(&message.policy);
        if (message.kind == XFRM_REFUSED)
            FUZZ_CHECK(memchr(message.text, 0, sizeof(message.text)));
    }
    free(copy);
    return 0;
}
