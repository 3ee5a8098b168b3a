# SPDX-License-Identifier: BSD-3-Clause
"""Data transfer in worlds whose truth is known: losses and their side, channel rates, throughput, clusters."""
import unittest

import program
from packets import ACK, FIN, SYN, Capture, Tcp
from world import Flow, Link, World

# name, link, flows
WORLDS = [
    ("10 kbit/s", Link(rate_bps=10000), [Flow(1, 150000)]),
    ("34 kbit/s", Link(rate_bps=34000), [Flow(1, 400000)]),
    ("80 kbit/s, SACK", Link(rate_bps=80000), [Flow(1, 900000, has_sack=True)]),
    ("120 kbit/s, timestamps", Link(rate_bps=120000), [Flow(1, 900000, has_timestamp=True)]),
    ("240 kbit/s", Link(rate_bps=240000), [Flow(1, 2000000, window=30000)]),
    ("small segments", Link(rate_bps=34000), [Flow(1, 200000, mss=512)]),
    ("a wide window of small segments", Link(rate_bps=34000), [Flow(1, 300000, mss=512, window=60000)]),
    ("access loss 1 %", Link(access_loss=0.01), [Flow(1, 2000000)]),
    ("access loss 5 %, SACK", Link(access_loss=0.05), [Flow(1, 2000000, has_sack=True)]),
    ("Internet loss 1 %", Link(internet_loss=0.01), [Flow(1, 2000000)]),
    ("Internet loss 3 %, SACK", Link(internet_loss=0.03), [Flow(1, 2000000, has_sack=True)]),
    ("loss on both sides", Link(internet_loss=0.01, access_loss=0.02), [Flow(1, 2000000, has_sack=True)]),
    ("reordering 2 %", Link(reorder=0.02, internet_s=0.1, rate_bps=200000), [Flow(1, 1000000)]),
    ("reordering and loss", Link(reorder=0.02, internet_s=0.1, access_loss=0.01, rate_bps=200000), [Flow(1, 1500000)]),
    ("a short queue", Link(queue_octets=9000), [Flow(1, 1500000, window=12000)]),
    ("two in parallel", Link(rate_bps=48000), [Flow(1, 400000), Flow(2, 300000, start_s=1.2)]),
    ("four in parallel", Link(rate_bps=96000), [Flow(n, 300000, start_s=1 + n / 10) for n in range(1, 5)]),
    ("parallel with loss", Link(rate_bps=60000, access_loss=0.01), [Flow(1, 700000), Flow(2, 700000, has_sack=True)]),
    ("far away", Link(internet_s=0.4, access_s=0.9, rate_bps=30000), [Flow(1, 400000)]),
    ("near", Link(internet_s=0.001, access_s=0.05, rate_bps=50000), [Flow(1, 400000)]),
]
# No period qualifies in these: too little outstanding, or too little sent.
WITHOUT_RATE = [
    ("a small window", Link(), [Flow(1, 300000, window=4400)]),
    ("short connections", Link(), [Flow(n, 12000, start_s=20 * n) for n in range(1, 9)]),
    ("loss all the time", Link(access_loss=0.3), [Flow(1, 150000)]),
]


class Data(program.Case):
    def play(self, link, flows, seed=1):
        # Flows are used up by a run.
        flows = [Flow(**{name: getattr(flow, name) for name in ("port", "octets", "start_s", "mss", "window", "has_sack",
                                                                "has_timestamp", "mobile_window")}) for flow in flows]
        world = World(link, seed).run(flows)
        found, rows = self.of(world.capture)
        return found, {int(row["mobile_port"]): row for row in rows}, flows

    def test_channel_rates(self):
        for name, link, flows in WORLDS:
            # Losses so near to each other leave no room for a period.
            if link.access_loss >= 0.05 or link.queue_octets < 10000:
                continue
            with self.subTest(name=name):
                found, _, _ = self.play(link, flows)
                rate = found["mobiles"]["10.1.0.1"]["channel_rate_bps"]
                self.assertAlmostEqual(rate["median"] / link.rate_bps, 1, delta=0.05)

    def test_no_rate_is_invented(self):
        for name, link, flows in WITHOUT_RATE:
            with self.subTest(name=name):
                found, _, _ = self.play(link, flows)
                self.assertIsNone(found["mobiles"]["10.1.0.1"]["channel_rate_bps"])

    def test_losses_by_side(self):
        for name, link, flows in WORLDS:
            with self.subTest(name=name):
                found, rows, played = self.play(link, flows)
                seen = sum(flow.truth.data_packets for flow in played)
                access = sum(flow.truth.access_lost for flow in played) / seen
                internet = sum(flow.truth.internet_lost for flow in played)
                internet /= seen + internet
                self.assertEqual(found["loss"]["data_packets"], seen)
                self.assertAlmostEqual(100 * found["loss"]["access"], 100 * access, delta=0.2)
                self.assertAlmostEqual(100 * found["loss"]["internet"], 100 * internet, delta=0.2)
                if not internet + access:
                    self.assertEqual({row["access_lost"] + row["internet_lost"] for row in rows.values()}, {"00"})

    def test_reordering_is_no_loss(self):
        found, _, _ = self.play(Link(reorder=0.05, internet_s=0.1, rate_bps=900000), [Flow(1, 1400000, window=28000)])
        self.assertGreater(found["loss"]["reordered"], 10)
        self.assertEqual((found["loss"]["access_lost"], found["loss"]["internet_lost"]), (0, 0))

    def test_the_bottleneck(self):
        for link, expected in ((Link(), "none"), (Link(access_loss=0.03), "access"), (Link(internet_loss=0.03), "internet")):
            found, _, _ = self.play(link, [Flow(1, 500000)])
            self.assertEqual(found["bottleneck"], {"none": 0, "access": 0, "internet": 0, "connections": 1, expected: 1})

    def test_user_throughput_with_parallel_traffic(self):
        """R is what the channel carries while the long connection lasts."""
        for count in (1, 2, 4):
            with self.subTest(count=count):
                flows = [Flow(1, 400000)] + [Flow(n, 390000, start_s=1.3) for n in range(2, count + 1)]
                found, rows, _ = self.play(Link(rate_bps=60000), flows)
                self.assertAlmostEqual(float(rows[1]["user_bps"]) / 60000, 1, delta=0.05)
                self.assertAlmostEqual(float(rows[1]["throughput_bps"]) / 60000, 1 / count, delta=0.05)
                self.assertEqual(rows[1]["alone"], str(int(count == 1)))
                self.assertEqual(sum(found["user_throughput_bps"]["own_share"]), count)
                background = found["user_throughput_bps"]["background_below_1_3" if count == 1 else "background_1_3_to_2_3" if
                                                          count == 2 else "background_above_2_3"]
                self.assertEqual(background["count"], count)

    def test_what_counts_as_single(self):
        found, rows, _ = self.play(Link(), [Flow(1, 100001), Flow(2, 32001, start_s=100), Flow(3, 31000, start_s=200)])
        self.assertEqual({row["single"] for row in rows.values()}, {"1"})
        self.assertEqual(found["single"]["throughput_bps"]["count"], 1)
        self.assertEqual(found["table_3"]["overall"]["count"], 2)
        self.assertEqual(found["single"]["by_loss"][0]["goodput_bps"]["count"], 1)

    def test_clusters(self):
        kinds = [(512, 8000, True, False), (1400, 16000, False, True), (1400, 40000, True, True), (700, 16000, True, True)]
        flows = [Flow(n, 60000, start_s=100 * n, mss=mss, mobile_window=window, has_sack=has_sack, has_timestamp=has_timestamp)
                 for n, (mss, window, has_sack, has_timestamp) in enumerate(kinds, 1)]
        found, rows, _ = self.play(Link(), flows)
        self.assertEqual([(row["window"], row["sack"], row["mss"], row["timestamp"], row["goodput_bps"]["count"])
                          for row in found["clusters"]],
                         [("low", True, "low", False, 1), ("medium", False, "high", True, 1), ("high", True, "high", True, 1)])
        self.assertAlmostEqual(found["clusters"][0]["goodput_bps"]["mean"], float(rows[1]["goodput_bps"]), delta=1)
        self.assertEqual(found["table_1"]["connections"], 4)
        self.assertEqual([found["table_1"][name] for name in ("sack", "timestamp", "mss_low", "mss_high", "window_low",
                                                              "window_medium", "window_high")],
                         [0.75, 0.75, 0.25, 0.5, 0.25, 0.5, 0.25])

    def test_packets_that_the_capture_lacks_are_no_loss(self):
        world = World(Link()).run([Flow(1, 300000)])
        data = [index for index, (_, packet) in enumerate(world.capture.rows) if len(packet) > 1000]
        for index in reversed(data[20:100:10]):
            del world.capture.rows[index]
        found, _ = self.of(world.capture)
        self.assertEqual((found["loss"]["access_lost"], found["loss"]["internet_lost"]), (0, 0))
        self.assertEqual(found["loss"]["missed_by_capture"], 8)


MOBILE, SERVER = ("10.1.0.1", 40000), ("192.0.2.1", 80)


class Probes(program.Case):
    """Segments of one new octet at a window of 0 (RFC 9293 3.8.6.1). Rows: up (ack, window) or down (seq, octets), from 0."""

    CLOSED = [("down", 0, 1000), ("up", 1000, 0)] + [("down", 1000, 1), ("up", 1000, 0)] * 5
    WORLDS = [
        ("not kept", CLOSED + [("up", 1000, 9000), ("down", 1000, 1000), ("up", 2000, 9000)], 5, 2, 2000),
        ("without answers", CLOSED[:2] + [("down", 1000, 1)] * 5 + [("up", 1000, 9000), ("down", 1000, 1000), ("up", 2000, 9000)],
         5, 2, 2000),
        ("the last one is kept", CLOSED + [("down", 1000, 1), ("up", 1001, 9000), ("down", 1001, 999), ("up", 2000, 9000)], 6, 2, 1999),
        ("the sender goes on behind it", CLOSED + [("up", 1000, 9000), ("down", 1001, 999), ("up", 2000, 9000)], 5, 2, 1999),
        ("and repeats it", CLOSED + [("up", 1000, 9000), ("down", 1001, 999), ("down", 1000, 1), ("up", 2000, 9000)], 5, 3, 1999),
        ("never opened", CLOSED, 5, 1, 1000),
        ("a whole segment", [("down", 0, 1000), ("up", 1000, 0), ("down", 1000, 500), ("up", 1500, 0)], 0, 2, 1500),
    ]

    @staticmethod
    def world(rows):
        capture = Capture()
        capture.add(1, Tcp(MOBILE, SERVER, flags=SYN, seq=99))
        capture.add(1.1, Tcp(SERVER, MOBILE, flags=SYN | ACK, seq=499, ack=100))
        capture.add(1.5, Tcp(MOBILE, SERVER, seq=100, ack=500))
        for number, (way, first, second) in enumerate(rows):
            flags = ACK | FIN if way == "fin" else ACK
            capture.add(2 + number, Tcp(SERVER, MOBILE, flags, seq=500 + first, ack=100, payload=second) if way != "up" else
                        Tcp(MOBILE, SERVER, seq=100, ack=500 + first, window=second))
        return capture

    def test_probes_are_no_losses(self):
        for name, rows, probes, packets, octets in self.WORLDS:
            with self.subTest(name=name):
                found, (row,) = self.of(self.world(rows))
                loss = found["loss"]
                self.assertEqual((loss["window_probes"], int(row["window_probes"])), (probes, probes))
                self.assertEqual((loss["access_lost"], loss["internet_lost"], loss["missed_by_capture"]), (0, 0, 0))
                self.assertEqual((loss["data_packets"], int(row["payload_octets"])), (packets, octets))

    def test_probes_of_the_mobile(self):
        capture = self.world([("down", 0, 1000), ("up", 1000, 9000)])
        for number in range(5):
            capture.add(10 + number, Tcp(SERVER, MOBILE, seq=1500, ack=100, window=0))
            capture.add(10.5 + number, Tcp(MOBILE, SERVER, seq=100, ack=1500, payload=1))
        capture.add(20, Tcp(SERVER, MOBILE, seq=1500, ack=100))
        capture.add(20.5, Tcp(MOBILE, SERVER, seq=100, ack=1500, payload=700))
        _, (row,) = self.of(capture)
        self.assertEqual((int(row["uplink_retransmitted"]), int(row["uplink_octets"])), (0, 700))

    def test_a_fin_without_data_is_no_packet_that_was_lost(self):
        """Rows as above; "fin" ends the data at an octet, with some of it or without. Each loss is one of the packets with data."""
        rows = [
            ("lost", [("down", 0, 1000), ("up", 1000, 9000), *[("fin", 1000, 0)] * 4, ("up", 1001, 9000)], 1, 0, 0),
            ("needless", [("down", 0, 1000), ("fin", 1000, 0), ("up", 1001, 9000), *[("fin", 1000, 0), ("up", 1001, 9000)] * 2], 1, 0, 0),
            ("never confirmed", [("down", 0, 1000), ("up", 1000, 9000), *[("fin", 1000, 0)] * 4], 1, 0, 0),
            ("with data", [("fin", 0, 1000), ("fin", 0, 1000), ("up", 1001, 9000)], 2, 1, 0),
            ("behind data that was lost", [("down", 0, 1000), ("down", 0, 1000), ("up", 1000, 9000), *[("fin", 1000, 0)] * 3, ("up", 1001, 9000)], 2, 1, 0),
            ("behind needless data", [("down", 0, 1000), ("up", 1000, 9000), ("down", 0, 1000), ("up", 1000, 9000), *[("fin", 1000, 0)] * 3,
                                      ("up", 1001, 9000)], 2, 0, 1),
        ]
        for name, steps, packets, lost, needless in rows:
            with self.subTest(name=name):
                found, (row,) = self.of(self.world(steps))
                loss = found["loss"]
                self.assertEqual((loss["data_packets"], loss["access_lost"], loss["spurious"]), (packets, lost, needless))
                self.assertEqual((loss["access_of"], int(row["retransmitted"])), (packets, lost + needless))


if __name__ == "__main__":
    unittest.main()
