/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about ESP: associations, and the IKE daemon's packets. */
#include "control/esp/live.h"

#include "control/base/neighbour_ip.h"
#include "control/report/field.h"
#include "dataplane/esp/sa.h"

#include <stdio.h>

#define SPI_CHARS 11

/* --- associations --- */

struct sa_row {
    const char *name, *direction, *state, *suite, *mode, *inner, *esn;
    char spi[SPI_CHARS], from[NEIGHBOUR_IP_CHARS], to[NEIGHBOUR_IP_CHARS], udp[12];
    uint64_t window, number, replays, wrong;
    int64_t age_ns;
    struct sa_counts counts;
};

static void print_address(const struct sa_address *address, bool is_ipv6, char *text)
{
    struct neighbour_ip ip = neighbour_ip_of(address->octets, is_ipv6);
    neighbour_ip_print(&ip, text);
}

static struct sa_row row_of(const struct sa_params *p, const char *name, const char *state)
{
    struct sa_row row = {.name = name,
                         .direction = p->is_inbound ? "in" : "out",
                         .state = state,
                         .suite = sa_suite_name(p->suite),
                         .mode = p->is_tunnel ? "tunnel" : "transport",
                         .inner = p->is_inner_ipv6 ? "ipv6" : "ipv4",
                         .esn = p->has_esn ? "yes" : "no",
                         .udp = "none",
                         .window = p->is_inbound ? p->window : FIELD_NONE,
                         .number = FIELD_NONE,
                         .replays = FIELD_NONE,
                         .wrong = FIELD_NONE};
    snprintf(row.spi, sizeof(row.spi), "0x%08x", p->spi);
    print_address(&p->source, p->is_ipv6, row.from);
    print_address(&p->destination, p->is_ipv6, row.to);
    if (p->encap_destination)
        snprintf(row.udp, sizeof(row.udp), "%u,%u", p->encap_source, p->encap_destination);
    return row;
}

/* Whether a rule in force has it for what leaves. */
static bool is_protecting(const struct associations *all, const struct sa *sa)
{
    for (unsigned side = 0; side < ESP_CONFIG_SIDES; side++) {
        const struct rules *rules = all->sides[side].now;
        for (unsigned i = 0; rules && i < rules->out_count; i++)
            if (rules->out[i].action == RULE_PROTECT && rules->out[i].sa == sa)
                return true;
    }
    return false;
}

static void put_association(struct field_sink *sink, const struct esp_live *esp,
                            const struct association *one)
{
    const struct sa *sa = one->sa;
    bool is_in = sa->params.is_inbound;
    const char *name = one->is_of_ike ? "ike" : esp->config.groups[one->group];
    const char *state = is_in ? "accepted" : is_protecting(&esp->all, sa) ? "used" : "idle";
    struct sa_row row = row_of(&sa->params, name, state);
    uint64_t first = sa->params.first_sequence ? sa->params.first_sequence : 1;
    row.counts = sa_counts_of(sa);
    row.number = is_in ? __atomic_load_n(&sa->window.top, __ATOMIC_RELAXED) : first + row.counts.numbers;
    row.replays = is_in ? row.counts.replays : FIELD_NONE;
    row.wrong = is_in ? row.counts.wrong : FIELD_NONE;
    row.age_ns = esp->host->node->core.now - one->since_ns;
    field_put(sink, NULL, &row);
}

/* Of IKE, one that the node does not use: it is not in the list of associations. */
static void put_unused(struct field_sink *sink, const struct esp_live *esp, const struct esp_ike_sa *one)
{
    struct sa_row row = row_of(&one->sa.params, "ike", one->is_old ? "old" : "refused");
    row.age_ns = esp->host->node->core.now - one->since_ns;
    field_put(sink, NULL, &row);
}

static void show_each_sa(const void *record, struct field_sink *sink)
{
    const struct esp_live *esp = *(struct esp_live *const *)record;
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++)
        if (esp->all.list[i].state == ASSOCIATION_HELD)
            put_association(sink, esp, &esp->all.list[i]);
    for (unsigned i = 0; i < ESP_IKE_SAS; i++)
        if (esp->ike.sas[i].is_there && !esp->ike.sas[i].association)
            put_unused(sink, esp, &esp->ike.sas[i]);
}

static const struct field show_sa[] = {
    FIELD(struct sa_row, LABEL, "name", "", name,
          "Name of the association in the file of keys (esp.keys); ike: an IKE daemon made it."),
    FIELD(struct sa_row, LABEL, "direction", "", direction,
          "in: of packets that come; out: of those that leave."),
    FIELD(struct sa_row, LABEL, "spi", "", spi, "SPI of its packets."),
    FIELD(struct sa_row, LABEL, "state", "", state,
          "accepted: packets with it may come; used: a rule protects what leaves with it; idle: none does; "
          "old: "
          "of IKE, from before the start, and not used; refused: of IKE, and the node could not use it."),
    FIELD(struct sa_row, LABEL, "suite", "", suite, "Cipher and proof of integrity."),
    FIELD(struct sa_row, LABEL, "mode", "", mode, "tunnel or transport."),
    FIELD(struct sa_row, LABEL, "from", "", from, "Source address of the ESP packets."),
    FIELD(struct sa_row, LABEL, "to", "", to, "Destination address of the ESP packets."),
    FIELD(struct sa_row, LABEL, "inner", "", inner, "ipv4 or ipv6: version of the packets inside."),
    FIELD(struct sa_row, LABEL, "udp", "", udp,
          "Source and destination port of UDP encapsulation (RFC 3948), or none."),
    FIELD(struct sa_row, LABEL, "esn", "", esn, "Whether sequence numbers are extended: yes or no."),
    FIELD(struct sa_row, GAUGE, "window", "sequence numbers", window,
          "Sequence numbers behind the highest one that may still come."),
    FIELD(struct sa_row, COUNTER, "packets", "packets", counts.packets,
          "Packets that came with a right ICV, or have left."),
    FIELD(struct sa_row, COUNTER, "octets", "octets", counts.octets, "Octets of these packets without ESP."),
    FIELD(struct sa_row, COUNTER, "replays", "packets", replays,
          "Packets dropped because their sequence number had come before, or was behind the window."),
    FIELD(struct sa_row, COUNTER, "wrong_icvs", "packets", wrong, "Packets dropped because of a wrong ICV."),
    FIELD(struct sa_row, GAUGE, "sequence", "sequence numbers", number,
          "Highest sequence number that has come, or the next that will leave."),
    FIELD(struct sa_row, GAUGE, "age_s", "seconds", age_ns, "Time since the node got it."),
    FIELD_END,
};

/* --- IKE --- */

struct ike_row {
    const char *process, *device;
    uint64_t sas, policies, waiting, to_daemon, from_daemon, lost;
};

static void show_each_ike(const void *record, struct field_sink *sink)
{
    const struct esp_live *esp = *(struct esp_live *const *)record;
    const struct esp_ike *ike = &esp->ike;
    struct ike_row row = {.process = ike->has_ended ? "ended" : "runs",
                          .device = ike->xfrm.tun_fd >= 0 ? "open" : "gone",
                          .policies = esp->all.policy_count,
                          .waiting = ike->waiting_count,
                          .to_daemon = ike->to_daemon,
                          .from_daemon = ike->from_daemon,
                          .lost = ike->lost};
    if (!ike->is_on)
        return;
    for (unsigned i = 0; i < ESP_IKE_SAS; i++)
        row.sas += ike->sas[i].is_there;
    field_put(sink, NULL, &row);
}

static const struct field show_ike[] = {
    FIELD(struct ike_row, LABEL, "process", "", process,
          "runs, or ended: the process that reads the associations of the kernel."),
    FIELD(struct ike_row, LABEL, "device", "", device,
          "open, or gone: the TUN device of the daemon. The node tries to open it once a second."),
    FIELD(struct ike_row, GAUGE, "sas", "associations", sas, "Associations of the IKE daemon."),
    FIELD(struct ike_row, GAUGE, "policies", "policies", policies, "Policies of the IKE daemon."),
    FIELD(struct ike_row, COUNTER, "to_daemon", "packets", to_daemon, "Packets of IKE given to the daemon."),
    FIELD(struct ike_row, COUNTER, "from_daemon", "packets", from_daemon,
          "Packets of IKE sent for the daemon."),
    FIELD(struct ike_row, COUNTER, "lost", "packets", lost,
          "Packets of IKE lost: the device took none, or their next hop did not answer."),
    FIELD(struct ike_row, GAUGE, "waiting", "packets", waiting,
          "Packets of the daemon that wait for workers or for the MAC address of their next hop."),
    FIELD_END,
};

const struct field esp_show_tables[] = {
    SHOW_TABLE("sa", show_each_sa, show_sa, "Associations of ESP, without their keys."),
    SHOW_TABLE("ike", show_each_ike, show_ike, "The IKE daemon whose associations the node has."),
    FIELD_END,
};
