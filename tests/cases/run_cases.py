#!/usr/bin/env python3
"""Hold `manage.py settle --lines` against the cases of this folder.

Usage, from the project's root:   ../shared/cases/run_cases.py [-c COMMAND] [FOLDER]

COMMAND (default: "python manage.py settle --lines") reads one JSON request a line on standard input and answers each with
one JSON line, in order; README.md beside this file says what both look like. FOLDER defaults to this one. Ends with
"N passed, N failed"; the exit status is 1 if a case failed.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys

KINDS = ("settle", "limits", "layout", "callbet", "neighbours", "zero")
WORDS = {"win": "won", "lose": "lost", "half": "half", "ended": "refunded", "no_bet": None}


def read(folder):
    return [c for k in KINDS for c in json.loads((folder / f"{k}.json").read_text())]


def call(g):
    bet = {"call": g.get("name") or g.get("callbet"), "unit": g.get("unit", "1.00")}
    return bet | {k: g[k] for k in ("digit", "number", "neighbours") if k in g}


def request(case):
    """The request that puts this case, or None where the command is not what it is about."""
    g, kind = case["given"], case["kind"]
    ask = {"rulebook": case["regime"]}
    if kind == "settle":
        return ask | {"bets": g["bets"], "numbers": [g["winning"]]}
    if kind == "zero":
        choices = []
        for one in g["choices"]:
            if isinstance(one, dict):
                one = {str(i): one[b["type"]] for i, b in enumerate(g["bets"]) if b["type"] in one}
            choices.append(one)
        return ask | {
            "bets": g["bets"],
            "numbers": g["spins"],
            "choices": choices,
            "last_round": g.get("session_ends_on_last_spin", False),
        }
    if kind == "limits":
        if "chip_value" in g:
            return ask | {"minimum": g["min"], "chip_value": g["chip_value"], "bets": []}
        bet = g["bet"] if "bet" in g else call(g)
        ask |= {"minimum": g["min"], "bets": [bet], "placed": g.get("already_placed", [])}
        return ask | ({"options": g["options"]} if "options" in g else {})
    if kind == "layout" and "numbers" in g:
        bet = {"on": g["numbers"], "stake": "1.00"}
        return ask | {"bets": [bet | ({"type": g["claimed"]} if "claimed" in g else {})]}
    if kind == "callbet" and "names" not in g and "balance" not in g:
        return ask | {"bets": [call(g)]} | ({"numbers": [g["winning"]]} if "winning" in g else {})
    if kind == "neighbours":
        bet = call(g | {"name": "neighbours"})
        return ask | {"bets": [bet]} | ({"numbers": [g["winning"]]} if "winning" in g else {})
    return None


def faults(case, ask, answer):
    """What of the answer differs from what the case expects."""
    e, kind, out = case["expect"], case["kind"], []

    def same(what, want, got):
        if want != got:
            out.append(f"{what}: want {want!r}, got {got!r}")

    want_ok = e.get("accept", e.get("valid", True))
    same("accepted", want_ok, answer.get("accepted"))
    if out:
        return out
    if not want_ok:
        if "reason" in e:
            reasons = [b.get("reason") for b in answer.get("breaches", [])]
            if e["reason"] not in reasons:
                out.append(f"reason: want {e['reason']!r}, got {reasons!r}")
        if "maximum" in e:
            same("maximum", e["maximum"], answer["breaches"][0].get("maximum"))
        return out
    bets = answer.get("bets", [])
    if kind == "limits" and "maximum" in e:
        same("maximum", e["maximum"], bets[0].get("maximum"))
    if kind == "layout":
        same("type", e["type"], bets[0].get("type"))
    for key, ours in (("staked", "staked"), ("total", "staked"), ("returned", "returned"), ("net", "net")):
        if key in e:
            same(key, e[key], answer.get(ours))
    for i, want in enumerate(e.get("per_bet", [])):
        got = answer["steps"][0]["bets"][i]
        same(f"bet {i} result", WORDS.get(want["result"], want["result"]), got.get("result"))
        for key in ("prize", "returned"):
            if key in want:
                same(f"bet {i} {key}", want[key], got.get(key))
    if "bets" in e:

        def flat(seq):
            return sorted((b["type"], json.dumps(b.get("on")), b["stake"]) for b in seq)

        same("bets", flat(e["bets"]), flat(bets))
    if "numbers" in e:
        if kind == "neighbours":
            same("numbers", e["numbers"], [b["on"][0] for b in bets])
        else:
            same("numbers", sorted(e["numbers"]), sorted({n for b in bets for n in b["numbers"]}))
    if kind == "zero":
        for i, want in enumerate(e["steps"]):
            got = answer["steps"][i]
            same(f"step {i} returned", want["returned"], got.get("returned"))
            word = WORDS.get(want["state"], want["state"])
            if len(ask["bets"]) == 1 and word:
                same(f"step {i} result", word, got["bets"][0].get("result"))
                if "may_withdraw" in want:
                    same(f"step {i} may_withdraw", want["may_withdraw"], got["bets"][0].get("may_withdraw"))
    return out


def main():
    here = pathlib.Path(__file__).resolve().parent
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-c", "--command", default="python manage.py settle --lines")
    p.add_argument("folder", nargs="?", type=pathlib.Path, default=here)
    args = p.parse_args()
    pairs = [(c, r) for c in read(args.folder) if (r := request(c))]
    ran = subprocess.run(
        shlex.split(args.command), input="".join(json.dumps(r) + "\n" for _, r in pairs), capture_output=True, text=True
    )
    lines = [line for line in ran.stdout.splitlines() if line.startswith("{")]
    if len(lines) != len(pairs):
        print(ran.stderr[-2000:])
        print(f"{len(pairs)} requests, {len(lines)} answers, exit status {ran.returncode}")
    failed = 0
    for i, (case, ask) in enumerate(pairs):
        try:
            bad = faults(case, ask, json.loads(lines[i])) if i < len(lines) else ["no answer"]
        except Exception as e:  # an answer of another shape is a failed case, not a crash
            bad = [f"answer of another shape: {e!r}: {lines[i][:200]}"]
        if bad:
            failed += 1
            print(f"{case['id']} ({case['regime']}): {'; '.join(bad)}\n    request {json.dumps(ask)}")
    print(f"{len(pairs) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
