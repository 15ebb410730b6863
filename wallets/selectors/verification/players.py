"""The proofs of what a player may: his states, limits and exclusions."""

from roulette_site.common.verification import Check, differences
from wallets.guards import RESTRICTED_REGISTRY
from wallets.selectors.gates import find_wrong_gates
from wallets.selectors.registers import find_wrong_register_exclusions
from wallets.selectors.restricted import find_unrestricted

_STANDING = f"""
WITH changes AS (
  SELECT c.*, lag(c.after) OVER (PARTITION BY c.player_id, c.field ORDER BY c.id) AS was,
    lead(c.id) OVER (PARTITION BY c.player_id, c.field ORDER BY c.id) AS next_id FROM wallets_standingchange c
), says (player_id, field, now, first) AS (
  SELECT id, 'kyc_state', kyc_state, 'unverified' FROM wallets_player
  UNION ALL SELECT id, 'standing', standing, 'active' FROM wallets_player
  UNION ALL SELECT id, 'is_restricted', CASE WHEN is_restricted THEN 'true' ELSE 'false' END, 'false'
    FROM wallets_player
)
SELECT s.player_id, s.field FROM says s LEFT JOIN changes c
  ON c.player_id = s.player_id AND c.field = s.field AND c.next_id IS NULL
WHERE s.now <> COALESCE(c.after, s.first)
UNION SELECT c.player_id, c.field FROM changes c JOIN says s ON s.player_id = c.player_id AND s.field = c.field
WHERE c.before <> COALESCE(c.was, s.first)
UNION SELECT c.player_id, c.field FROM changes c
WHERE (c.field = 'standing' AND c.before = 'suspended' AND c.after = 'active'
  OR c.field = 'is_restricted' AND c.after = 'false' AND c.actor <> '{RESTRICTED_REGISTRY}')
  AND c.second_actor IN ('', c.actor) ORDER BY 1, 2
"""

# What the triggers refuse, proved once more from the rows.
_LIMITS = """
WITH steps AS (
  SELECT l.*, lag(l.value) OVER w AS was, lag(l.id) OVER w AS row_before FROM wallets_limit l
  WINDOW w AS (PARTITION BY l.player_id, l.side, l.kind, l.period ORDER BY l.id)
)
SELECT s.id FROM steps s LEFT JOIN wallets_loosening w ON w.id = s.loosening_id
WHERE (s.side = 'player' AND s.actor <> 'player:' || s.player_id)
  OR (s.was IS NOT NULL AND (s.value IS NULL OR s.value > s.was) AND (
    (s.side = 'operator' AND s.second_actor IN ('', s.actor))
    OR (s.side = 'player' AND (w.id IS NULL OR w.player_id <> s.player_id OR w.kind <> s.kind OR w.period <> s.period
      OR w.departs_from_id <> s.row_before OR COALESCE(w.value, -1) <> COALESCE(s.value, -1)
      OR s.set_at < w.confirmable_at OR s.set_at >= w.lapses_at))
  )) ORDER BY s.id
"""

# A closed account has nothing, and waits for nothing.
_CLOSED = """
SELECT p.id FROM wallets_player p WHERE p.standing = 'closed' AND (
  EXISTS (SELECT 1 FROM wallets_account a WHERE a.player_id = p.id AND a.unit = 'EUR' AND a.balance_cents > 0)
  OR EXISTS (SELECT 1 FROM wallets_cashrequest r JOIN wallets_account a ON a.id = r.account_id
    WHERE a.player_id = p.id AND r.kind = 'withdrawal' AND r.state NOT IN ('paid', 'refused'))
)
UNION SELECT p.id FROM wallets_player p JOIN wallets_user u ON u.id = p.user_id
WHERE u.is_active AND p.standing = 'closed' OR NOT u.is_active AND p.standing NOT IN ('closed', 'closing')
ORDER BY 1
"""

CHECKS = (
    Check(
        "standing",
        "every player is in the states that the decisions on record have led to",
        lambda: differences(
            _STANDING, [], "player {0}: {1} was not decided so last, or a decision is missing, or its second person"
        ),
    ),
    Check(
        "player_limits",
        "no limit was loosened but by the player after a day, or by two people of the operator",
        lambda: differences(_LIMITS, [], "limit {0} is looser than it may be"),
    ),
    Check(
        "registers",
        "whom the register lists is excluded, its answers alone exclude and free, and each was asked for",
        find_wrong_register_exclusions,
    ),
    Check("restricted", "whom the registry names, and who is of the staff, plays for no money", find_unrestricted),
    Check("gates", "every wallet is barred and limited as its player's rows say", find_wrong_gates),
    Check(
        "closed",
        "a closed account holds no money and waits for none, and its player alone logs in no more",
        lambda: differences(
            _CLOSED, [], "player {0}: the account is closed and not at its end, or its login does not follow it"
        ),
    ),
)
