/* SPDX-License-Identifier: BSD-3-Clause */
/* Establishment, release and failures of a link, and its N-PDUs; link_rig.h has the words. */
#include "tests/unit/dataplane/abm/link_rig.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <string.h>

/* clang-format off */
#define OPEN {"establish", "setup"}, {"go", "SABM"}, {"u UA", "open abm"}

static const struct row establishing[] = {
    {"asked here", .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u UA", "open abm"}, {"go", ""}, {"t", "never"}}},
    {"asked there", .steps = {{"u SABM", "open abm"}, {"go", "UA"}, {"go", ""}}},
    {"asked there, the mobile", .is_mobile = true, .steps = {{"u SABM", "open abm"}, {"go", "UA"}, {"send 5 10", "I0:5#0!"}}},
    {"P = 0 is not heard", .steps = {{"u SABM0", ""}, {"go", ""}, OPEN, {"u SABM0", ""}, {"u DISC0", ""}, {"go", ""}}},
    {"a response is no command", .steps = {{"u SABM-", ""}, {"u DISC-", ""}, {"go", ""}, {"establish", "setup"},
     {"go", "SABM"}, {"u UA-", ""}, {"u DM-", ""}, {"u UA", "open abm"}, {"u FRMR-", ""}, {"go", ""}}},
    {"parameters that cannot be read", .steps = {{"u SABM bad", ""}, {"go", ""}, {"establish", "setup"}, {"go", "SABM"},
     {"u UA bad", ""}, {"u UA", "open abm"}}},
    {"SABM crosses SABM", .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u SABM", ""}, {"go", "UA"},
     {"send 5 10", "-"}, {"u UA", "open abm"}, {"more", "I0:5#0!"}}},
    {"SABM crosses SABM, whose UA is lost", .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u SABM", ""}, {"go", "UA"},
     {"t", ""}, {"go", "SABM"}, {"u UA", "open abm"}}},
    {"SABM crosses SABM that has not gone", .steps = {{"establish", "setup"}, {"u SABM", "open abm"}, {"go", "UA"},
     {"go", ""}}},
    {"SABM again behind the UA to one that crossed it: another IOV-I", .shows = true, .steps = {{"establish", "setup"}, {"go", "SABM iov=1 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"},
     {"u SABM", ""}, {"go", "UA iov=1 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}, {"t", ""},
     {"go", "SABM iov=2 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}}},
    {"refused", .steps = {{"put 5 10", ""}, {"put 6 10", ""}, {"establish", "setup"}, {"go", "SABM"},
     {"u DM", "fail abandon0 abandon1 adm"}, {"t", "never"}, {"establish", "setup"}, {"go", "SABM"}, {"u UA", "open abm"}}},
    {"DM with F = 0 is no answer", .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u DM0", ""}, {"u UA", "open abm"}}},
    {"UA and DM of before", .steps = {{"establish", "setup"}, {"u UA", ""}, {"u DM", ""}, {"go", "SABM"}, {"u UA", "open abm"}}},
    {"N200 SABMs without an answer", .steps = {{"put 5 10", ""}, {"establish", "setup"}, {"go", "SABM"}, {"t", ""}, {"go", "SABM"},
     {"t", ""}, {"go", "SABM"}, {"t", ""}, {"go", "SABM"}, {"t", "fail abandon0 adm"}, {"t", "never"}, {"go", ""},
     {"put 5 10", ""}, {"establish", "setup"}, {"go", "SABM"}, {"u UA", "open abm"}, {"go", "I0:5#0!"}}},
    {"SABM that could not go does not count", .steps = {{"establish", "setup"}, {"t", ""}, {"t", ""}, {"t", ""}, {"t", ""},
     {"t", ""}, {"go", "SABM"}, {"u UA", "open abm"}}},
    {"I and S frames while it is set up", .steps = {{"establish", "setup"}, {"go", "SABM"}, {"i 0 0 5 0 10", ""}, {"r 0", ""},
     {"go", ""}, {"u UA", "open abm"}, {"i 0 0 5 0 10", "d5#0=0"}}},
    {"no I frame goes before UA", .steps = {{"u SABM", "open abm"}, {"send 5 10", "-"}, {"go", "UA"}, {"more", "I0:5#0!"}}},
    {"asked twice here is asked once", .steps = {{"establish", "setup"}, {"establish", ""}, {"go", "SABM"}, {"u UA", "open abm"},
     {"establish", ""}, {"go", ""}}},
};

static const struct row ending[] = {
    {"released here", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"u UA", "adm done"}, {"t", "never"}}},
    {"released here, DM", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"u DM", "adm done"}}},
    {"UA before DISC went", .steps = {OPEN, {"release", "release"}, {"u UA", ""}, {"u DM", ""}, {"go", "DISC"}, {"u UA", "adm done"}}},
    {"released: the answer comes when T200 has run out", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"t", ""},
     {"u UA", "adm done"}, {"go", ""}}},
    {"released: DM comes when T200 has run out", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"t", ""},
     {"u DM", "adm done"}, {"go", ""}}},
    {"released without an answer", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"t", ""}, {"go", "DISC"}, {"t", ""},
     {"go", "DISC"}, {"t", ""}, {"go", "DISC"}, {"t", "adm done"}, {"go", ""}}},
    {"released while it is set up", .steps = {{"put 5 10", ""}, {"establish", "setup"}, {"go", "SABM"}, {"release", "release"},
     {"go", "DISC"}, {"u UA", "adm done"}}},
    {"released without acknowledged mode", .steps = {{"release", ""}, {"go", ""}}},
    {"released with frames and N-PDUs", .steps = {OPEN, {"put 5 10", ""}, {"put 5 900", ""}, {"put 6 3000", ""}, {"go", "I0:5#0 I1:5#1> I2:5 I3:6#0>!"},
     {"i 1 0 5 1 10", ""}, {"release", "drop release"}}},
    {"released there", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"put 5 10", ""}, {"u DISC", "abandon0 abandon1 adm"},
     {"go", "UA-"}, {"go", ""}, {"t", "never"}}},
    {"DISC without acknowledged mode", .steps = {{"u DISC", ""}, {"go", "DM"}}},
    {"DISC crosses DISC", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"u DISC", "adm done"}, {"go", "UA-"}}},
    {"DISC crosses SABM", .steps = {{"put 5 10", ""}, {"establish", "setup"}, {"go", "SABM"}, {"u DISC", "abandon0 adm"}, {"go", "DM"}}},
    {"SABM crosses DISC", .steps = {OPEN, {"release", "release"}, {"go", "DISC"}, {"u SABM", ""}, {"go", "DM"}, {"u DM", "adm done"}}},
    {"asked for behind DISC: UA goes first", .steps = {OPEN, {"u DISC", "adm"}, {"establish", "setup"}, {"go", "UA- SABM"},
     {"u UA", "open abm"}}},
    {"SABM behind DISC while it is set up: UA with values alone", .steps = {OPEN, {"u DISC", "adm"}, {"establish", "setup"}, {"u SABM", "open abm"},
     {"go", "UA"}}},
    {"SABM behind DISC", .steps = {OPEN, {"u DISC", "adm"}, {"u SABM", "open abm"}, {"go", "UA"}}},
    {"I and S frames without acknowledged mode: DM unasked", .steps = {{"i 0 0 5 0 10", ""}, {"r 0", ""}, {"go", "DM0"}, {"go", ""}}},
    {"SABM behind them", .steps = {{"r 0", ""}, {"u SABM", "open abm"}, {"go", "UA"}}},
    {"asked for behind them", .steps = {{"r 0", ""}, {"establish", "setup"}, {"go", "SABM"}}},
    {"others than I, S and U frames of its own", .steps = {{"u UA", ""}, {"u DM", ""}, {"u DM0", ""}, {"u FRMR", ""}, {"t", "never"}, {"go", ""}}},
};

static const struct row failing[] = {
    {"UA that nothing asked for", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"u UA", "fail setup"}, {"go", "SABM"},
     {"u UA", "open abm"}, {"go", "I0:5#0!"}, {"r 1", ""}, {"t", "never"}}},
    {"DM unasked", .steps = {OPEN, {"u DM0", "fail setup"}, {"go", "SABM"}}},
    {"DM with F = 1 that nothing asked for", .steps = {OPEN, {"u DM", ""}, {"go", ""}}},
    {"FRMR arrives", .steps = {OPEN, {"u FRMR", "fail setup"}, {"u FRMR", ""}, {"go", "SABM"}, {"u UA", "open abm"}}},
    {"N(R) behind V(S): W4", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"i 0 0 5 0 10", "d5#0=0"}, {"r 2", "fail setup"},
     {"go", "FRMR8:1,1,800800000000 SABM"}, {"u UA", "open abm"}, {"go", "I0:5#0!"}}},
    {"N(R) behind V(S), the mobile", .is_mobile = true, .steps = {OPEN, {"r 2", "fail setup"}, {"go", "FRMR8:0,0,800800000000 SABM"}}},
    {"information above N201-I: W3", .steps = {OPEN, {"b 500", "d5#0=0"}, {"b 501", "fail setup"},
     {"go", "FRMR4:0,1,000000000000 SABM"}}},
    {"a U frame with information where none may be", .steps = {OPEN, {"w 3 03f4aabb", "fail setup"}, {"go", "FRMR3:0,0,f40000000000 SABM"}}},
    {"an S frame with information", .steps = {OPEN, {"w 3 43800401", "fail setup"}, {"go", "FRMR3r:0,0,800400000000 SABM"}}},
    {"an I frame whose bitmap does not fit", .steps = {OPEN, {"w 3 03000003ff0102030405", "fail setup"},
     {"go", "FRMR3:0,0,000003ff0102 SABM"}}},
    {"a SACK without bitmap", .steps = {OPEN, {"w 3 038003", "fail setup"}, {"go", "FRMR3:0,0,800300000000 SABM"}}},
    {"malformed without acknowledged mode", .steps = {{"w 3 03f4aabb", ""}, {"establish", "setup"}, {"go", "SABM"}, {"w 3 03f4aa", ""}, {"go", ""}}},
    {"N200 repetitions", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"t", ""}, {"go", "RI0:5#0!"}, {"t", ""}, {"go", "RI0:5#0!"},
     {"t", ""}, {"go", "RI0:5#0!"}, {"t", ""}, {"go", "fail SABM setup"}, {"u UA", "open abm"}}},
    {"SABM in acknowledged mode: sent again from the start", .steps = {OPEN, {"put 5 900", ""}, {"put 6 10", ""}, {"put 5 10", ""},
     {"go", "I0:5#0> I1:5 I2:6#0 I3:5#1!"}, {"i 1 0 5 1 10", ""}, {"r 2", ""}, {"u SABM", "drop open"}, {"go", "UA I0:6#0 I1:5#1!"}}},
    {"what was received before comes again", .steps = {OPEN, {"i 0 0 5 0 10", "d5#0=0"}, {"i 1 0 5 1 10", "d5#1=0"}, {"i 2 0 5 2 11", "d5#2=1"},
     {"u SABM", "open"}, {"i 0 0 5 1 10", "d5#1=4"}, {"i 1 0 5 2 11", "d5#2=1"}, {"i 2 0 5 0 00", "d5#0=3"}, {"i 3 0 6 0 10", "d6#0=0"}}},
    {"an N-PDU of the queue that is half sent", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"put 5 500", ""}, {"put 5 10", ""},
     {"go", "I0:5#0> I1:5>!"}, {"r 1", ""}, {"go", "I2:5>!"}, {"u DM0", "fail setup"}, {"go", "SABM"}, {"u UA", "open abm"},
     {"go", "I0:5#0> I1:5>!"}, {"r 2", ""}, {"go", "I2:5> I3:5!"}, {"r 4", ""}, {"go", "I4:5#1!"}}},
    {"an N-PDU of the caller's that is half sent", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"send 5 10", "I0:5#0!"},
     {"send 5 300", "I1:5#1>! -"}, {"u DM0", "fail setup"}, {"go", "SABM"}, {"u UA", "open abm"}, {"more", "-"}, {"go", "I0:5#0!"},
     {"more", "I1:5#1>! -"}, {"r 2", ""}, {"more", "I2:5> I3:5!"}, {"r 4", ""}, {"go", ""}}},
    {"half sent by the caller, all of that confirmed", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"send 5 300", "I0:5#0> I1:5>! -"},
     {"r 2", ""}, {"u SABM", "open"}, {"go", "UA"}, {"more", "I0:5#0> I1:5>! -"}, {"r 2", ""}, {"more", "I2:5!"}, {"u SABM", "open"},
     {"go", "UA I0:5#0> I1:5>!"}}},
    {"half sent by the caller, whose context is forgotten", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"send 5 300", "I0:5#0> I1:5>! -"},
     {"forget 5", ""}, {"r 2", ""}, {"u SABM", "open"}, {"go", "UA"}}},
    {"half sent by the caller, then refused", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"send 5 300", "I0:5#0> I1:5>! -"},
     {"u DISC", "adm"}, {"go", "UA-"}, {"more", "-"}, {"establish", "setup"}, {"go", "SABM"}, {"u UA", "open abm"}, {"more", "I0:5#0> I1:5>! -"}}},
};

static const struct row parameters[] = {
    {"all are proposed; the answer bounds them", .shows = true, .values = {1000, 500, 400, 50, 40, 30, 3},
     .steps = {{"establish", "setup"}, {"go", "SABM iov=1 t200=50 n200=3 n201=1000 md=500 mu=400 kd=40 ku=30"},
      {"u UA t200=60 n200=5 n201=800 md=300 mu=0 kd=8 ku=255", "open abm"}, {"u SABM", "open"},
      {"go", "UA iov=2 t200=60 n200=5 n201=800 md=300 mu=400 kd=8 ku=30"}}},
    {"an answer cannot exceed a proposal", .shows = true, .values = {1000, 500, 0, 50, 40, 30, 3},
     .steps = {{"establish", "setup"}, {"go", "SABM iov=1 t200=50 n200=3 n201=1000 md=500 mu=0 kd=40 ku=30"},
      {"u UA t200=40 n200=1 n201=1520 md=0 mu=24320 kd=100 ku=31", "open abm"}, {"u SABM", "open"},
      {"go", "UA iov=2 t200=50 n200=3 n201=1000 md=500 mu=24320 kd=40 ku=30"}}},
    {"a proposal is bounded", .shows = true, .values = {1000, 500, 400, 50, 40, 30, 3},
     .steps = {{"u SABM t200=10 n200=9 n201=1200 md=0 mu=100 kd=255 ku=5", "open abm"},
      {"go", "UA iov=1 t200=50 n200=9 n201=1000 md=500 mu=100 kd=40 ku=5"}}},
    {"what is not proposed has its default", .shows = true, .values = {1520, 0, 0, 10, 127, 127, 1},
     .steps = {{"u SABM", "open abm"}, {"go", "UA iov=1 t200=50 n200=3 n201=1503 md=1520 mu=1520 kd=16 ku=16"}}},
    {"m below N201-I holds one frame", .shows = true, .values = {1000, 500, 400, 50, 4, 4, 3},
     .steps = {{"u SABM md=9 mu=9", "open abm"}, {"go", "UA iov=1 t200=50 n200=3 n201=1000 md=63 mu=63 kd=4 ku=4"},
      {"send 5 997", "I0:5#0!"}, {"send 5 10", "-"}, {"r 1", ""}, {"more", "I1:5#1!"}}},
    {"an answer with m below N201-I", .values = {1000, 0, 0, 50, 4, 4, 3},
     .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u UA md=9", "open abm"}, {"send 5 997", "I0:5#0!"}}},
    {"the window of the answer", .values = {1000, 0, 0, 50, 4, 4, 3},
     .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u UA kd=1 ku=4", "open abm"}, {"put 5 10", ""}, {"put 5 10", ""}, {"go", "I0:5#0!"},
      {"i 1 0 5 1 10", ""}, {"i 3 0 5 1 10", ""}, {"i 0 0 5 0 10", "d5#0=0 d5#1=0"}}},
    {"other proposals hold from the next establishment on", .shows = true, .values = {1000, 500, 400, 50, 40, 30, 3},
     .steps = {{"establish", "setup"}, {"go", "SABM iov=1 t200=50 n200=3 n201=1000 md=500 mu=400 kd=40 ku=30"},
      {"kind t200=60 n200=4 n201=500 md=300 mu=200 kd=40 ku=30", ""}, {"u UA", "open abm"}, {"send 5 997", "I0:5#0!"}, {"r 1", ""},
      {"u DM0", "fail setup"}, {"go", "SABM iov=2 t200=60 n200=4 n201=500 md=300 mu=200 kd=40 ku=30"}, {"u UA", "open abm"},
      {"send 5 997", "I0:5#1> I1:5> I2:5!"}, {"u SABM", "open"}, {"go", "UA iov=3 t200=60 n200=4 n201=500 md=300 mu=200 kd=40 ku=30 I0:5#1> I1:5> I2:5!"}}},
    {"each establishment has another IOV-I", .shows = true,
     .steps = {{"u SABM", "open abm"}, {"go", "UA iov=1 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}, {"u SABM", "open"},
      {"go", "UA iov=2 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}, {"u DM0", "fail setup"},
      {"go", "SABM iov=3 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}, {"u SABM iov=77", ""},
      {"go", "UA iov=3 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}, {"u UA iov=78", "open abm"}, {"u DM0", "fail setup"},
      {"go", "SABM iov=4 t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}}},
    {"the mobile names none", .is_mobile = true, .shows = true,
     .steps = {{"establish", "setup"}, {"go", "SABM t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}, {"u UA iov=5", "open abm"},
      {"u SABM iov=6", "open"}, {"go", "UA t200=50 n200=3 n201=500 md=1520 mu=1520 kd=4 ku=4"}}},
    {"crossing SABMs: the answer is bounded by what both allow", .shows = true, .values = {500, 0, 0, 50, 8, 8, 3},
     .steps = {{"establish", "setup"}, {"go", "SABM iov=1 t200=50 n200=3 n201=500 md=0 mu=0 kd=8 ku=8"},
      {"u SABM t200=70 n200=3 n201=300 md=90 mu=80 kd=2 ku=9", ""}, {"go", "UA iov=1 t200=70 n200=3 n201=300 md=90 mu=80 kd=2 ku=8"},
      {"u UA t200=70 n200=3 n201=300 md=90 mu=80 kd=2 ku=8", "open abm"}, {"send 5 400", "I0:5#0> I1:5!"}, {"send 5 10", "-"}}},
    {"an XID exchange", .values = {1000, 0, 0, 50, 4, 4, 3},
     .steps = {OPEN, {"send 5 900", "I0:5#0!"}, {"bound n201=200 kd=2 ku=4 md=0 mu=0 t200=50 n200=3", ""}, {"send 5 190", "I1:5#1!"}, {"send 5 10", "-"},
      {"r 2", ""}, {"more", "I2:5#2!"}, {"send 5 300", "I3:5#3>! -"}, {"r 4", ""}, {"more", "I4:5!"}, {"b 1000", "d5#0=0"},
      {"u SABM", "open"}, {"go", "UA I0:5#3> I1:5!"}, {"b 201", "fail setup"}}},
    {"an XID exchange without acknowledged mode", .shows = true, .values = {1000, 0, 0, 50, 4, 4, 3},
     .steps = {{"bound n201=200 kd=2 ku=3 md=30 mu=20 t200=90 n200=5", ""}, {"u SABM", "open abm"},
      {"go", "UA iov=1 t200=90 n200=5 n201=200 md=30 mu=20 kd=2 ku=3"}}},
    {"T200 of the answer", .values = {500, 0, 0, 1, 4, 4, 1},
     .steps = {{"establish", "setup"}, {"go", "SABM"}, {"u UA n200=2", "open abm"}, {"put 5 9", ""}, {"go", "I0:5#0!"}, {"t", ""},
      {"go", "RI0:5#0!"}, {"t", ""}, {"go", "RI0:5#0!"}, {"t", ""}, {"go", "fail SABM setup"}}},
};

static const struct row queues[] = {
    {"those of the queue go before others", .steps = {OPEN, {"put 5 10", ""}, {"send 6 10", "-"}, {"go", "I0:5#0!"}, {"more 6", "I1:6#0!"}}},
    {"those of the queue do not go between the segments of another", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"send 6 300", "I0:6#0> I1:6>! -"},
     {"put 5 10", ""}, {"r 2", ""}, {"go", ""}, {"more 6", "I2:6!"}, {"go", "I3:5#0!"}, {"u SABM", "open"}, {"go", "UA I0:6#0> I1:6>!"}, {"r 2", ""}, {"go", "I2:6 I3:5#0!"}}},
    {"those of the queue go when the other is forgotten", .values = {140, 0, 0, 50, 2, 2, 3}, .steps = {OPEN, {"send 6 300", "I0:6#0> I1:6>! -"},
     {"put 5 10", ""}, {"forget 6", ""}, {"r 2", ""}, {"go", "I2:5#0!"}}},
    {"numbers of NSAPIs", .steps = {OPEN, {"put 5 10", ""}, {"put 6 10", ""}, {"put 5 10", ""}, {"put 15 10", ""},
     {"go", "I0:5#0 I1:6#0 I2:5#1 I3:15#0!"}}},
    {"the window, and A on the last", .steps = {OPEN, {"put 5 1500", ""}, {"put 5 1500", ""}, {"go", "I0:5#0> I1:5> I2:5> I3:5!"}, {"r 3", ""},
     {"go", "I4:5#1> I5:5> I6:5>!"}, {"r 7", ""}, {"go", "I7:5!"}}},
    {"an empty N-PDU", .steps = {OPEN, {"put 5 0", ""}, {"go", "I0:5#0!"}, {"r 1", ""}}},
    {"repetitions go before the queue", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"put 5 10", ""}, {"lost", ""}, {"go", "RI0:5#0 I1:5#1!"}}},
    {"emptied with frames, then put again", .steps = {OPEN, {"put 5 900", ""}, {"put 5 10", ""}, {"put 5 10", ""}, {"put 5 10", ""},
     {"go", "I0:5#0> I1:5 I2:5#1 I3:5#2!"}, {"r 2", ""}, {"i 1 0 5 1 10", ""}, {"empty", "drop adm"}, {"t", "never"}, {"go", ""}, {"back", ""}, {"establish", "setup"},
     {"go", "SABM"}, {"u UA", "open abm"}, {"go", "I0:5#1 I1:5#2 I2:5#3!"}}},
    {"emptied while it is set up", .steps = {{"put 5 10", ""}, {"establish", "setup"}, {"empty", "adm"}, {"go", ""}, {"t", "never"}}},
    {"emptied: frames of the other side are answered", .steps = {OPEN, {"empty", "adm"}, {"i 0 0 5 0 10", ""}, {"go", "DM0"}}},
    {"a context is forgotten: its N-PDUs in the queue", .steps = {{"put 5 10", ""}, {"put 6 10", ""}, {"put 5 10", ""}, {"establish", "setup"}, {"forget 5", ""},
     {"go", "SABM"}, {"u UA", "open abm"}, {"go", "I0:6#0!"}, {"put 5 10", ""}, {"go", "I1:5#0!"}}},
    {"a context is forgotten: half of the first in the queue has gone", .values = {140, 0, 0, 50, 1, 4, 3}, .steps = {OPEN, {"put 5 300", ""}, {"put 6 300", ""},
     {"go", "I0:5#0>!"}, {"forget 5", ""}, {"r 1", ""}, {"go", "I1:6#0>!"}, {"r 2", ""}, {"go", "I2:6>!"}}},
    {"a context is forgotten: another one's half", .values = {140, 0, 0, 50, 1, 4, 3}, .steps = {OPEN, {"put 6 300", ""}, {"put 5 300", ""},
     {"go", "I0:6#0>!"}, {"forget 5", ""}, {"r 1", ""}, {"go", "I1:6>!"}, {"r 2", ""}, {"go", "I2:6!"}, {"r 3", ""}, {"go", ""}}},
    {"a context is forgotten: its frames are not sent in another establishment", .steps = {OPEN, {"put 5 10", ""}, {"put 6 10", ""}, {"go", "I0:5#0 I1:6#0!"},
     {"forget 5", ""}, {"lost", ""}, {"go", "RI0:5#0 RI1:6#0!"}, {"u SABM", "open"}, {"go", "UA I0:6#0!"}, {"put 5 10", ""}, {"go", "I1:5#0!"}}},
    {"a context is forgotten: numbers received begin at 0", .steps = {OPEN, {"i 0 0 5 7 10", "d5#7=0"}, {"u SABM", "open"}, {"i 0 0 5 7 10", "d5#7=4"},
     {"forget 5", ""}, {"i 1 0 5 7 10", "d5#7=0"}}},
};

static const struct row timing[] = {
    {"a pause: T200 begins again", .steps = {{"establish", "setup"}, {"go", "SABM"}, {"pause", ""}, {"t", ""}, {"go", "SABM"}}},
    {"a pause without a timer", .steps = {OPEN, {"pause", ""}, {"t", "never"}}},
    {"a pause does not count", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"t", ""}, {"pause", ""}, {"t", ""}, {"pause", ""}, {"t", ""}, {"t", ""}, {"t", ""},
     {"go", "RI0:5#0!"}, {"r 1", ""}, {"t", "never"}}},
    {"all frames were lost", .steps = {OPEN, {"put 5 10", ""}, {"put 5 10", ""}, {"go", "I0:5#0 I1:5#1!"}, {"lost", ""}, {"go", "RI0:5#0 RI1:5#1!"}}},
    {"some were lost: the other side is asked", .steps = {OPEN, {"put 5 10", ""}, {"go", "I0:5#0!"}, {"ask", ""}, {"go", "C:RR0!"}, {"r 1", ""}, {"go", ""}}},
    {"nothing to lose", .steps = {{"lost", ""}, {"ask", ""}, {"go", ""}, OPEN, {"lost", ""}, {"ask", ""}, {"go", ""}}},
    {"the peer is busy", .steps = {OPEN, {"n 0", ""}, {"put 5 10", ""}, {"go", ""}, {"send 5 10", "-"}, {"t", ""}, {"go", "C:RR0!"}, {"t", ""}, {"go", "C:RR0!"}, {"r 0", ""},
     {"go", "I0:5#0!"}, {"more", "I1:5#1!"}}},
};
/* clang-format on */

TEST_CALL(establishment, rig_walk(establishing, COUNT(establishing)))
TEST_CALL(release, rig_walk(ending, COUNT(ending)))
TEST_CALL(failures, rig_walk(failing, COUNT(failing)))
TEST_CALL(values, rig_walk(parameters, COUNT(parameters)))
TEST_CALL(queue, rig_walk(queues, COUNT(queues)))
TEST_CALL(time_and_loss, rig_walk(timing, COUNT(timing)))

/* N-PDUs that were never sent take no numbers: of more than SN_MOST_UNCONFIRMED the receiver could not say
 * whether they were before. */
TEST(numbers_of_abandoned_n_pdus)
{
    static struct rig rig;
    rig_begin(&rig, &(struct row){.name = ""});
    for (unsigned i = 0; i < 200; i++)
        rig_step(&rig, "put 5 10");
    rig_step(&rig, "establish");
    rig_step(&rig, "go");
    rig_step(&rig, "u DM");
    rig_step(&rig, "put 5 10");
    rig_step(&rig, "establish");
    rig_step(&rig, "go");
    rig_step(&rig, "u UA");
    rig.said[0] = 0;
    rig_step(&rig, "go");
    assert_string_equal(rig.said, "I0:5#0!");
    rig_end(&rig, "abandoned");
}

/* T200 runs from SABM or DISC on, each time. */
TEST(t200_begins_with_the_frame)
{
    static const char *const steps[] = {"establish", "go", "t", "go", "u UA", "release", "go", "t", "go"};
    static struct rig rig;
    rig_begin(&rig, &(struct row){.name = ""});
    for (size_t i = 0; i < COUNT(steps); i++) {
        rig_step(&rig, steps[i]);
        rig.now += MOMENT_SECOND;
        if (strcmp(steps[i], "go") == 0)
            assert_int_equal(rig.link.due_ns, rig.now + 4 * MOMENT_SECOND);
    }
    rig_end(&rig, "T200");
}

/* The mobile takes IOV-I of SABM and of UA, the network of neither. */
TEST(iov_of_each_side)
{
    static struct rig rig;
    static const struct {
        const char *frame;
        uint32_t mobile, network;
    } rows[] = {{"u SABM iov=5", 5, 1}, {"u SABM", 5, 2}, {"u SABM iov=4294967295", UINT32_MAX, 3}};
    for (unsigned is_mobile = 0; is_mobile < 2; is_mobile++) {
        rig_begin(&rig, &(struct row){.is_mobile = is_mobile});
        assert_int_equal(rig.link.iov_i, 0x18000000);
        for (size_t i = 0; i < COUNT(rows); i++) {
            rig_step(&rig, rows[i].frame);
            assert_int_equal(rig.link.iov_i, is_mobile ? rows[i].mobile : rows[i].network);
        }
        rig_step(&rig, "u DM0");
        rig_step(&rig, "go");
        rig_step(&rig, "u UA iov=9");
        assert_int_equal(rig.link.iov_i, is_mobile ? 9 : 4);
        rig_end(&rig, "IOV-I");
    }
}

UNIT_MAIN(NULL, NULL)
