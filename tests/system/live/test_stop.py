# SPDX-License-Identifier: BSD-3-Clause
"""SIGTERM at random moments, on busy processors: the node ends with status 0 and a whole report. GBFLOW_STOPS is how often
(40); the distribution of the times from the signal to the end is printed, since a test asserts no time."""
import os
import random
import signal
import subprocess
import sys
import time

import node
import test_mobiles
import test_start

STOPS = int(os.environ.get("GBFLOW_STOPS", "40"))
EACH = 20  # ends, after which the distribution so far is printed
MOBILES = 2000
BURNERS = 2 * (os.cpu_count() or 1)


def shown(times):
    times = sorted(times)
    marks = ((name, times[min(len(times) - 1, int(share * len(times)))]) for name, share in
             (("min", 0), ("median", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)))
    return f"{len(times)} ends: " + ", ".join(f"{name} {value:.3f} s" for name, value in marks)


class Stop(test_start.Case):
    def setUp(self):
        self.chance = random.Random(1)
        burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNERS)]
        self.addCleanup(lambda: [(burner.kill(), burner.wait()) for burner in burners])

    def write(self, running, count):
        with open(os.path.join(running.holder.name, "mobiles.csv"), "w", encoding="ascii") as file:
            file.write(test_mobiles.HEADER + "".join(map(test_mobiles.row, range(count))))

    def disturb(self, running, number):
        """A reload, a capture to a FIFO that nothing reads, both, or neither."""
        if number & 1:
            self.write(running, self.chance.randrange(1, MOBILES))
            running.process.send_signal(signal.SIGHUP)
        if number & 2:
            fifo = os.path.join(running.holder.name, "fifo")
            os.mkfifo(fifo, 0o666)
            os.chmod(fifo, 0o666)
            reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, reader)
            subprocess.run([node.program(), "capture", fifo, "--prefix", running.prefix], env=running.environment(),
                           user=running.user, capture_output=True, check=False, timeout=60)

    def end_once(self, number):
        running = self.serve(text=test_mobiles.TEXT, limit=MOBILES,
                             files=test_mobiles.table(*map(test_mobiles.row, range(MOBILES))), **test_start.RING)
        self.disturb(running, number)
        time.sleep(self.chance.uniform(0, 0.5))  # the random moment, not a wait for something
        began = time.monotonic()
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.process.wait(60), 0)
        took = time.monotonic() - began
        self.assertEqual(running.stop(), 0)
        npdu = running.report["npdu"]
        self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        running.kill()
        return took

    def test_ends(self):
        times = []
        for number in range(STOPS):
            times.append(self.end_once(number))
            if len(times) % EACH == 0 or len(times) == STOPS:
                print("", shown(times), file=sys.stderr, flush=True)
