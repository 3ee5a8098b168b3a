/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/abm/link_rig.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_xid.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUT = 200 };

static void say(struct rig *rig, const char *format, ...)
{
    size_t used = strlen(rig->said);
    va_list list;
    assert_true(used + 1 < sizeof rig->said);
    va_start(list, format);
    if (used > 0)
        rig->said[used++] = ' ';
    vsnprintf(rig->said + used, sizeof rig->said - used, format, list);
    va_end(list);
}

/* --- callbacks --- */

static unsigned index_of(const struct rig *rig, const struct n_pdu *n_pdu)
{
    return (unsigned)(n_pdu - rig->n_pdus);
}

static void hold(void *arg, struct n_pdu *n_pdu)
{
    struct rig *rig = arg;
    rig->refs[index_of(rig, n_pdu)]++;
}

static void let_go(void *arg, struct n_pdu *n_pdu)
{
    struct rig *rig = arg;
    assert_true(rig->refs[index_of(rig, n_pdu)]-- > 0);
}

static void abandon(void *arg, struct n_pdu *n_pdu)
{
    struct rig *rig = arg;
    say(rig, "abandon%u", index_of(rig, n_pdu));
    let_go(rig, n_pdu);
}

static void opened(void *arg, struct link *link)
{
    assert_int_equal(link->state, LINK_ABM);
    say(arg, "open");
}

static void failed(void *arg, struct link *unused_link)
{
    (void)unused_link;
    say(arg, "fail");
}

static void drop(void *arg, void *frame)
{
    struct rig *rig = arg;
    rig->frames--;
    say(rig, "drop");
    free(frame);
}

static uint32_t new_iov(void *arg, const struct link *unused_link)
{
    (void)unused_link;
    return ++((struct rig *)arg)->iovs;
}

/* --- words of values --- */

static const struct {
    const char *key;
    unsigned type;
} keys[] = {{"iov", LLC_XID_IOV_I}, {"t200", LLC_XID_T200}, {"n200", LLC_XID_N200}, {"n201", LLC_XID_N201_I},
            {"md", LLC_XID_M_D},    {"mu", LLC_XID_M_U},    {"kd", LLC_XID_K_D},    {"ku", LLC_XID_K_U}};

static struct llc_xid read_xid(const char *text)
{
    struct llc_xid xid = {0};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const char *at = strstr(text, keys[i].key);
        if (!at)
            continue;
        xid.has |= (uint16_t)(1U << keys[i].type);
        xid.value[keys[i].type] = (uint32_t)strtoul(at + strlen(keys[i].key) + 1, NULL, 10);
    }
    return xid;
}

static void say_xid(struct rig *rig, const char *word, const uint8_t *bytes, size_t octets)
{
    char text[200] = "";
    struct llc_xid xid;
    assert_int_equal(llc_xid_decode(&xid, bytes, octets), octets);
    for (size_t i = 0; i < COUNT(keys); i++)
        if (xid.has >> keys[i].type & 1)
            sprintf(text + strlen(text), " %s=%u", keys[i].key, xid.value[keys[i].type]);
    say(rig, "%s%s", word, rig->shows ? text : "");
}

static struct link_values values_of(const struct llc_xid *xid)
{
    return (struct link_values){.n201_i_octets = (uint16_t)xid->value[LLC_XID_N201_I],
                                .m_down = (uint16_t)xid->value[LLC_XID_M_D],
                                .m_up = (uint16_t)xid->value[LLC_XID_M_U],
                                .t200_ds = (uint16_t)xid->value[LLC_XID_T200],
                                .k_down = (uint8_t)xid->value[LLC_XID_K_D],
                                .k_up = (uint8_t)xid->value[LLC_XID_K_U],
                                .n200 = (uint8_t)xid->value[LLC_XID_N200]};
}

/* --- frames out --- */

static const char *const u_words[16] = {
    [LLC_SABM] = "SABM", [LLC_UA] = "UA", [LLC_DISC] = "DISC", [LLC_DM] = "DM", [LLC_FRMR] = "FRMR"};

static void say_frmr(struct rig *rig, const uint8_t *info)
{
    struct llc_frmr frmr;
    char control[2 * LLC_FRMR_CONTROL_OCTETS + 1];
    assert_int_equal(llc_frmr_decode(&frmr, info, LLC_FRMR_OCTETS), LLC_FRMR_OCTETS);
    for (size_t i = 0; i < LLC_FRMR_CONTROL_OCTETS; i++)
        sprintf(control + 2 * i, "%02x", frmr.control[i]);
    say(rig, "FRMR%u%s:%u,%u,%s", frmr.why, frmr.cr ? "r" : "", frmr.vs, frmr.vr, control);
}

static void say_u(struct rig *rig, const struct link_frame *frame)
{
    struct llc header;
    uint8_t bytes[sizeof frame->header + LLC_FCS_OCTETS] = {0};
    memcpy(bytes, frame->header, frame->header_octets);
    assert_int_equal(llc_decode(&header, bytes, frame->header_octets + (size_t)LLC_FCS_OCTETS), LLC_U_OCTETS);
    bool is_asking = header.command == LLC_SABM || header.command == LLC_DISC;
    assert_int_equal(header.cr, is_asking == rig->kind.is_network);
    assert_int_equal(header.sapi, rig->link.sapi);
    const uint8_t *info = bytes + LLC_U_OCTETS;
    if (header.command == LLC_FRMR) {
        assert_false(header.pf);
        say_frmr(rig, info);
    } else if (header.command == LLC_SABM || header.info_octets > 0) {
        say_xid(rig, u_words[header.command], info, header.info_octets);
    } else if (header.command == LLC_UA) {
        say(rig, "UA-"); /* without parameters */
    } else {
        say(rig, "%s%s", u_words[header.command], header.pf ? "" : "0");
    }
}

static void say_frame(struct rig *rig, const struct link_frame *frame)
{
    static const char *const words[] = {"RR", "ACK", "RNR", "SACK"};
    struct llc_abm header;
    struct sn_data sn;
    uint8_t bytes[sizeof frame->header + LLC_FCS_OCTETS] = {0};
    memcpy(bytes, frame->header, frame->header_octets);
    int octets = llc_abm_decode(&header, bytes, frame->header_octets + (size_t)LLC_FCS_OCTETS);
    if (octets < 0) {
        say_u(rig, frame);
        return;
    }
    assert_int_equal(frame->is_i, header.is_i);
    assert_int_equal(frame->is_ack, !header.is_i);
    if (!header.is_i) {
        say(rig, "%s%s%u%s", header.cr == rig->kind.is_network ? "C:" : "", words[header.supervisory],
            header.nr, header.a ? "!" : "");
        return;
    }
    assert_int_equal(frame->clear_octets, octets);
    assert_int_equal(octets + sn_data_decode(&sn, frame->header + octets, sizeof frame->header),
                     frame->header_octets);
    assert_int_equal(sn.first, frame->offset == 0);
    assert_int_equal(sn.more, frame->offset + frame->payload_octets < frame->n_pdu->octets);
    char number[8] = "";
    if (sn.first)
        snprintf(number, sizeof number, "#%u", sn.number);
    say(rig, "%sI%u:%u%s%s%s", frame->is_repeat ? "R" : "", header.ns, sn.nsapi, number, sn.more ? ">" : "",
        header.a ? "!" : "");
    assert_int_equal(frame->count % LLC_NU_MODULUS, header.ns);
}

static void go(struct rig *rig)
{
    struct link_frame frame;
    unsigned bound, left = MOST_OUT;
    while ((bound = link_next_octets(&rig->link)) > 0 && left-- > 0) {
        if (!link_next(&rig->link, rig->now, &frame))
            continue;
        assert_true((unsigned)frame.header_octets + frame.payload_octets + LLC_FCS_OCTETS <= bound);
        say_frame(rig, &frame);
    }
    assert_true(left > 0);
    assert_false(link_next(&rig->link, rig->now, &frame));
}

/* --- N-PDUs --- */

static struct n_pdu *make(struct rig *rig, unsigned octets)
{
    assert_true(rig->made < N_PDUS);
    rig->refs[rig->made] = 1;
    rig->n_pdus[rig->made] = (struct n_pdu){.octets = (uint16_t)octets};
    return &rig->n_pdus[rig->made++];
}

static void send_more(struct rig *rig, unsigned nsapi)
{
    struct n_pdu *n_pdu = rig->mine;
    while (n_pdu->sent_octets < n_pdu->octets) {
        unsigned sn = n_pdu->sent_octets ? SN_DATA_LATER_OCTETS : SN_DATA_FIRST_OCTETS;
        unsigned room = rig->link.values.n201_i_octets - sn, left = n_pdu->octets - n_pdu->sent_octets;
        struct link_segment segment = {.n_pdu = n_pdu, .offset = n_pdu->sent_octets, .nsapi = (uint8_t)nsapi};
        segment.payload_octets = (uint16_t)(left < room ? left : room);
        segment.is_last = left <= room;
        if (!link_can_send(&rig->link, 1, segment.payload_octets + sn)) {
            say(rig, "-");
            return;
        }
        struct link_frame frame;
        link_send(&rig->link, &segment, rig->now, &frame);
        n_pdu->sent_octets += segment.payload_octets;
        say_frame(rig, &frame);
    }
    let_go(rig, n_pdu);
    rig->mine = NULL;
}

static void put(struct rig *rig, unsigned nsapi, unsigned octets)
{
    link_put(&rig->link, make(rig, octets), (uint8_t)nsapi);
}

static void put_back(struct rig *rig)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&rig->back)))
        link_put(&rig->link, n_pdu, (uint8_t)(n_pdu->number >> 8));
}

/* --- frames in --- */

static void arrive_u(struct rig *rig, const char *text)
{
    uint8_t bytes[64];
    struct llc header = {.format = LLC_U, .sapi = 3, .pf = true};
    char word[8] = "";
    sscanf(text, "%7s", word);
    for (unsigned i = 0; i < COUNT(u_words); i++)
        if (u_words[i] && strncmp(word, u_words[i], strlen(u_words[i])) == 0)
            header.command = (uint8_t)i;
    bool is_asking = header.command == LLC_SABM || header.command == LLC_DISC;
    header.pf = !strchr(word, '0') && header.command != LLC_FRMR;
    header.cr = (is_asking != !!strchr(word, '-')) != rig->kind.is_network;
    struct llc_xid xid = read_xid(text + strlen(word));
    if (strstr(text, "bad")) {
        memcpy(bytes, "\x1a", 1); /* an item that ends behind the field */
        header.info_octets = 1;
    } else if (xid.has) {
        header.info_octets = (uint32_t)llc_xid_encode(bytes, sizeof bytes, &xid);
    }
    link_receive_u(&rig->link, &header, bytes, rig->now);
}

static void deliver(struct rig *rig)
{
    struct sn_data *sn;
    while ((sn = link_deliver_take(&rig->link))) {
        say(rig, "d%u#%u=%d", sn->nsapi, sn->number, link_segment_take(&rig->link, sn));
        rig->frames--;
        free(sn);
    }
}

static void arrive(struct rig *rig, const struct llc_abm *header, const struct sn_data *sn, uint32_t octets)
{
    struct sn_data *frame = malloc(sizeof *frame);
    assert_non_null(frame);
    *frame = *sn;
    rig->frames++;
    struct abm_taken taken = link_receive(&rig->link, header, frame, octets, rig->now);
    if (!taken.is_kept) {
        rig->frames--;
        free(frame);
    }
    deliver(rig);
}

static void arrive_i(struct rig *rig, const char *text)
{
    unsigned ns, nr, nsapi, number;
    char f, m;
    assert_int_equal(sscanf(text, "%u %u %u %u %c%c", &ns, &nr, &nsapi, &number, &f, &m), 6);
    const struct llc_abm header = {
        .is_i = true, .ns = (uint16_t)ns, .nr = (uint16_t)nr, .sapi = 3, .cr = !rig->kind.is_network};
    const struct sn_data sn = {
        .nsapi = (uint8_t)nsapi, .number = (uint8_t)number, .first = f == '1', .more = m == '1'};
    arrive(rig, &header, &sn, 10);
}

static void arrive_other(struct rig *rig, char what, const char *text)
{
    struct llc_abm header = {.is_i = what == 'b', .sapi = 3, .cr = !rig->kind.is_network};
    unsigned number = (unsigned)strtoul(text, NULL, 10);
    if (what != 'b')
        header.nr = (uint16_t)number;
    header.supervisory = what == 'n' ? LLC_RNR : LLC_RR;
    arrive(rig, &header, &(struct sn_data){.nsapi = 5, .first = true}, what == 'b' ? number : 0);
}

static void arrive_malformed(struct rig *rig, const char *text)
{
    uint8_t bytes[16];
    size_t octets = 0;
    unsigned why, octet;
    int at;
    assert_int_equal(sscanf(text, "%u%n", &why, &at), 1);
    for (text += at; sscanf(text, "%2x%n", &octet, &at) == 1; text += at)
        bytes[octets++] = (uint8_t)octet;
    link_refuse(&rig->link, bytes, octets, (uint8_t)why, rig->now);
}

/* --- steps --- */

static void run_out(struct rig *rig)
{
    if (rig->link.due_ns == MOMENT_NEVER) {
        say(rig, "never");
        return;
    }
    link_expire(&rig->link, rig->link.due_ns - 1);
    rig->now = rig->link.due_ns;
    link_expire(&rig->link, rig->now);
}

static void step_send(struct rig *rig, const char *what)
{
    unsigned nsapi = 5, octets = 0;
    sscanf(strchr(what, ' ') ? strchr(what, ' ') : "", "%u %u", &nsapi, &octets);
    if (*what == 'p')
        put(rig, nsapi, octets);
    else if (*what == 's')
        rig->mine = make(rig, octets);
    if (*what == 'm' && !rig->link.midway) /* its first segments went before acknowledged mode began again */
        rig->mine->sent_octets = 0;
    if (*what != 'p')
        send_more(rig, nsapi);
}

static void step_frame(struct rig *rig, const char *what)
{
    if (*what == 'u')
        arrive_u(rig, what + 2);
    else if (*what == 'i')
        arrive_i(rig, what + 2);
    else if (*what == 'w')
        arrive_malformed(rig, what + 2);
    else
        arrive_other(rig, *what, what + 2);
}

static void step_change(struct rig *rig, const char *what)
{
    struct llc_xid xid = read_xid(what);
    struct link_values values = values_of(&xid);
    if (strcmp(what, "establish") == 0)
        link_establish(&rig->link, rig->now);
    else if (strcmp(what, "release") == 0)
        link_release(&rig->link, rig->now);
    else if (strcmp(what, "pause") == 0)
        link_pause(&rig->link, rig->now);
    else if (strcmp(what, "lost") == 0 || strcmp(what, "ask") == 0)
        link_lost(&rig->link, *what == 'l');
    else if (strncmp(what, "forget", 6) == 0)
        link_forget(&rig->link, (unsigned)strtoul(what + 6, NULL, 10));
    else if (strcmp(what, "empty") == 0)
        link_empty(&rig->link, &rig->back);
    else if (strcmp(what, "back") == 0)
        put_back(rig);
    else if (strncmp(what, "bound", 5) == 0)
        link_bound(&rig->link, &values);
    else if (strncmp(what, "kind", 4) == 0)
        rig->kind.values = values;
    else
        fail_msg("no step: %s", what);
}

void rig_step(struct rig *rig, const char *what)
{
    static const char *const states[] = {"adm", "setup", "abm", "release"};
    static const char *const sending[] = {"put ", "send", "more"};
    bool is_sending = false;
    for (size_t i = 0; i < COUNT(sending); i++)
        is_sending |= strncmp(what, sending[i], 4) == 0;
    rig->now++;
    if (is_sending)
        step_send(rig, what);
    else if (strcmp(what, "go") == 0)
        go(rig);
    else if (strcmp(what, "t") == 0)
        run_out(rig);
    else if (what[1] == ' ')
        step_frame(rig, what);
    else
        step_change(rig, what);
    if (rig->link.state != rig->state)
        say(rig, "%s%s", states[rig->link.state], rig->link.is_done ? " done" : "");
    rig->state = rig->link.state;
}

void rig_end(struct rig *rig, const char *name)
{
    struct n_pdu *n_pdu;
    link_empty(&rig->link, &rig->back);
    if (rig->mine)
        let_go(rig, rig->mine);
    while ((n_pdu = n_pdu_list_take(&rig->back)))
        let_go(rig, n_pdu);
    for (unsigned i = 0; i < rig->made; i++)
        if (rig->refs[i] != 0)
            fail_msg("%s: N-PDU %u has %d references", name, i, rig->refs[i]);
    if (rig->frames != 0)
        fail_msg("%s: the link has %d frames", name, rig->frames);
    assert_null(rig->link.queue.head);
}

static const struct link_values usual = {
    .n201_i_octets = 500, .m_down = 1520, .m_up = 1520, .t200_ds = 50, .k_down = 4, .k_up = 4, .n200 = 3};

void rig_begin(struct rig *rig, const struct row *row)
{
    memset(rig, 0, sizeof *rig);
    rig->shows = row->shows;
    rig->kind = (struct link_kind){.values = row->values.n200 ? row->values : usual,
                                   .is_network = !row->is_mobile,
                                   .hold = hold,
                                   .let_go = let_go,
                                   .abandon = abandon,
                                   .opened = opened,
                                   .failed = failed,
                                   .drop = drop,
                                   .new_iov = row->is_mobile ? NULL : new_iov,
                                   .arg = rig};
    link_init(&rig->link, &rig->kind, 3, rig->sent, rig->stored);
    assert_true(link_send_slots(&rig->kind) <= SLOTS && link_receive_slots(&rig->kind) <= SLOTS);
}

void rig_walk(const struct row *table, size_t count)
{
    static struct rig rig;
    for (size_t i = 0; i < count; i++) {
        rig_begin(&rig, &table[i]);
        for (size_t j = 0; j < STEPS && table[i].steps[j].what; j++) {
            rig.said[0] = 0;
            rig_step(&rig, table[i].steps[j].what);
            if (getenv("LINK_TEST_SAYS"))
                printf("%s: %s: \"%s\"\n", table[i].name, table[i].steps[j].what, rig.said);
            else if (strcmp(rig.said, table[i].steps[j].says) != 0)
                fail_msg("%s: step %zu, %s: \"%s\", not \"%s\"", table[i].name, j, table[i].steps[j].what,
                         rig.said, table[i].steps[j].says);
        }
        rig_end(&rig, table[i].name);
    }
}
