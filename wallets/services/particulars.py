"""Correcting what a player has said about himself: a name or a birth date that is not what his papers show.

One account a person: who mistyped his name must not have to register anew.
"""

import datetime as dt

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.reasons import clean_reason
from wallets.models import InboxKind, KycState, Person, Player, User
from wallets.personal import check_birth_date, check_full_name
from wallets.selectors.people import operator_day

from .caps import check_independent
from .gates import lock_player
from .inbox import tell_player
from .people import PersonErased, record_person
from .standing import set_kyc_state


class NothingToCorrect(RuleBroken):
    """Name and birth date are on record just so."""

    code = "nothing_to_correct"


def correct_particulars(
    *, player: Player, full_name: str, birth_date: dt.date, reason: str, actor: str, at: dt.datetime
) -> Player:
    """Put another name or birth date on record, and have registry and doubles looked through by it.

    Who was verified was so under the old ones: he is checked anew, and the register of excluded people is asked before
    he plays on. He is told. The trail says which of the two was changed, and never to what. Nobody corrects himself.
    Raises NameRefused, BirthDateRefused, TooYoung, NothingToCorrect, ReasonMissing, OwnBenefit, PersonErased.
    """
    name = check_full_name(full_name)
    check_birth_date(birth_date, today=operator_day(at))
    clean_reason(reason)
    check_independent(player=player, actors=(actor,))
    with audited():
        player = lock_player(player)
        user = User.objects.get(pk=player.user_id)
        person = Person.objects.select_for_update().filter(user=user).first()
        if person is not None and person.erased_at is not None:
            raise PersonErased("The data of this person were erased.")
        known_date = None if person is None else person.birth_date
        changed = [
            *(["full_name_changed"] if name != user.full_name else []),
            *(["birth_date_changed"] if birth_date != known_date else []),
        ]
        if not changed:
            raise NothingToCorrect("Name and birth date are on record just so.")
        user.full_name = name
        user.save(update_fields=["full_name"])
        record_person(user=user, birth_date=birth_date, at=at)
        # By the new ones he may be whom the member of the staff must not decide about.
        check_independent(player=Player.objects.select_related("user").get(pk=player.pk), actors=(actor,))
        about = dict.fromkeys(changed, True)
        record(
            act="particulars_corrected", actor=actor, subject=("player", player.pk), after=about, reason=reason, at=at
        )
        if player.kyc_state == KycState.VERIFIED:
            return set_kyc_state(player=player, state=KycState.PENDING, reason=reason, actor=actor, at=at)
        tell_player(player=player, kind=InboxKind.IDENTITY, data={"state": "corrected"}, at=at)
        return player
