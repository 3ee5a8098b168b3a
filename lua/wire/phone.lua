-- SPDX-License-Identifier: BSD-3-Clause
-- Messages between phones and network as tables: GMM, SM, and CP and RP of SMS.
--
--   phone.gmm_decode(octets, sender)     a message that "ms" or "sgsn" sends, { message = its name, and fields by
--                                        theirs }; nil, a word, the cause that the clauses say, its type (0: not read)
--   phone.sm_decode(octets, sender)      as gmm_decode(), with ti, the transaction, and ti_flag, 0 in messages of the
--                                        side that began it; behind the type of a refused one, too. Cause 0: it is to
--                                        be ignored
--   phone.cp_decode(octets, sender)      as gmm_decode(), with ti and ti_flag
--   phone.rp_decode(octets, sender)      as gmm_decode(), with its reference; behind the type of a refused one, too,
--                                        where that was read
--   phone.gmm_encode(message), phone.sm_encode(message), phone.cp_encode(message), phone.rp_encode(message)
--                                        octets; an error names what has no place
--   phone.identity(octets), phone.identity_octets(kind, value)     decode() and encode() of wire.identity
--
-- Fields are numbers, or octets, but for rai (wire.l3).
local gmm = require "wire.gmm"
local identity = require "wire.identity"
local sm = require "wire.sm"
local sms = require "wire.sms"

return {
  gmm_decode = gmm.decode, gmm_encode = gmm.encode,
  sm_decode = sm.decode, sm_encode = sm.encode,
  cp_decode = sms.cp_decode, cp_encode = sms.cp_encode,
  rp_decode = sms.rp_decode, rp_encode = sms.rp_encode,
  identity = identity.decode, identity_octets = identity.encode,
}
