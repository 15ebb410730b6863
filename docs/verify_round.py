#!/usr/bin/env python3
"""Recompute a round from its receipt, without the site that made it: Python 3 and this file are all it takes.

    python3 verify_round.py receipt.json rulebook.json

The receipt is downloaded from the page of the round, or from /api/v1/rounds/<id>/proof?player=<name>; the rulebook from
/api/v1/rulebooks/<code>. Prints what was checked. Ends with 0 where all of it holds, 1 where something does not, and 2
where the files cannot be read.
"""

import hashlib
import hmac
import json
import re
import sys

AMOUNT = re.compile(r"(0|[1-9][0-9]*)\.([0-9]{2})")
ALGORITHM = "hmac-sha256-v1"


class Unreadable(Exception):
    """A file that is no receipt, or no rulebook."""


class Report:
    """What was checked, and whether it held."""

    def __init__(self):
        self.failures = []

    def check(self, holds, promise, otherwise=""):
        """Note a check, and print it."""
        print(f"{'ok' if holds else 'WRONG':7}{promise}{'' if holds else ': ' + otherwise}")
        if not holds:
            self.failures.append(promise)


def cents(text):
    """An amount with two decimals in cents."""
    found = AMOUNT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise Unreadable(f"{text!r} is no amount")
    return int(found[1]) * 100 + int(found[2])


def sha256(data):
    """The SHA-256 of bytes, as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def canonical(value):
    """The one way in which lists and objects are written down to be hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def draw_number(seed, message):
    """The first byte below 222 of the stream of HMAC-SHA256 over message and counter, modulo 37."""
    counter = 0
    while True:
        for byte in hmac.new(seed, f"{message}{counter}".encode(), "sha256").digest():
            if byte < 222:
                return byte % 37
        counter += 1


def result_of(book, spot, number):
    """What the rulebook says of a spot and a number: the kind, and the ratio of the stake that goes back."""
    wager, _, numbers = book["spots"][spot]
    if number in numbers:
        prize, of = book["prizes"][wager]
        return "won", prize + of, of
    if number == 0 and wager in ("red", "black", "even", "odd", "low", "high"):
        kind, back, of = book["zero"]
        return kind, back, of
    return "lost", 0, 1


def check_rules(report, receipt, rulebook):
    """Hold the rulebook to the receipt; the content that everything below is computed from."""
    rules, book = receipt["rules"], rulebook["content"]
    report.check(
        sha256(canonical(book)) == rules["digest"], "the rulebook is the one of the round", "its digest is another"
    )
    report.check(
        (book["code"], book["edition"]) == (rules["rulebook"], rules["edition"]),
        "the rulebook has the code and the edition that the receipt names",
        f"{book['code']} {book['edition']}",
    )
    return book


def check_draw(report, receipt):
    """Recompute the number from the seed, and the commitment from it."""
    draw, played = receipt["draw"], receipt["round"]
    seed, number = draw["seed"], draw["winning_number"]
    if seed is None:
        report.check(number is None, "no number stands before the seed is shown", f"{number} stands")
        return None
    report.check(draw["algorithm"] == ALGORITHM, "the algorithm is one that this file knows", str(draw["algorithm"]))
    raw = bytes.fromhex(seed)
    report.check(
        sha256(raw) == draw["commitment"], "the seed is the one that was committed to", "its SHA-256 is another"
    )
    if number is not None:
        drawn = draw_number(raw, f"{played['table']}:{played['number']}:{draw['client_seed']}:")
        report.check(drawn == number, f"the number is {number}", f"the seed gives {drawn}")
    return number


def check_bets(report, receipt, book, number):
    """Hold the bets to the digest that was sealed at closing, and what came back of them to the rulebook."""
    bets = receipt["bets"]
    if receipt["bets_digest"] is None:
        report.check(bets == [], "no bet is told while bets are open", f"{len(bets)} are")
        return
    listed = "".join(f"{bet['digest']}\n" for bet in bets)
    report.check(
        sha256(listed.encode()) == receipt["bets_digest"],
        "the bets are those that were sealed at closing",
        "their digest is another",
    )
    own = [bet for bet in bets if "salt" in bet]
    staked = returned = 0
    for bet in own:
        stake = cents(bet["stake"])
        staked += stake
        name = f"bet {bet['bet']}, {bet['stake']} on {bet['type']} {bet['numbers']}"
        sealed = [bet["salt"], bet["bet"], bet["slip"], bet["account"], bet["spot"], stake]
        report.check(sha256(canonical(sealed)) == bet["digest"], f"{name}: as it was sealed", "it says something else")
        wager, _, numbers = book["spots"][bet["spot"]]
        report.check(
            (wager, numbers) == (bet["type"], bet["numbers"]), f"{name}: the spot that was sealed", f"{wager} {numbers}"
        )
        if bet["outcome"] is None:
            continue
        kind, back, of = result_of(book, bet["spot"], number)
        due = -(-stake * back // of)
        returned += cents(bet["returned"])
        report.check(
            (kind, due) == (bet["outcome"], cents(bet["returned"])),
            f"{name}: {bet['outcome']}, {bet['returned']} came back",
            f"the rulebook says {kind}, {due // 100}.{due % 100:02}",
        )
    print(f"{len(own)} of {len(bets)} bets are opened: {staked / 100:.2f} staked, {returned / 100:.2f} returned")


def verify(receipt, rulebook):
    """Check everything; returns what did not hold."""
    report = Report()
    try:
        if receipt["schema"] != 1:
            raise Unreadable(f"schema {receipt['schema']} is not known here")
        book = check_rules(report, receipt, rulebook)
        number = check_draw(report, receipt)
        is_paid = receipt["round"]["state"] == "settled"
        report.check(
            is_paid <= (number is not None), "a round that is paid has a number", "there is none, and it was paid"
        )
        check_bets(report, receipt, book, number)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error
    return report.failures


def main(arguments):
    """Read the two files and check them."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        files = []
        for name in arguments:
            with open(name, encoding="utf-8") as file:
                files.append(json.load(file))
        failures = verify(*files)
    except (OSError, ValueError, Unreadable) as error:
        print(f"This cannot be read: {error}", file=sys.stderr)
        return 2
    print("All of it holds." if not failures else f"{len(failures)} of it does not hold.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
