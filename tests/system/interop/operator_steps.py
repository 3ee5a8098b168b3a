# SPDX-License-Identifier: BSD-3-Clause
"""The steps of an operator's walk (test_operator.py)."""
from dataclasses import dataclass

NAMES = "001010000000001", "001010000000002", "001010000000003"
ONE, TWO, THREE = NAMES
OTHER_GGSN = "192.0.2.3"
GB, GN, LO = "gb1", "gn1", "lo"


@dataclass
class Step:
    """Its action: change of the configuration's text, deed of the peers (a method of the test, and its arguments), command of gbflow. One
    that only reads has its answer, a pattern, by the deed alone; another one answers so at its end.

    Its effects are not there before its action: wire, (interface, display filter) ...; log, of a line that the node writes, into its log or
    its charging records; then, (command that reads, pattern of its answer). Never may there be: never, as wire; quiet, as log. probe: as
    deed, after the command, to show the effect. back: phones' contexts at its end. {tlli1}, {address1} and so on are values that the phone
    has."""
    vty: str
    command: str
    answer: str
    deed: tuple = ()
    wire: tuple = ()
    never: tuple = ()
    log: str = ""
    quiet: str = ""
    then: tuple = ()
    probe: tuple = ()
    change: tuple = ()
    back: tuple = NAMES

    def only_reads(self):
        return self.command.startswith("show ") or self.command == "log" or "--dry-run" in self.command or "--follow" in self.command

    def readings(self):
        """(command, pattern of its answer) ..."""
        return [(self.command, self.answer)] * self.only_reads() + [self.then] * bool(self.then)

    def row(self, number):
        """Of the table in docs/from-osmo-sgsn.md."""
        seen = [f"{name}: `{text}`" for name, text in self.wire] + [f"never {name}: `{text}`" for name, text in self.never]
        if self.log or self.quiet:
            seen.append("the log" if not self.log.startswith('"') else "the charging records")
        seen += [f"`gbflow {self.then[0]}`"] if self.then else ["the answer"] if self.only_reads() else []
        cells = str(number), self.vty, f"`gbflow {self.command}`", "; ".join(seen)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def gmm(kind, more=""):
    return GB, f"gsm_a.dtap.msg_gmm_type == {kind:#04x}{more}"


def ns(kind):
    """Of the node."""
    return GB, f"nsip.pdu_type == {kind:#04x} and ip.src == 198.51.100.1"


def of_nsapi(nsapi):
    """Delete PDP Context Request."""
    return GN, f"gtp.message == 20 and gtp.nsapi == {nsapi}"


# After ciphering begins tshark reads no message of a phone.
PAGING, DETACH = (GB, "bssgp.pdu_type == 0x06"), gmm(0x05)
CREATE, DELETE = (GN, "gtp.message == 16"), (GN, "gtp.message == 20")
PURGE = LO, "gsup.msg_type == 0x0c"
READY = '"list"', '"list", ready_timer = "1 s"'
BY_HLR, BY_NOBODY, BY_LIST, BY_LONGER = ('policy = "hlr"', 'policy = "accept_all"', f'policy = "list", imsis = {{ "{ONE}" }}',
                                         f'policy = "list", imsis = {{ "{ONE}", "{TWO}" }}')
STEPS = (
    Step("show mm-context imsi IMSI pdp", f"show subscriber {ONE}", "(?s)tlli: +{tlli1}\n.*state: +registered\n.*ipv4: +{address1}\n", ("update", 0)),
    Step("of osmo-hlr: subscriber imsi IMSI update msisdn MSISDN", f"show subscriber {ONE}", "msisdn: +491709999\n",
         ("hlr_says", f"subscriber imsi {ONE} update msisdn 491709999"), ((LO, "gsup.msg_type == 0x12"),)),
    Step("show subscriber cache", "show subscribers", f"{TWO} +{{tlli2}} .*registered .*5:{{address2}}", ("update", 1)),
    Step("show pdp-context all", "show pdp", f"{TWO} +6 +{{more2}} ", ("activate", 1), (CREATE,), back=NAMES + (TWO,)),
    Step("show ns", "show nse", "101 +1800 .* blocked", ("pcu_says", "nsvc 1800 block"), back=NAMES + (TWO,)),
    Step("show bssgp", "show bvc", "1234 .* unblocked +yes", ("pcu_says", "nsvc 1800 unblock"), back=NAMES + (TWO,)),
    Step("show sgsn", "show node --columns mobiles,contexts,uplink_npdus", "(?m)^ +3 +4 +{pings}$", ("ping", 0), back=NAMES + (TWO,)),
    Step("show running-config", "show config", "phones.timers.t3312 +1800 s", ("operate", "reload"), change=('policy = "hlr"', 'policy = "hlr", timers = { t3312 = "30 min" }'),
         back=NAMES + (TWO,)),
    Step("show ns binds", "show ports --columns side,link,link_downs", "(?m)^gn +up +1$", ("cut_gn",), back=NAMES + (TWO,)),
    Step("show llc", "show ms --columns imsi,sent", f"(?m)^{THREE} +1$", ("ping", 2), back=NAMES + (TWO,)),
    Step("show bssgp stats", "show bvc --columns bvci,rate_bps", "(?m)^1234 +72000$", ("pcu_limits", "flow-control force-bvc-leak-rate 9000"), back=NAMES + (TWO,)),
    Step("show stats", "show phone_counts", "(?m)^rx_rau_request +{updates}$", ("update", 2), back=NAMES + (TWO,)),
    Step("show stats level peer", "show paths --columns ggsn_address,contexts", r"192\.0\.2\.2 +3", ("deactivate", 1), (DELETE,)),
    Step("show cpu-sched threads", "show workers --columns worker,uplink_npdus", "(?m)^ +0 +{pings}$", ("ping", 1)),
    Step("show talloc-context all full", "show control --columns records", "(?m)^ +20$", ("activate", 1), back=NAMES + (TWO,)),
    Step("show startup-config", "show config --file", "-- of the walk", change=("return {", "return { -- of the walk\n"), back=NAMES + (TWO,)),
    Step("logging level CATEGORY debug", "log gmm=debug", "gmm +debug", log=f"gmm: debug: {ONE} .*received rau_request", probe=("update", 0), back=NAMES + (TWO,)),
    Step("show logging vty", "log", "llc +debug +info", ("operate", "log llc=debug"), back=NAMES + (TWO,)),
    Step("logging level CATEGORY info", "log gmm=info", "gmm +info", quiet="gmm: debug", probe=("update", 0), back=NAMES + (TWO,)),
    Step("logging level force-all error", "log error", "ns +error", then=("log", "sm +error"), quiet="sm: info", probe=("come_and_go", 2), back=NAMES + (TWO,)),
    Step("no logging level force-all", "log info", "ns +info", log=f"sm: info: {THREE}/7: active", probe=("come_and_go", 2), back=NAMES + (TWO,)),
    Step("page imsi IMSI", f"page {ONE}", "done: the mobile is in READY", ("update", 0), never=(PAGING,), log=f"page imsi={ONE}: done", back=NAMES + (TWO,)),
    Step("show subscriber by address", "show subscriber {address1}", f"(?s)imsi: +{ONE}.*tlli: +{{tlli1}}", ("update", 0), back=NAMES + (TWO,)),
    Step("show subscriber by TLLI", "show subscriber {tlli2}", f"(?s)imsi: +{TWO}.*tlli: +{{tlli2}}", ("update", 1), back=NAMES + (TWO,)),
    Step("timer T3314 1", "reload", "mobiles.ready_timer", change=READY, wire=(PAGING,), probe=("page_in_standby", ONE), back=NAMES + (TWO,)),
    Step("page imsi IMSI, of one that is not READY", f"page {ONE}", "done: the mobile has answered", ("idle",),
         ((GB, f'{PAGING[1]} and e212.imsi == "{ONE}"'),), back=NAMES + (TWO,)),
    Step("nsvc <0-65535> block", "nsvc 1800 block", "done: the BSS has answered", wire=(ns(4),), back=NAMES + (TWO,)),
    Step("nsvc <0-65535> unblock", "nsvc 1800 unblock", "done", wire=(ns(6),), never=(ns(2),), back=NAMES + (TWO,)),
    Step("nsvc <0-65535> reset", "nsvc 1800 reset", "done: the BSS has answered", wire=(ns(2), ns(6)), back=NAMES + (TWO,)),
    Step("bssgp bvc nsei <0-65535> bvci <0-65535> reset", "bvc 1234 reset", "done: the BSS has reset",
         wire=((GB, "bssgp.pdu_type == 0x22 and bssgp.bvci == 1234 and ip.src == 198.51.100.1"),), back=NAMES + (TWO,)),
    Step("update-subscriber imsi IMSI cancel update-procedure", f"detach {ONE} --reattach", "done: .* DETACH ACCEPT",
         wire=(gmm(5, " and gsm_a.gm.gmm.type_of_detach == 1"), gmm(1), PURGE, DELETE), back=NAMES + (TWO,)),
    Step("no command: one context of two ends", f"deactivate {TWO} 6", "done: NSAPI 6", wire=((GB, "gsm_a.dtap.msg_sm_type == 0x46"), of_nsapi(6)),
         never=(of_nsapi(5),), then=("show pdp --columns imsi,nsapi", rf"\A(?s:(?!.*{TWO} +6).*{TWO} +5)")),
    Step("update-subscriber imsi IMSI cancel subscription-withdraw", f"detach {TWO}", "done: .* DETACH ACCEPT",
         wire=(gmm(5, " and gsm_a.gm.gmm.type_of_detach == 2"), PURGE, DELETE), back=(ONE, THREE)),
    Step("update-subscriber imsi IMSI destroy", f"forget {THREE}", "done: the phone is forgotten", wire=(DELETE, PURGE), never=(DETACH,), back=(ONE,)),
    Step("auth-policy accept-all", "reload", "phones.policy", change=(BY_HLR, BY_NOBODY), then=("show config", 'phones.policy +"accept_all"'), back=(ONE,)),
    Step("an attach without a challenge", "show subscribers", f"{THREE} .*registered", ("online", 2), (gmm(2),), (gmm(0x12),), back=(ONE, THREE)),
    Step("auth-policy closed", "reload", "phones.policy", change=(BY_NOBODY, BY_LIST), then=("show config", 'phones.policy +"list"'), back=(ONE, THREE)),
    Step("an attach that is refused", "show phone_counts", "(?m)^attach_reject_11 +1$", ("online", 1), (gmm(4),), back=(ONE, THREE)),
    Step("imsi-acl add IMSI", "reload", "phones.imsis", change=(BY_LIST, BY_LONGER), then=("show config", f'phones.imsis .*"{TWO}"'), back=(ONE, THREE)),
    Step("an attach by the list", "show subscribers", f"{TWO} .*registered", ("online", 1), (gmm(2),), (gmm(0x12),)),
    Step("auth-policy remote", "reload", "phones.policy", change=(BY_LONGER, BY_HLR), then=("show config", 'phones.policy +"hlr"')),
    Step("an attach with a challenge", f"show subscriber {THREE}", "vectors_left: +[1-9]", ("online", 2), (gmm(0x12),)),
    Step("apn APN ggsn <0-255>", "reload", "phones.apns", change=('name = "internet"', 'name = "other"'), then=("show config", r'apns\[1\]\.name +"other"')),
    Step("an APN that is gone", f"detach {TWO} --reattach", "done: .* DETACH ACCEPT", wire=((GB, "gsm_a.dtap.msg_sm_type == 0x43"),), back=(ONE, THREE)),
    Step("no apn APN", "reload --dry-run", "phones.apns", change=('name = "other"', 'name = "internet"'), back=(ONE, THREE)),
    Step("configure terminal", "reload", "phones.apns", then=("show config", r'apns\[1\]\.name +"internet"'), back=(ONE, THREE)),
    Step("encryption gea 3", "reload", "phones.ciphering", change=("{ 0 }", "{ 3, 0 }"), then=("show config", "phones.ciphering +{ 3, 0 }"), back=(ONE, THREE)),
    Step("an attach that is ciphered", f"detach {THREE} --reattach", "done: .* DETACH ACCEPT", wire=((GB, "gsm_a.gm.gmm.type_of_ciph_alg == 3"),), back=(ONE, THREE)),
    Step("show subscriber imsi IMSI", f"show subscriber {THREE}", "(?s)tlli: +{tlli3}\n.*ciphered: +yes\n +algorithm: +GEA/3", ("update", 2), back=(ONE, THREE)),
    Step("show timer", "show config --difference", "phones.timers.t3312", change=("30 min", "40 min"), back=(ONE, THREE)),
    Step("show rate-counters", "show phone_counts", "(?m)^rx_rau_request +{updates}$", ("update", 0), back=(ONE, THREE)),
    Step("logging filter imsi IMSI", f"log --follow --imsi {ONE}", rf"\A(?s:(?!.*{THREE}).*gmm: debug: {ONE} .*received rau_request)", ("update", 2, 0), back=(ONE, THREE)),
    Step("logging filter nsvc nsvci <0-65535>", "log --follow --nsvc 1800", "ns: debug: NSE 101 NSVCI 1800: ns_vc order_reset: ", ("operate", "nsvc 1800 reset"),
         (ns(2),), back=(ONE, THREE)),
    Step("cdr filename NAME", "show control --columns charging_written", "(?m)^ +{records}$", ("online", 0),
         log=f'"record":"context_end","imsi":"{ONE}".*"pdp_address":"{{former1}}"', back=(ONE, THREE)),
    Step("cdr interval <1-2147483647>", "show control --columns charging_written,charging_lost", "(?m)^ +{records} +0$", ("interval", 0),
         log=f'"record":"context_interim","imsi":"{ONE}".*"uplink_octets":84,"uplink_npdus":1,', back=(ONE, THREE)),
    Step("restart of the control plane", "restart-control", "control has restarted", then=("show control --columns restarts_order", "(?m)^ +1$"), back=(ONE, THREE)),
    Step("page imsi IMSI after it", f"page {ONE}", "done: the mobile has answered", ("idle",), (PAGING,), back=(ONE, THREE)),
    Step("update-subscriber imsi IMSI destroy, the last", f"forget {THREE}", "done: the phone is forgotten", wire=(DELETE, PURGE), never=(DETACH,), back=(ONE,)),
    Step("logging disable", "show acts", f"detach imsi={ONE} +dry run", ("operate", f"detach {ONE} --dry-run"), back=(ONE,)),
    Step("ggsn <0-255> remote-ip A.B.C.D", "reload", "phones.apns", ("ggsn_moves",), change=('ggsn_address = "192.0.2.2"', f'ggsn_address = "{OTHER_GGSN}"'),
         wire=(DELETE,), then=("show config", f'ggsn_address +"{OTHER_GGSN}"'), back=()),
    Step("an attach, and the other GGSN", f"detach {ONE} --reattach", "done: .* DETACH ACCEPT", wire=((GN, f"gtp.message == 16 and ip.dst == {OTHER_GGSN}"),),
         then=("show paths --columns ggsn_address,contexts", f"{OTHER_GGSN} +1"), back=(ONE,)),
    Step("of osmo-ggsn: a restart", "show subscribers", rf"(?m)^{ONE} .*registered +\d +- *$", ("ggsn_restarts",), (DELETE,), back=()),
    Step("of osmo-hlr: subscriber imsi IMSI update network-access-mode cs", "show subscribers", rf"\A(?!(?s:.*{ONE}))",
         ("hlr_says", f"subscriber imsi {ONE} update network-access-mode cs"), ((LO, "gsup.msg_type == 0x16"),), back=()),
)
