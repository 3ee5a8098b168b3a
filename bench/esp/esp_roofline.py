#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts ESP of a worker beside the crypto alone: `gbflow bench stages --esp` and dpdk-test-crypto-perf, in turn.

usage: esp_roofline.py [--program FILE] [--perf FILE] [--device NAME] [--suite NAME] [--octets LIST]
                       [--rounds N] [--windows N] [--gap-us N] [--json FILE]
  --program FILE   gbflow (build/gbflow of this tree)
  --perf FILE      dpdk-test-crypto-perf, of Debian's package dpdk (from PATH)
  --device NAME    crypto device of both: ipsec_mb (default; crypto_aesni_gcm for dpdk-test-crypto-perf),
                   crypto_aesni_gcm, crypto_aesni_mb, crypto_openssl
  --suite NAME     aes-gcm-128 (default), aes-gcm-256
  --octets LIST    N-PDU sizes, 64 to 1400 (64,512,1400)
  --rounds N       rounds of both programs, 1 to 100 (5)
  --windows N      measured windows of the stage in a round, 1 to 1000 (20)
  --gap-us N       a window with a longer step is measured again, 1 to 1000000 (100)
  --json FILE      also write the rows there; -: to standard output, without the table

esp is the stage esp_in (decrypt) or esp_out (encrypt) by itself, per packet: rules, window, tunnel, ICV and
cipher. crypto is an operation of dpdk-test-crypto-perf through the device's queue, in bursts of 64, of as many octets
as ESP encrypts, with the same key size, IV, AAD and ICV: the fastest of ten runs of a round; that of DPDK 24.11
does not decrypt in place and encrypts for either side, which is as much work with GCM. Values are medians over
the rounds; share is crypto / esp, the rate of ESP by that of crypto alone. Status: 0, 1 when a run failed, 2 usage.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import script  # noqa: E402  pylint: disable=wrong-import-position

SCHEMA = "gbflow-bench-esp-roofline/1"
KEY_OCTETS = {"aes-gcm-128": 16, "aes-gcm-256": 32}
DEVICES = "ipsec_mb", "crypto_aesni_gcm", "crypto_aesni_mb", "crypto_openssl"
OF_DPDK = {"ipsec_mb": "crypto_aesni_gcm"}
SIDES = {"gn": ("esp_in", "decrypt"), "gb": ("esp_out", "encrypt")}
BURST, RUNS, OPERATIONS = 64, 10, 30000
GN_AROUND = 36  # IPv4, UDP and GTP-U before an N-PDU
GB_AROUND, GB_LONG = 56, 117  # IPv4 to SNDCP, and FCS; a longer LLC-PDU has a length of two octets in BSSGP
TRAILER, ALIGN, AAD, IV, ICV = 2, 4, 12, 12, 16
HEAD = "  side  octets  encrypted    esp_ns  crypto_ns   share"


def fail(program, said):
    sys.exit(f"esp_roofline: {program} failed\n{said[-2000:]}")


def encrypted_octets(side, octets):
    """Octets that ESP encrypts of the IP packet with an N-PDU."""
    around = GN_AROUND if side == "gn" else GB_AROUND + (octets > GB_LONG)
    return -(-(octets + around + TRAILER) // ALIGN) * ALIGN


def esp_of(given, side, octets):
    """ns of the stage alone, per packet."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        run = subprocess.run(
            [given.program, "bench", "stages", "--esp", side, "--esp-suite", given.suite, "--esp-device", given.device,
             "--octets", str(octets), "--mobiles", "1000", "--cells", "10", "--windows", str(given.windows),
             "--set", "n201_u=1520", "--set", "counted_steps=0", "--set", f"gap_us={given.gap_us}", "--json", path],
            capture_output=True, text=True, check=False)
        if run.returncode != 0:
            fail(given.program, run.stdout + run.stderr)
        with open(path, encoding="utf-8") as file:
            trial = json.load(file)["trials"][0]
    return next(stage["alone_ns"] for stage in trial["stages"] if stage["name"] == SIDES[side][0])


def perf_of(given, operation, sizes):
    device = OF_DPDK.get(given.device, given.device)
    return subprocess.run(
        [given.perf, "-l", given.cores, "--no-huge", "-m", "512", "--no-pci", "--no-telemetry",
         f"--file-prefix=roofline{os.getpid()}", "--vdev", device, "--", "--ptest", "throughput",
         "--devtype", device, "--optype", "aead", "--aead-algo", "aes-gcm", "--aead-op", operation,
         "--aead-key-sz", str(KEY_OCTETS[given.suite]), "--aead-iv-sz", str(IV), "--aead-aad-sz", str(AAD),
         "--digest-sz", str(ICV), "--buffer-sz", ",".join(map(str, sizes * RUNS)), "--burst-sz", str(BURST),
         "--total-ops", str(OPERATIONS), "--csv-friendly"], capture_output=True, text=True, check=False)


def crypto_of(given, side, sizes):
    """ns of an operation for each size, the fastest of its runs."""
    run = perf_of(given, SIDES[side][1], sizes)
    if "Only out-of-place" in run.stderr + run.stdout:
        run = perf_of(given, "encrypt", sizes)
    # lcore, octets, burst, enqueued, dequeued, failed twice, million operations a second, Gbit/s, cycles
    rows = re.findall(r"^\d+,(\d+),\d+,\d+,\d+,\d+,\d+,([0-9.]+),", run.stdout, re.M)
    if len(rows) != len(sizes) * RUNS:
        fail(given.perf, run.stdout + run.stderr)
    return {size: min(1e3 / float(million) for octets, million in rows if int(octets) == size) for size in sizes}


def measure(given):
    sizes = {(side, octets): encrypted_octets(side, octets) for side in SIDES for octets in given.octets}
    esp, crypto = {key: [] for key in sizes}, {key: [] for key in sizes}
    for number in range(given.rounds):
        print(f"round {number + 1} of {given.rounds}", file=sys.stderr)
        for side in SIDES:
            found = crypto_of(given, side, [sizes[side, octets] for octets in given.octets])
            for octets in given.octets:
                crypto[side, octets].append(found[sizes[side, octets]])
                esp[side, octets].append(esp_of(given, side, octets))
    rows = []
    for key, size in sizes.items():
        share = statistics.median(c / e for c, e in zip(crypto[key], esp[key]))
        rows.append({"side": key[0], "octets": key[1], "encrypted_octets": size, "share": share,
                     "esp_ns": statistics.median(esp[key]), "crypto_ns": statistics.median(crypto[key]),
                     "esp_ns_each": esp[key], "crypto_ns_each": crypto[key]})
    return rows


def show(rows):
    print(HEAD)
    for row in rows:
        print(f"  {row['side']:4}  {row['octets']:6}  {row['encrypted_octets']:9}  {row['esp_ns']:8.1f}  "
              f"{row['crypto_ns']:9.1f}  {100 * row['share']:4.0f} %")


def sizes_of(text):
    sizes = [int(word) for word in text.split(",")]
    if not all(64 <= size <= 1400 for size in sizes):
        raise ValueError(text)
    return sizes


def main():
    parser = script.parser_of(__doc__, "gbflow")
    parser.add_argument("--perf", default=shutil.which("dpdk-test-crypto-perf"))
    parser.add_argument("--device", choices=DEVICES, default=DEVICES[0])
    parser.add_argument("--suite", choices=KEY_OCTETS, default="aes-gcm-128")
    parser.add_argument("--octets", type=sizes_of, default=[64, 512, 1400], metavar="LIST")
    script.add_count(parser, "--rounds", 5, 1, 100)
    script.add_count(parser, "--windows", 20, 1, 1000)
    script.add_count(parser, "--gap-us", 100, 1, 1000000)
    given = script.given_to(parser)
    if not given.perf or not os.access(given.perf, os.X_OK):
        parser.error(f"no program {given.perf or 'dpdk-test-crypto-perf'}: install the package dpdk, "
                     "or name one by --perf")
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        parser.error("dpdk-test-crypto-perf takes two CPUs, and this process may use one; give it more (taskset)")
    given.cores = f"{processors[0]},{processors[-1]}"
    rows = measure(given)
    if given.json != "-":
        show(rows)
    if given.json:
        script.write(given.json, {"schema": SCHEMA, "device": given.device, "suite": given.suite, "rows": rows})


if __name__ == "__main__":
    main()
