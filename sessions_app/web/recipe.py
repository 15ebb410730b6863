"""The lines with which anyone recomputes the number of a round, on a machine that has never heard of this site."""

from sessions_app.selectors.rounds import PlayedRound

_RECIPE = """\
import hashlib, hmac

seed = bytes.fromhex({seed!r})
assert hashlib.sha256(seed).hexdigest() == {commitment!r}

counter, fair = 0, []
while not fair:
    message = {message!r} + str(counter)
    stream = hmac.digest(seed, message.encode(), "sha256")
    fair = [byte for byte in stream if byte < 222]
    counter += 1
print(fair[0] % 37)
"""


def recipe_of(played: PlayedRound) -> str:
    """The lines, with the round's own values in them; nothing where no number was drawn from a seed."""
    game_round = played.game_round
    if played.winning is None or played.secret is None or played.draw is None:
        return ""
    return _RECIPE.format(
        seed=played.draw.seed_hex,
        commitment=played.secret.commitment,
        message=f"{game_round.table.slug}:{game_round.number}:{game_round.client_seed}:",
    )
