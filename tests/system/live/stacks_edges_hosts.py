#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The hosts of stacks_edges.py, each in a process of its own in its namespace, with the kernel's TCP.

usage: stacks_edges_hosts.py server PLAN.json       sends as many octets as a line asks for, and closes
       stacks_edges_hosts.py mobiles PLAN.json      rounds of connections; prints "done" and a line of JSON

A round of a mobile: one connection downloads in an idle queue, so that its window is large; the others begin while it does, one after
the other, and all windows of the mobile become small. When all have ended the next round begins.
"""
import asyncio
import collections
import contextlib
import itertools
import json
import random
import socket
import sys

TCP_WINDOW_CLAMP = 10
LATER_S = 0.04  # between the begins of a round's connections
PORTS = range(10000, 61000)  # one after the other: a server in TIME-WAIT need not take a port again (RFC 1337)
FIRST_OCTETS = 15000  # of a round's first connection before the others begin


class Plan:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
        self.address, self.port, self.control = values["address"], values["port"], values["control"]
        self.mobiles, self.connections, self.at_once = values["mobiles"], values["connections"], values["at_once"]
        self.first, self.others, self.seed, self.window = values["first"], values["others"], values["seed"], values["window"]
        with open(values["content"], "rb") as file:
            self.content = file.read()


# --- server ---

async def answer(plan, reader, writer):
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        octets = int(await reader.readline() or 0)
        writer.write(plan.content[:octets])
        await writer.drain()
        writer.write_eof()
        await reader.read()  # until the mobile has closed
    writer.close()


async def serve(plan):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, plan.control.encode())
    sock.bind((plan.address, plan.port))
    server = await asyncio.start_server(lambda reader, writer: answer(plan, reader, writer), sock=sock, backlog=1024)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


# --- mobiles ---

class Mobiles:
    def __init__(self, plan):
        self.plan, self.left, self.counts, self.broken = plan, plan.connections, collections.Counter(), collections.Counter()
        self.ports = {address: itertools.cycle(PORTS) for address in plan.mobiles}

    async def rounds(self, address):
        chance = random.Random(f"{self.plan.seed} {address}")
        await asyncio.sleep(chance.random())
        while self.left > 0:
            count = min(self.left, chance.randint(4, self.plan.at_once))
            self.left -= count
            is_under_way = asyncio.Event()
            first = asyncio.create_task(self.download(address, chance.randint(*self.plan.first), is_under_way))
            await is_under_way.wait()
            others = []
            for _ in range(count - 1):
                await asyncio.sleep(LATER_S * chance.random())
                others.append(asyncio.create_task(self.download(address, chance.randint(*self.plan.others))))
            await asyncio.gather(first, *others)

    async def download(self, address, octets, is_under_way=None):
        try:
            is_whole = await self.take(address, octets, is_under_way)
            self.counts["whole"] += is_whole
            self.counts["octets"] += octets
            self.broken["content"] += not is_whole
        except OSError as error:
            self.broken[type(error).__name__] += 1
        finally:
            if is_under_way:
                is_under_way.set()

    async def take(self, address, octets, is_under_way):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.plan.window)
        sock.bind((address, next(self.ports[address])))
        loop, taken = asyncio.get_running_loop(), bytearray()
        with sock:
            await loop.sock_connect(sock, (self.plan.address, self.plan.port))
            await loop.sock_sendall(sock, f"{octets}\n".encode())
            while part := await loop.sock_recv(sock, 65536):
                taken += part
                if is_under_way and len(taken) >= FIRST_OCTETS:
                    is_under_way.set()
        return taken == self.plan.content[:octets]


async def browse(plan):
    mobiles = Mobiles(plan)
    print("ready", flush=True)
    await asyncio.gather(*(mobiles.rounds(address) for address in plan.mobiles))
    print("done", flush=True)
    print(json.dumps({**mobiles.counts, "broken": {name: count for name, count in mobiles.broken.items() if count}}), flush=True)


if __name__ == "__main__":
    asyncio.run({"server": serve, "mobiles": browse}[sys.argv[1]](Plan(sys.argv[2])))
