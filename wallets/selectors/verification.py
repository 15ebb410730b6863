"""The proofs of the ledger."""

from collections.abc import Iterator

from roulette_site.common.verification import Check, differences
from wallets.models import AccountKind, Reason

_K = AccountKind
# From which kind of account to which each reason moves money. A correction may undo any of them.
FLOWS: dict[Reason, tuple[AccountKind, AccountKind]] = {
    Reason.DEPOSIT: (_K.BANK, _K.WALLET),
    Reason.WITHDRAWAL: (_K.WALLET, _K.BANK),
    Reason.STAKE: (_K.WALLET, _K.IN_PLAY),
    Reason.BET_TAKEN_BACK: (_K.IN_PLAY, _K.WALLET),
    Reason.STAKE_RETURNED: (_K.IN_PLAY, _K.WALLET),
    Reason.PRIZE: (_K.HOUSE, _K.WALLET),
    Reason.HALF_BACK: (_K.IN_PLAY, _K.WALLET),
    Reason.STAKE_LOST: (_K.IN_PLAY, _K.HOUSE),
    Reason.VOID_REFUND: (_K.IN_PLAY, _K.WALLET),
}

_BALANCES = """
SELECT a.id, a.balance_cents, COALESCE(c.total, 0) - COALESCE(d.total, 0)
FROM wallets_account a
LEFT JOIN (SELECT credit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY credit_id) c
  ON c.credit_id = a.id
LEFT JOIN (SELECT debit_id, sum(amount_cents) AS total FROM wallets_transfer GROUP BY debit_id) d
  ON d.debit_id = a.id
WHERE a.balance_cents IS NOT NULL AND a.balance_cents <> COALESCE(c.total, 0) - COALESCE(d.total, 0)
ORDER BY a.id
"""

_UNITS = """
SELECT t.id FROM wallets_transfer t
JOIN wallets_account d ON d.id = t.debit_id JOIN wallets_account c ON c.id = t.credit_id
WHERE d.unit <> t.unit OR c.unit <> t.unit OR d.player_id <> c.player_id ORDER BY t.id
"""

_KINDS = """
SELECT t.id, t.reason, d.kind, c.kind
FROM wallets_transfer t JOIN wallets_account d ON d.id = t.debit_id JOIN wallets_account c ON c.id = t.credit_id
WHERE t.reason <> 'correction' AND NOT ({flows}) ORDER BY t.id
"""


_CORRECTIONS = """
SELECT t.id FROM wallets_transfer t JOIN wallets_transfer f ON f.id = t.corrects_id
WHERE t.debit_id <> f.credit_id OR t.credit_id <> f.debit_id OR t.amount_cents > f.amount_cents ORDER BY t.id
"""


def _flows() -> Iterator[str]:
    parts, parameters = [], []
    for reason, (debit, credit) in FLOWS.items():
        parts.append("(t.reason = %s AND d.kind = %s AND c.kind = %s)")
        parameters += [str(reason), str(debit), str(credit)]
    return differences(
        _KINDS.format(flows=" OR ".join(parts)), parameters, "transfer {0}: a {1} cannot go from {2} to {3}"
    )


CHECKS = (
    Check(
        "balances",
        "every balance equals its transfers",
        lambda: differences(_BALANCES, [], "account {0}: the balance is {1} cents, its transfers come to {2}"),
    ),
    Check(
        "units",
        "no transfer joins two units or two players",
        lambda: differences(_UNITS, [], "transfer {0} joins two units or two players"),
    ),
    Check(
        "corrections",
        "every correction undoes the transfer that it names, or a part of it",
        lambda: differences(
            _CORRECTIONS, [], "transfer {0} goes another way than the one that it corrects, or further"
        ),
    ),
    Check("flows", "every transfer goes from and to the kinds of account of its reason", _flows),
)
