"""What Celery workers run. Each task is safe to run twice and makes one service call."""

from celery import shared_task
from django.conf import settings

from roulette_site.common.sql import database_now

from . import draws
from .services import advance, publishing, telling


@shared_task(queue="rounds")
def advance_round(*, game_round_id: int) -> None:
    """Take a round as far as it can go."""
    advance.advance_round(game_round_id=game_round_id, key=draws.read_key(settings.DRAW_KEY_FILE), now=database_now)


@shared_task(queue="rounds")
def open_individual_round(*, seat_id: int) -> None:
    """Open the next round of a seat at an individual table."""
    advance.open_individual_round(seat_id=seat_id, key=draws.read_key(settings.DRAW_KEY_FILE), at=database_now())


@shared_task(queue="rounds")
def sweep() -> None:
    """Move on whatever is overdue; beat calls it every second."""
    advance.sweep(key=draws.read_key(settings.DRAW_KEY_FILE), now=database_now)


@shared_task(queue="background")
def publish_rules(*, rules_id: int) -> None:
    """Render a version of the specific rules to its public page."""
    publishing.publish_rules(rules_id=rules_id, at=database_now())


@shared_task(queue="background")
def tell_players_of_rules() -> None:
    """Tell players of rules that have come into force at a table of theirs; beat calls it every ten minutes."""
    telling.tell_players_of_rules(at=database_now())
