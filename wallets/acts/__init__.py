"""The acts on players that one person asks for and another decides (roulette_site/common/four_eyes.py).

Each module has those of one subject, and lists them as ACTS.
"""

from roulette_site.common.four_eyes import register

from . import money, payments, protection, roles, standing


def register_acts() -> None:
    """Make them known; called when the app is ready."""
    for subject in (money, payments, roles, protection, standing):
        for act in subject.ACTS:
            register(act)
