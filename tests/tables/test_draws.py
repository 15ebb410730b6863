"""The draw: unbiased, committed to, and never from the clock."""

import json
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from tables import draws

CASES = {case["id"]: case for case in json.loads((Path(__file__).parent.parent / "cases" / "rng.json").read_text())}
KEY = bytes(range(32))


@pytest.mark.article("pt:2")
def test_rng_001_every_pocket_is_as_likely_as_another() -> None:
    case = CASES["RNG-001"]
    draws_wanted = case["given"]["draws"]
    seed = bytes(32)
    counts = Counter(draws.draw_number(seed, "chi-square", n) for n in range(draws_wanted))
    expected = draws_wanted / case["given"]["pockets"]
    chi_square = sum((counts[n] - expected) ** 2 / expected for n in range(37))
    assert set(counts) == set(range(37))
    assert chi_square < case["expect"]["chi_square_below"]


def test_rng_003_bytes_from_222_are_thrown_away() -> None:
    case = CASES["RNG-003"]
    assert list(draws.numbers_from(case["given"]["bytes"])) == case["expect"]["numbers"]


def test_every_number_has_exactly_six_of_the_bytes() -> None:
    counts = Counter(draws.numbers_from(range(256)))
    assert counts == dict.fromkeys(range(37), 6)


def test_rng_004_two_processes_of_the_same_instant_draw_differently() -> None:
    wanted = CASES["RNG-004"]["given"]["draws_each"]
    code = f"from tables import draws; print([draws.fresh_seed().hex() for _ in range({wanted})])"
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = (process.communicate()[0] for process in processes)
    assert len(eval(first)) == wanted
    assert first != second


def test_a_number_of_a_known_seed_is_known() -> None:
    # Written down once: whoever recomputes a round years later must find the same algorithm.
    seed = bytes.fromhex("00" * 31 + "01")
    numbers = [draws.draw_number(seed, "solo", n, "my own seed") for n in range(1, 9)]
    assert numbers == [5, 27, 12, 31, 24, 19, 21, 7]


def test_the_stream_goes_on_when_a_block_is_used_up() -> None:
    # 0 to 36 from one block of 32 bytes is not enough for 100 numbers.
    numbers = list(islice(draws.numbers_from(draws._stream(bytes(32), "long")), 100))
    assert len(numbers) == 100


def test_table_round_and_client_seed_each_change_the_number() -> None:
    seed = bytes(32)
    base = [draws.draw_number(seed, "solo", n) for n in range(40)]
    assert base != [draws.draw_number(seed, "lisboa", n) for n in range(40)]
    assert base != [draws.draw_number(seed, "solo", n + 1) for n in range(40)]
    assert base != [draws.draw_number(seed, "solo", n, "x") for n in range(40)]


def test_a_sealed_seed_opens_for_its_own_round_alone() -> None:
    seed = draws.fresh_seed()
    sealed = draws.seal(seed, KEY, "1/7")
    assert seed not in sealed
    assert draws.unseal(sealed, KEY, "1/7", draws.commitment_of(seed)) == seed
    for wrong in (
        (sealed, KEY, "1/8", draws.commitment_of(seed)),
        (sealed, bytes(32), "1/7", draws.commitment_of(seed)),
        (sealed[:-1] + bytes([sealed[-1] ^ 1]), KEY, "1/7", draws.commitment_of(seed)),
        (sealed, KEY, "1/7", draws.commitment_of(b"another")),
    ):
        with pytest.raises(draws.SeedDoesNotMatch):
            draws.unseal(*wrong)


@pytest.mark.parametrize("content", [None, "", "00", "zz" * 32, "00" * 33])
def test_a_process_without_a_right_key_says_so(tmp_path: Path, content: str | None) -> None:
    key_file = tmp_path / "draw.key"
    if content is not None:
        key_file.write_text(content)
    with pytest.raises(draws.DrawKeyMissing):
        draws.read_key(str(key_file))
    with pytest.raises(draws.DrawKeyMissing):
        draws.read_key("")


def test_the_key_file_of_a_worker_is_read(tmp_path: Path) -> None:
    key_file = tmp_path / "draw.key"
    key_file.write_text(KEY.hex() + "\n")
    assert draws.read_key(str(key_file)) == KEY
