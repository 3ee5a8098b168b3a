# SPDX-License-Identifier: BSD-3-Clause
"""The nine questions of the gallery: what their runs must show, the sentences of the answer, the plot,
and what to change next."""

import math
from statistics import mean, median

import gallery_plots as plots
from gallery_data import MEDIAN, Claim, Data, Question, Values, each, ratio, said
from matplotlib.figure import Figure

from gbflow_report import draw

NEVER = math.inf


def percent(values: Values) -> Values:
    return [100 * value for value in values]


def kbps(values: Values) -> Values:
    return [value / 1000 for value in values]


def thousandths(curve: list[tuple[float, Values]]) -> list[tuple[float, Values]]:
    return [(x, kbps(values)) for x, values in curve]


# --- own-ping ---

PING = "ping.{}.rtt_s.p50"
QUEUES = ("one queue", "flow queues", "flow queues + short BSS queue")


def own_ping_claims(data: Data) -> list[Claim]:
    alone = data.values_of(PING.format("alone"), QUEUES[0])
    return [Claim("ping beside the own download by ping alone",
                  ratio(data.values_of(PING.format("own"), QUEUES[0]), alone), 10, NEVER),
            Claim("ping beside another's download by ping alone",
                  ratio(data.values_of(PING.format("beside"), QUEUES[0]), alone), 1.1, 2),
            Claim("the same with flow queues and a short BSS queue, median of the seeds",
                  [median(ratio(data.values_of(PING.format("own"), QUEUES[2]), alone))], 1, 2)]


def own_ping_answer(data: Data) -> list[str]:
    def ping(name: str, queues: str) -> str:
        return said(data.values_of(PING.format(name), queues), 2, "s", MEDIAN)
    cured = data.values_of(PING.format("own"), QUEUES[2])
    shared = sum(one > 2 * alone for one, alone in zip(cured, data.values_of(PING.format("alone"), QUEUES[2]),
                                                       strict=True))
    return [f"A ping takes {ping('own', QUEUES[0])} behind the same phone's download, and {ping('alone', QUEUES[0])} "
            "without one: both share a queue that TCP fills up to its window.", "Beside another phone's download "
            f"it takes {ping('beside', QUEUES[0])}, because mobiles take turns.", "With flow queues and a short BSS "
            f"queue it takes {ping('own', QUEUES[2])}: a hash chooses one of 32 flow queues: "
            f"with {shared} of {len(cured)} seeds ping and download share one, and the ping waits as before."]


def own_ping_plot(data: Data) -> Figure:
    figure, (axes,) = plots.canvas()
    groups = {"pings alone": "alone", "another phone loads": "beside", "the same phone loads": "own"}
    plots.bars(axes, [words.replace(" + ", "\n+ ") for words in QUEUES],
               {words: [data.values_of(PING.format(name), queues) for queues in QUEUES]
                for words, name in groups.items()},
               1, MEDIAN)
    draw.finish(axes, "", "median round trip of pings, s")
    return figure


# --- red-light-user ---

BUFFERS = ("one buffer", "RED", "CoDel", "turns of mobiles")
LISTENER = "mobiles.listener."


def dropped(data: Data, queues: str) -> Values:
    return percent(ratio(data.values_of(LISTENER + "drops.aqm", queues), data.values_of(LISTENER + "npdu_in", queues)))


def red_claims(data: Data) -> list[Claim]:
    late = {queues: data.values_of(LISTENER + "delay_s.p95", queues) for queues in BUFFERS}
    return [Claim("packets of the listener that RED drops, %", dropped(data, "RED"), 3, 30),
            Claim("packets of the listener that CoDel drops, %", dropped(data, "CoDel"), 0.3, 3),
            Claim("packets of the listener dropped with turns of mobiles, %", dropped(data, BUFFERS[3]), 0, 0.1),
            Claim("delay of the listener in one buffer by that with RED", ratio(late[BUFFERS[0]], late["RED"]), 3,
                  NEVER),
            Claim("delay of the listener in one buffer by that with CoDel", ratio(late[BUFFERS[0]], late["CoDel"]), 3,
                  NEVER),
            Claim("delay of the listener with RED by that with turns of mobiles", ratio(late["RED"], late[BUFFERS[3]]),
                  3, NEVER)]


def red_answer(data: Data) -> list[str]:
    def late(queues: str) -> str:
        return said(data.values_of(LISTENER + "delay_s.p95", queues), 2, "s")
    return [f"RED drops {said(dropped(data, 'RED'), 1, '%')} of the packets of a listener who receives 6.4 kbit/s and "
            f"causes no queue; CoDel in the same buffer drops {said(dropped(data, 'CoDel'), 1, '%')}.", "In return "
            f"the 95th percentile of the listener's delay falls from {late('one buffer')} to {late('RED')} with RED "
            f"and {late('CoDel')} with CoDel.", f"Mobiles that take turns have {late('turns of mobiles')} and no such "
            "drop, for a listener's own queue is empty: the buffer in common is the fault that AQM is to repair."]


def red_plot(data: Data) -> Figure:
    figure, (above, below) = plots.canvas(2)
    plots.bars(above, BUFFERS, {"": [dropped(data, queues) for queues in BUFFERS]}, 1)
    above.set_ylabel("listener's packets\ndropped, %")
    plots.bars(below, BUFFERS, {"": [data.values_of(LISTENER + "delay_s.p95", queues) for queues in BUFFERS]}, 1)
    below.set_ylabel("listener's delay,\n95th percentile, s")
    return figure


# --- bss-queue ---

AIRS = ("rate as announced", "5 % of blocks broken", "5 % broken and bss_target")
WAIT, RATE = "ping.phone.rtt_s.p50", "mobiles.phone.goodput_bps"


def bss_claims(data: Data) -> list[Claim]:
    def wait(air: str, depth: str) -> Values:
        return data.values_of(WAIT, air, depth)
    return [Claim("seconds of ping for a second of depth",
                  each(lambda deep, short: (deep - short) / 7.5, wait(AIRS[0], "8 s"), wait(AIRS[0], "0.5 s")),
                  0.9, 1.1),
            Claim("goodput at 8 s by that at 0.5 s",
                  ratio(data.values_of(RATE, AIRS[0], "8 s"), data.values_of(RATE, AIRS[0], "0.5 s")), 0.99, 1.01),
            Claim("ping at 0.5 s where the announced rate is too high, s", wait(AIRS[1], "0.5 s"), 8, NEVER),
            Claim("the same with bss_target, s", wait(AIRS[2], "0.5 s"), 0, 1),
            Claim("goodput with bss_target at 0.3 s by that at 0.5 s",
                  ratio(data.values_of(RATE, AIRS[2], "0.3 s"), data.values_of(RATE, AIRS[2], "0.5 s")), 0, 0.95)]


def bss_answer(data: Data) -> list[str]:
    def rate(air: str, depth: str) -> str:
        return said(kbps(data.values_of(RATE, air, depth)), 1, "kbit/s")

    def wait(air: str, depth: str) -> str:
        return said(data.values_of(WAIT, air, depth), 2, "s")
    return [f"Half a second of the cell's rate is enough: the download has {rate(AIRS[0], '0.5 s')} "
            f"with 0.5 s and {rate(AIRS[0], '8 s')} with 8 s, but a ping takes {wait(AIRS[0], '0.5 s')} and "
            f"{wait(AIRS[0], '8 s')}.", "Where 5 % of the blocks break, the announced rate is too high, TCP's whole "
            f"window moves into the BSS, and a ping takes {wait(AIRS[1], '0.5 s')} at 0.5 s and {wait(AIRS[1], '8 s')} "
            "at 8 s.", "With bss_target, which corrects the rate by the waiting time that the BSS reports, a ping "
            f"takes {wait(AIRS[2], '0.5 s')}; a bucket of 0.3 s is then "
            f"too short, with {rate(AIRS[2], '0.3 s')} in place of {rate(AIRS[2], '0.5 s')}."]


def bss_plot(data: Data) -> Figure:
    figure, (above, below) = plots.canvas(2)
    plots.lines(above, {air: data.curve(WAIT, air) for air in AIRS})
    plots.lines(below, {air: thousandths(data.curve(RATE, air)) for air in AIRS})
    plots.ticks(below, [x for x, _ in data.curve(RATE, AIRS[0])])
    below.set_ylim(bottom=0)
    draw.finish(above, "", "median ping, s")
    below.set_xlabel("depth of the bucket in the BSS, s at the announced rate")
    below.set_ylabel("download, kbit/s")
    return figure


# --- preemption ---

SENDERS = ("Linux 2.4", "RFC 6298")
LAPTOP = "tcp.laptop#0."


def timeouts(data: Data, sender: str, hold: str) -> Values:
    return ratio(data.values_of(LAPTOP + "timeouts", sender, hold),
                 data.values_of("cells.2.calls.preemptions", sender, hold))


def preemption_claims(data: Data) -> list[Claim]:
    return [Claim("time-outs of Linux 2.4 for each pre-emption of 4 s", timeouts(data, SENDERS[0], "4 s"), 0.8, 2),
            Claim("those of 0.5 s by those of 4 s",
                  ratio(timeouts(data, SENDERS[0], "0.5 s"), timeouts(data, SENDERS[0], "4 s")), 0, 0.8),
            Claim("the same by RFC 6298", timeouts(data, SENDERS[1], "4 s"), 0, 0.1),
            Claim("by RFC 6298 for each pre-emption of 16 s", timeouts(data, SENDERS[1], "16 s"), 0, 0.1),
            Claim("LLC-PDUs that pre-emptions delete", data.values_of("cells.2.drops.preempted", SENDERS[0], "4 s"), 0,
                  0)]


def preemption_answer(data: Data) -> list[str]:
    def often(sender: str, hold: str) -> str:
        return said(timeouts(data, sender, hold), 2, "time-outs")

    def rate(sender: str) -> str:
        return said(kbps(data.values_of("mobiles.laptop.goodput_bps", sender, "4 s")), 2, "kbit/s")
    again = each(lambda octets, count: octets / 1000 / count,
                 data.values_of(LAPTOP + "repeated_octets", SENDERS[0], "4 s"),
                 data.values_of("cells.2.calls.preemptions", SENDERS[0], "4 s"))
    return [f"Linux 2.4 has {often(SENDERS[0], '4 s')} for each pre-emption of 4 s and {often(SENDERS[0], '0.5 s')} "
            "for one of 0.5 s, though no packet is lost: all are spurious.", "Its RTO stays "
            "as little as 200 ms above the smoothed round-trip time, however long that is; the timer of RFC 6298 "
            f"has {often(SENDERS[1], '4 s')} for 4 s and {often(SENDERS[1], '16 s')} for 16 s.", "The price is small: "
            f"{said(again, 1, 'kB')} are sent twice for each pre-emption, and the download has {rate(SENDERS[0])} in "
            f"place of {rate(SENDERS[1])}."]


def preemption_plot(data: Data) -> Figure:
    figure, (above, below) = plots.canvas(2)
    holds = data.labels["hold_s"]
    plots.lines(above, {sender: [(float(hold.split()[0]), timeouts(data, sender, hold)) for hold in holds]
                        for sender in SENDERS})
    plots.lines(below, {sender: thousandths(data.curve("mobiles.laptop.goodput_bps", sender)) for sender in SENDERS})
    plots.ticks(below, [float(hold.split()[0]) for hold in holds])
    for axes in (above, below):
        axes.set_ylim(bottom=0)
    draw.finish(above, "", "spurious time-outs\na pre-emption")
    below.set_xlabel("length of a pre-emption, s")
    below.set_ylabel("download, kbit/s")
    return figure


# --- window ---

ROUND_TRIP = "tcp.phone#0.rtt_s.avg"


def window_claims(data: Data) -> list[Claim]:
    return [Claim("goodput with 64 KiB by that with 6 KiB",
                  ratio(data.values_of(RATE, "64 KiB"), data.values_of(RATE, "6 KiB")), 0.99, 1.02),
            Claim("round trip with 64 KiB by that with 6 KiB",
                  ratio(data.values_of(ROUND_TRIP, "64 KiB"), data.values_of(ROUND_TRIP, "6 KiB")), 8, NEVER),
            Claim("goodput with 2 KiB by that with 6 KiB",
                  ratio(data.values_of(RATE, "2 KiB"), data.values_of(RATE, "6 KiB")), 0, 0.5)]


def window_answer(data: Data) -> list[str]:
    def rate(window: str) -> str:
        return said(kbps(data.values_of(RATE, window)), 1, "kbit/s")

    def trip(window: str) -> str:
        return said(data.values_of(ROUND_TRIP, window), 2, "s")
    return [f"A window beyond 6 KiB does not help: the download has {rate('6 KiB')} with 6 KiB and {rate('64 KiB')} "
            "with 64 KiB.", "All that is larger waits in a queue: the mean round-trip time rises from "
            f"{trip('6 KiB')} to {trip('64 KiB')}.", "A smaller window leaves the air idle while ACKs travel: 2 KiB, "
            f"one segment at a time, give {rate('2 KiB')}."]


def window_plot(data: Data) -> Figure:
    figure, (above, below) = plots.canvas(2)
    plots.lines(above, {"download": thousandths(data.curve(RATE))})
    plots.lines(below, {"round trip": data.curve(ROUND_TRIP)})
    plots.ticks(below, [x for x, _ in data.curve(RATE)])
    for axes in (above, below):
        axes.set_ylim(bottom=0)
    above.set_ylabel("download, kbit/s")
    below.set_ylabel("mean round trip, s")
    below.set_xlabel("receive window, KiB")
    return figure


# --- page-beside-download ---

BESIDE, ALONE = "classes.thp2.page_time_s.", "classes.thp3.page_time_s."


def page_claims(data: Data) -> list[Claim]:
    alone = data.values_of(ALONE + "p50", "one queue")
    return [Claim("page beside a download in one queue by page alone",
                  ratio(data.values_of(BESIDE + "p50", "one queue"), alone), 5, NEVER),
            Claim("the same with flow queues", ratio(data.values_of(BESIDE + "p50", "flow queues"), alone), 1, 2.5),
            Claim("goodput with flow queues by that without",
                  ratio(data.values_of(RATE, "flow queues"), data.values_of(RATE, "one queue")), 0.98, 1.02)]


def page_answer(data: Data) -> list[str]:
    def page(figure: str, queues: str) -> str:
        return said(data.values_of(figure + "p50", queues), 1, "s")
    slower = ratio(data.values_of(BESIDE + "p50", "flow queues"), data.values_of(ALONE + "p50", "flow queues"))
    return [f"A page takes {page(BESIDE, 'one queue')} beside the own download in one queue, and "
            f"{page(BESIDE, 'flow queues')} with a queue for each 5-tuple.", f"That is {said(slower, 2, 'times')} the "
            f"{page(ALONE, 'flow queues')} of a page alone, as page and download share the air.", "Nothing is lost by "
            f"it: the phone receives {said(kbps(data.values_of(RATE, 'flow queues')), 1, 'kbit/s')} in all, and "
            f"{said(kbps(data.values_of(RATE, 'one queue')), 1, 'kbit/s')} in one queue."]


def page_plot(data: Data) -> Figure:
    figure, (axes,) = plots.canvas()
    groups = {"no download": (ALONE, "one queue"), "download,\none queue": (BESIDE, "one queue"),
              "download,\nflow queues": (BESIDE, "flow queues")}
    plots.bars(axes, list(groups), {words: [data.values_of(figure + name, queues) for figure, queues in groups.values()]
                                    for words, name in (("median", "p50"), ("95th percentile", "p95"))}, 1)
    draw.finish(axes, "", "time of a page, s")
    return figure


# --- web-users ---

PAGE, AIR = "classes.background.page_time_s.", "cells.2.air_utilisation"


def crossing(curve: list[tuple[float, float]], level: float) -> float:
    """Where straight lines between the points first reach the level; infinite: nowhere."""
    for (x, value), (next_x, next_value) in zip(curve, curve[1:], strict=False):
        if value < level <= next_value:
            return x + (next_x - x) * (level - value) / (next_value - value)
    return NEVER


def twice(data: Data) -> Values:
    """Users with whom the median is twice that of one, for each seed."""
    curve = data.curve(PAGE + "p50")
    return [crossing([(users, values[seed]) for users, values in curve], 2 * one)
            for seed, one in enumerate(curve[0][1])]


def users_claims(data: Data) -> list[Claim]:
    return [Claim("users with whom pages take twice as long", twice(data), 3.5, 7.5),
            Claim("page with 12 users by that of one",
                  ratio(data.values_of(PAGE + "p50", "12"), data.values_of(PAGE + "p50", "1")), 4, NEVER)]


def users_answer(data: Data) -> list[str]:
    def page(name: str, users: str) -> str:
        return said(data.values_of(PAGE + name, users), 1, "s")
    return [f"The median page takes twice as long with {said(twice(data), 1, 'readers')} on four timeslots.",
            f"One reader waits {page('p50', '1')} for a page, six wait {page('p50', '6')} "
            f"and twelve {page('p50', '12')}.", "The air is not yet full at the doubling: five readers use "
            f"{said(percent(data.values_of(AIR, '5')), 0, '%')} of it, and twelve "
            f"{said(percent(data.values_of(AIR, '12')), 0, '%')}."]


def users_plot(data: Data) -> Figure:
    figure, (axes,) = plots.canvas()
    plots.lines(axes, {"median": data.curve(PAGE + "p50"), "95th percentile": data.curve(PAGE + "p95")})
    plots.level(axes, 2 * mean(data.values_of(PAGE + "p50", "1")), "twice the median of one reader")
    axes.set_ylim(bottom=0)
    axes.set_xticks([users for users, _ in data.curve(PAGE + "p50")])
    draw.finish(axes, "readers in the cell", "time of a page, s")
    return figure


# --- cell-change ---

GAPS_S = {"phone1": 0.5, "phone2": 2, "phone3": 5, "phone4": 10}
KEPT, DELETED = "queue kept", "queue deleted"
EVERY_S = 60


def cost(data: Data, change: str, phone: str) -> Values:
    """Seconds of the download's time that a change takes."""
    figure = f"mobiles.{phone}.goodput_bps"
    return [EVERY_S * (1 - share) for share in ratio(data.values_of(figure, change), data.values_of(figure, "none"))]


def resent(data: Data, change: str, phone: str) -> Values:
    return percent(data.values_of(f"tcp.{phone}#0.retransmitted_fraction", change))


def change_claims(data: Data) -> list[Claim]:
    more = each(lambda deleted, kept: deleted - kept, cost(data, DELETED, "phone2"), cost(data, KEPT, "phone2"))
    return [Claim("seconds that a change of 2 s takes with the queue kept", cost(data, KEPT, "phone2"), 1.5, 4),
            Claim("seconds that it takes beyond that with the queue deleted", more, 0.3, 5),
            Claim("seconds that a change of 10 s takes with the queue kept", cost(data, KEPT, "phone4"), 9, 15),
            Claim("seconds that a change of 10 s takes with the queue deleted", cost(data, DELETED, "phone4"), 9, 25),
            Claim("segments sent again with the queue deleted, %", resent(data, DELETED, "phone2"), 4, 15),
            Claim("segments sent again with the queue kept, %", resent(data, KEPT, "phone2"), 0, 0.5)]


def change_answer(data: Data) -> list[str]:
    def long(change: str, phone: str) -> str:
        return said(cost(data, change, phone), 1, "s")
    late = [count / 15 for count in data.values_of("tcp.phone4#0.timeouts", DELETED)]
    return [f"A cell change with a gap of 2 s costs a download {long(KEPT, 'phone2')} when the "
            f"BSS keeps its queue and {long(DELETED, 'phone2')} when it deletes it.", "The server repeats what the "
            f"BSS deletes, {said(resent(data, DELETED, 'phone2'), 1, '%')} of all segments with a change a minute, "
            f"and {said(resent(data, KEPT, 'phone2'), 1, '%')} where the BSS keeps its queue.", "A gap of 10 s costs "
            f"{long(KEPT, 'phone4')} and {long(DELETED, 'phone4')}: with the queue deleted it ends in "
            f"{said(late, 1, 'time-outs')} of TCP."]


def change_plot(data: Data) -> Figure:
    figure, (axes,) = plots.canvas()
    plots.lines(axes, {change: [(gap, cost(data, change, phone)) for phone, gap in GAPS_S.items()]
                       for change in (DELETED, KEPT)})
    axes.plot([0, 10], [0, 10], color="#333333", linewidth=1, linestyle=(0, (4, 3)), label="the gap itself")
    axes.set_xticks(list(GAPS_S.values()), [f"{gap:g}" for gap in GAPS_S.values()])
    axes.set_ylim(bottom=0)
    draw.finish(axes, "gap without a cell, s", "time lost a cell change, s")
    return figure


# --- compression ---

PAGES, OFFERS = ("text", "text and timestamps", "enciphered"), ("headers", "data", "both", "both in acknowledged LLC")


def read_in(data: Data, pages: str, offer: str) -> Values:
    """Seconds of a page of the phone that compresses."""
    return data.values_of("mobiles.phone.page_time_s.p50", pages, offer)


def plain(data: Data, pages: str) -> Values:
    """Of the phone that does not, whatever the other one offers."""
    return data.values_of("mobiles.plain.page_time_s.p50", pages, OFFERS[0])


def blocks_for(data: Data, name: str, bvci: int) -> Values:
    """Uplink blocks for each N-PDU that a phone receives, with headers of text."""
    return ratio(data.values_of(f"cells.{bvci}.blocks.up.used", PAGES[0], OFFERS[0]),
                 data.values_of(f"mobiles.{name}.npdu_out", PAGES[0], OFFERS[0]))


def compression_claims(data: Data) -> list[Claim]:
    def by_plain(pages: str, offer: str) -> Values:
        return ratio(read_in(data, pages, offer), plain(data, pages))
    return [Claim("page with headers compressed by page without", by_plain(PAGES[0], "headers"), 0.92, 0.99),
            Claim("the same with timestamps", by_plain(PAGES[1], "headers"), 0.95, 1.01),
            Claim("page of text with both by page without", by_plain(PAGES[0], "both"), 0.64, 0.77),
            Claim("the same in acknowledged LLC", by_plain(PAGES[0], OFFERS[3]), 0.5, 0.68),
            Claim("enciphered page with data compressed by page without", by_plain(PAGES[2], "data"), 0.97, 1.03),
            Claim("uplink blocks with headers compressed by those without",
                  ratio(blocks_for(data, "phone", 3), blocks_for(data, "plain", 2)), 0.8, 0.9)]


def compression_answer(data: Data) -> list[str]:
    def long(pages: str, offer: str) -> str:
        return said(read_in(data, pages, offer), 2, "s")
    return [f"A page of text takes {said(plain(data, PAGES[0]), 2, 's')} without compression, "
            f"{long(PAGES[0], 'both')} with headers and data compressed, and "
            f"{long(PAGES[0], OFFERS[3])} where LLC's acknowledged mode keeps the dictionary.",
            f"Headers alone give {long(PAGES[0], 'headers')}, and {long(PAGES[1], 'headers')} with TCP's timestamps, "
            "which no header by RFC 1144 carries; the "
            f"uplink needs {said(blocks_for(data, 'phone', 3), 2, 'blocks')} in place of "
            f"{said(blocks_for(data, 'plain', 2), 2, 'blocks')} for a packet received.", "Enciphered pages, as those "
            f"of today, gain by headers only: {long(PAGES[2], 'both')} with both, and {long(PAGES[2], 'data')} with "
            "data alone."]


def compression_plot(data: Data) -> Figure:
    figure, (axes,) = plots.canvas()
    plots.bars(axes, PAGES, {"nothing": [plain(data, pages) for pages in PAGES],
                             **{offer: [read_in(data, pages, offer) for pages in PAGES] for offer in OFFERS}}, 1)
    draw.finish(axes, "", "median time of a page, s")
    return figure


# --- all of them ---

QUESTIONS = [
    Question("own-ping", "Why does my ping wait behind my own download?", own_ping_claims, own_ping_answer,
             own_ping_plot, "Median round trip of pings with three kinds of queues.",
             [("tcp.receive_window=8 KiB", "a small window shortens the ping without any queue discipline, until "
               "a second download comes"), ("sgsn.queues.discipline=q", "gbflow's own discipline has flow "
                                            "queues, but no short BSS queue: how long does the ping wait there?"),
              ("cells[2].bler=0 %", "the announced rate is right: do flow queues need the short BSS queue then?")],
             MEDIAN),
    Question("red-light-user", "What does RED cost the user who asks for least?", red_claims, red_answer, red_plot,
             "Drops and delay of one who listens to speech beside eight downloads.",
             [('sgsn.queues.aqm={ scheme = "pie", scope = "class_of_bvc" }',
               "PIE in the same buffer drops by chance, too: how many?"),
              ('sgsn.queues={ discipline = "q" }', "gbflow's own discipline, with CoDel for each flow queue")]),
    Question("bss-queue", "How deep must the BSS queue be?", bss_claims, bss_answer, bss_plot,
             "Ping and download over the depth that the BSS announces.",
             [('cells[1].fading={ good = "4.5 s", bad = "500 ms", bler = "80 %" }',
               "a mobile that moves: is half a second still enough?"),
              ("sgsn.n201_u=500 octets", "three LLC-PDUs for a packet: does a bucket of 0.3 s suffice then?")]),
             Question("preemption", "What do pre-emptions by voice do to Linux 2.4?", preemption_claims,
                      preemption_answer, preemption_plot,
                      "Time-outs and rate of a download that calls interrupt once a minute.",
                      [("cells[1].calls.flush=0 s", "the BSS deletes its queue at once: which time-outs "
                        "are spurious now?"), ("tcp.receive_window=8 KiB", "a short round-trip time: "
                                               "from which length on has the timer of RFC 6298 a time-out, too?")]),
             Question("window", "Does a bigger window help TCP in GPRS?", window_claims, window_answer, window_plot,
                      "Rate and round-trip time of a download over its receive window.",
                      [("network.server_delay=300 ms",
                        "a server far away: the window that suffices grows with the round-trip time"),
                       ("cells[1].coding=MCS-9", "EDGE carries five times as much: which window suffices?")]),
             Question("page-beside-download", "What does fair queueing by 5-tuple "
                      "change for a web page beside a download?", page_claims, page_answer, page_plot, "Time of a "
                      "page with and without the same phone's "
                      "download.", [("sgsn.flow_control={}", "the BSS holds the queue: what is left of the gain of "
                                     "flow queues?"), ('sgsn.queues={ flow_queues = 32, flow_order = "sfq" }', "flow "
                                                       "queues by start tags: is the first object faster?")]),
             Question("web-users", "How many web users can share a cell before pages take twice as long?", users_claims,
                      users_answer, users_plot,
                      "Time of a page over the number of readers in a cell of four timeslots.",
                      [("cells[1].pdchs=8", "twice the timeslots: how many readers more than twice as many?"),
                       ("mobiles[1].traffic[1].web.reading=10 s", "readers who read faster")]),
    Question("cell-change", "What does a cell change cost?", change_claims, change_answer, change_plot,
             "Time of a download that a cell change takes, over the gap between the cells.",
             [("sgsn.flow_control.bss_target=250 ms", "a short BSS queue: "
               "deleting it costs less, keeping it more (the wait over the gap is reported, and the rate falls)"),
              ("tcp.receive_window=16 KiB", "less is in flight: what does a deleted queue cost?")]),
             Question("compression", "What would a phone gain if it compressed?", compression_claims,
                      compression_answer, compression_plot,
                      "Time of a page of a phone that compresses nothing, headers, data, or both.",
                      [("cells[2].block_octets_up=20", "blocks of CS-1 on the uplink: what do short ACKs save?"),
                       ("tcp.mss=536 octets", "headers are 7 % of each segment"),
                       ("sgsn.compression.mode=off", "the SGSN refuses: the phones are alike")]),
]
