-- SPDX-License-Identifier: BSD-3-Clause
-- Which NS-VCs of an NSE carry traffic, and what that means for its cells: the NSE is up while one of them does.
--
-- nse: { nsei =, usable_nsvcs = count, bvcs = list of bvc owners }; vc: { index =, nse =, usable = }.

local ns_service = {}

function ns_service.tell_bvcs(nse, run, event)
  for _, bvc in ipairs(nse.bvcs) do
    run:tell(bvc.fsm, event)
  end
end

function ns_service.set_usable(vc, run, usable)
  local nse = vc.nse
  local was_up = nse.usable_nsvcs > 0
  vc.usable = usable
  nse.usable_nsvcs = nse.usable_nsvcs + (usable and 1 or -1)
  run:emit({ op = "nsvc_state", nsvc = vc.index, usable = usable })
  local is_up = nse.usable_nsvcs > 0
  if is_up ~= was_up then
    run:log_of("ns", is_up and "info" or "warn", "NSE %d is %s", nse.nsei, is_up and "up" or "down")
    ns_service.tell_bvcs(nse, run, is_up and "nse_up" or "nse_down")
  end
end

-- The NS-VC for a PDU that answers nothing: by the shares of signalling among those that are up, always the same one
-- for a BVC as long as none fails, so that its PDUs do not overtake each other (48.016 §4.4); nil: none.
function ns_service.pick(nse, bvci)
  local sum = 0
  for _, vc in ipairs(nse.nsvcs) do
    sum = sum + (vc.usable and vc.signalling_weight or 0)
  end
  local skip = sum > 0 and bvci % sum
  for _, vc in ipairs(nse.nsvcs) do
    local weight = vc.usable and vc.signalling_weight or 0
    if skip and skip < weight then return vc end
    skip = skip and skip - weight
  end
end

return ns_service
