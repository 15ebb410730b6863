"""Publishing the specific rules (preamble 4): one page a version, rendered once, permanent and free."""

import datetime as dt
import hashlib

from django.template.loader import render_to_string

from roulette_site.common.audit import audited, record
from roulette_site.common.errors import RuleBroken
from roulette_site.common.models import Operator
from tables.models import PublishedRules, RulesStatus, SpecificRules
from tables.selectors.rules import rules_page

PUBLISHED = "rules_published"


class RulesNotApproved(RuleBroken):
    """Only approved rules are published (preamble 3)."""

    code = "rules_not_approved"


def publish_rules(*, rules_id: int, at: dt.datetime) -> PublishedRules:
    """Render the version to its public page and keep it; a page that stands is returned as it is.

    Raises RulesNotApproved.
    """
    with audited():
        rules = SpecificRules.objects.select_for_update(no_key=True).get(pk=rules_id)
        standing = PublishedRules.objects.filter(rules=rules).first()
        if standing is not None:
            return standing
        if rules.status != RulesStatus.APPROVED:
            raise RulesNotApproved(f"{rules} is not approved.")
        html = render_to_string(
            "tables/published_rules.html", {"page": rules_page(rules), "operator": Operator.objects.first()}
        )
        page = PublishedRules.objects.create(
            rules=rules, html=html, sha256=hashlib.sha256(html.encode()).hexdigest(), published_at=at
        )
        # The page's digest stands where the page cannot be changed along with it.
        record(act=PUBLISHED, actor="system", subject=("rules", rules.pk), after={"sha256": page.sha256}, at=at)
        return page
