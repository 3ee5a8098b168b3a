# SPDX-License-Identifier: BSD-3-Clause
"""One cell of the cross-check, played by ns-3 (3.44 or newer), driven through its Python bindings.

    setup(); result = play(cell)

What is told of ns-3's retransmission timer comes from its own trace of RTO: each timeout doubles it.
"""
PORT, RUN_S = 80, 100000
SERVER, MOBILE = 0, 1
# What ns-3 sees: the RTO, what is acknowledged, sent and received. Sinks alone, which the bindings cannot make in Python.
PROBE = """
#include "ns3/tcp-socket-base.h"
#include "ns3/packet-sink.h"
namespace gbflow_probe {
struct Event { double at_s; int kind; double a, b; };
std::vector<Event> events;
enum { RTO, UNA, SENT };
void Note(int kind, double a, double b) { events.push_back({ns3::Simulator::Now().GetSeconds(), kind, a, b}); }
void Rto(ns3::Time was, ns3::Time is) { Note(RTO, was.GetSeconds(), is.GetSeconds()); }
void Una(ns3::SequenceNumber32 was, ns3::SequenceNumber32 is) { Note(UNA, was.GetValue(), is.GetValue()); }
void Sent(ns3::Ptr<const ns3::Packet> p, const ns3::TcpHeader &h, ns3::Ptr<const ns3::TcpSocketBase>)
{
    Note(SENT, h.GetSequenceNumber().GetValue(), p->GetSize());
}
double last_s; uint64_t octets;
void Rx(ns3::Ptr<const ns3::Packet> p, const ns3::Address &) { octets += p->GetSize(); last_s = ns3::Simulator::Now().GetSeconds(); }
void Watch(ns3::Ptr<ns3::Socket> socket, ns3::Ptr<ns3::PacketSink> sink)
{
    events.clear(); octets = 0; last_s = 0;
    socket->TraceConnectWithoutContext("RTO", ns3::MakeCallback(&Rto));
    socket->TraceConnectWithoutContext("HighestRxAck", ns3::MakeCallback(&Una));
    socket->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&Sent));
    sink->TraceConnectWithoutContext("Rx", ns3::MakeCallback(&Rx));
}
uint64_t left;
uint32_t piece;
void Fill(ns3::Ptr<ns3::Socket> socket, uint32_t)
{
    while (left > 0 && socket->GetTxAvailable() >= piece) {
        int sent = socket->Send(ns3::Create<ns3::Packet>(left < piece ? left : piece));
        if (sent <= 0)
            return;
        left -= sent;
    }
    if (left == 0)
        socket->Close();
}
void Connected(ns3::Ptr<ns3::Socket> socket) { Fill(socket, 0); }
void Failed(ns3::Ptr<ns3::Socket>) {}
void Send(ns3::Ptr<ns3::Socket> socket, ns3::Address to, uint64_t octets_in_all, uint32_t segment)
{
    left = octets_in_all;
    piece = segment;
    socket->SetConnectCallback(ns3::MakeCallback(&Connected), ns3::MakeCallback(&Failed));
    socket->SetSendCallback(ns3::MakeCallback(&Fill));
    socket->Connect(to);
}
}
"""


class Result:
    """goodput_bps; early_s: when a timer went off before its backed-off RTO was over, None if it never did."""

    def __init__(self, goodput_bps, timeouts, early_s):
        self.goodput_bps, self.timeouts, self.early_s = goodput_bps, timeouts, early_s


def setup():
    """The bindings; takes some seconds."""
    global ns, probe  # pylint: disable=global-variable-undefined,invalid-name
    from ns import ns  # pylint: disable=import-outside-toplevel,import-error
    ns.cppyy.cppdef(PROBE)
    probe = ns.cppyy.gbl.gbflow_probe


def _set_defaults(cell):
    def put(name, value):
        ns.Config.SetDefault("ns3::" + name, value)

    put("TcpL4Protocol::SocketType", ns.TypeIdValue(ns.TcpNewReno.GetTypeId()))
    put("TcpL4Protocol::RecoveryType", ns.TypeIdValue(ns.TcpClassicRecovery.GetTypeId()))
    put("TcpSocketBase::Sack", ns.BooleanValue(cell.sack))
    put("TcpSocketBase::Timestamp", ns.BooleanValue(cell.timestamps))
    put("TcpSocketBase::MinRto", ns.TimeValue(ns.Seconds(1)))
    put("TcpSocket::SegmentSize", ns.UintegerValue(cell.payload_octets))
    put("TcpSocket::InitialCwnd", ns.UintegerValue(3))
    put("TcpSocket::DelAckCount", ns.UintegerValue(cell.ack_every))
    put("TcpSocket::DelAckTimeout", ns.TimeValue(ns.Seconds(0.2)))
    put("TcpSocket::RcvBufSize", ns.UintegerValue(cell.window_octets))
    put("TcpSocket::SndBufSize", ns.UintegerValue(1 << 20))
    put("TcpSocket::ConnTimeout", ns.TimeValue(ns.Seconds(1)))
    put("TcpSocketBase::WindowScaling", ns.BooleanValue(False))


def _link(cell, nodes):
    """Rate one way; the other way takes no time but the delay."""
    link = ns.PointToPointHelper()
    link.SetChannelAttribute("Delay", ns.TimeValue(ns.MilliSeconds(cell.delay_ms)))
    devices = link.Install(nodes)
    down, up = devices.Get(SERVER), devices.Get(MOBILE)
    down.SetAttribute("DataRate", ns.DataRateValue(ns.DataRate(cell.rate_bps)))
    up.SetAttribute("DataRate", ns.DataRateValue(ns.DataRate(10**12)))
    queue = ns.CreateObject["DropTailQueue<Packet>"]()
    queue.SetAttribute("MaxSize", ns.QueueSizeValue(ns.QueueSize(f"{cell.queue_packets}p")))
    down.SetAttribute("TxQueue", ns.PointerValue(queue))
    if cell.lose_one_in:
        # SYN and the ACK of the handshake come before the first packet with a payload.
        losses = ns.CreateObject["ReceiveListErrorModel"]()
        many = 4 * cell.octets // cell.payload_octets
        numbers = ns.cppyy.gbl.std.list["uint32_t"]()
        for number in range(cell.lose_one_in + 1, many, cell.lose_one_in):
            numbers.push_back(number)
        losses.SetList(numbers)
        up.SetAttribute("ReceiveErrorModel", ns.PointerValue(losses))
    return devices


def _hosts(cell):
    nodes = ns.NodeContainer()
    nodes.Create(2)
    ns.InternetStackHelper().Install(nodes)
    devices = _link(cell, nodes)
    address = ns.Ipv4AddressHelper()
    address.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = address.Assign(devices)
    ns.TrafficControlHelper().Uninstall(devices)
    return nodes, interfaces.GetAddress(MOBILE)


def play(cell):
    _set_defaults(cell)
    nodes, mobile = _hosts(cell)
    here = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), PORT).ConvertTo()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", here).Install(nodes.Get(MOBILE)).Get(0)
    socket = ns.Socket.CreateSocket(nodes.Get(SERVER), ns.TcpSocketFactory.GetTypeId())
    probe.Watch(socket, sink.GetObject[ns.PacketSink]())
    probe.Send(socket, ns.InetSocketAddress(mobile, PORT).ConvertTo(), cell.octets, cell.payload_octets)
    ns.Simulator.Stop(ns.Seconds(RUN_S))
    ns.Simulator.Run()
    result = _judge(cell, [(event.at_s, event.kind, event.a, event.b) for event in probe.events])
    ns.Simulator.Destroy()
    return result


def _judge(cell, events):
    if probe.octets != cell.octets:
        raise AssertionError(f"ns-3 delivered {probe.octets} of {cell.octets} octets: {cell}")
    timer = timer_of(events)
    return Result(8 * probe.octets / probe.last_s, timer.timeouts, timer.early_s)


RTO, UNA, SENT = 0, 1, 2
MAX_RTO_S, CLOCK_S = 60, 1e-3


class Timer:
    """The retransmission timer as ns-3's trace shows it. A timeout doubles the RTO; what it repeats was sent no less than an
    RTO before, and as long as nothing is acknowledged that was first sent after a timeout, that RTO is the doubled one (RFC
    6298 5.5, Karn's rule in 5.7). `early_s` is when that failed for the first time."""

    def __init__(self):
        self.timeouts, self.early_s = 0, None
        self.backed_off_s, self.point, self.highest, self.una, self.sent_s = 0.0, 0, 0, 1, {}

    def sent(self, at_s, seq, octets):
        self.sent_s[seq], self.highest = at_s, max(self.highest, seq + octets)

    def acked(self, seq):
        self.una = seq
        if seq > self.point:
            self.backed_off_s = 0.0

    def timed_out(self, at_s, rto_s):
        wanted_s = max(rto_s, self.backed_off_s)
        self.timeouts += 1
        if self.early_s is None and at_s - self.sent_s.get(self.una, 0.0) < wanted_s - CLOCK_S:
            self.early_s = at_s
        self.backed_off_s, self.point = min(2 * wanted_s, MAX_RTO_S), self.highest


def timer_of(events):
    """What happened to the timer, from the events of a run."""
    timer = Timer()
    for at_s, kind, first, second in events:
        if kind == SENT:
            timer.sent(at_s, int(first), int(second))
        elif kind == UNA:
            timer.acked(int(second))
        elif second > first and abs(second - min(2 * first, MAX_RTO_S)) < 1e-6:
            timer.timed_out(at_s, first)
    return timer
