"""tools/traceability.py on a small tree of its own: the marks it sees, what follows from them, what it refuses."""

import textwrap

import pytest

from tools import traceability

IDS = """\
# a comment
pt:1\t1 - The first rule.
pt:1a\ta) Its letter, which runs on
pt:1a-i\ti) An item;
pt:1a-ii\tii) Another item;
fr-francaise:1\tLa première phrase.
fr-anglaise:1\tPremière phrase.
"""
PLACES = """\
[[rule]]
rules = "pt:1 .. pt:1a-ii"
where = ["tables/odds.py"]

[[rule]]
rules = "fr-francaise:1"
where = ["tables.odds"]
to_come = "Live tables"

[[rule]]
rules = "fr-anglaise:1"
outside = "the directorate"
"""


class Tree:
    def __init__(self, root):
        self.root = root
        self.write("docs/rules-ids.txt", IDS)
        self.write("docs/rules-places.toml", PLACES)
        self.write("tables/odds.py", "")
        self.write("tests/test_odds.py", "")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")

    def rows(self):
        return {row.rule: row for row in traceability.make_rows(self.root)}

    def tests_of(self, rule):
        return self.rows()[rule].tests

    def faults(self):
        with pytest.raises(traceability.TraceabilityError) as caught:
            traceability.make_rows(self.root)
        return "\n".join(caught.value.faults)

    def run(self, *arguments):
        return traceability.main(["--root", str(self.root), *arguments])


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


class TestStatus:
    MARKED = """
        import pytest

        @pytest.mark.article("pt:1", "fr-francaise:1")
        def test_it(): ...
    """

    def test_a_rule_with_a_module_and_a_test_is_met(self, tree):
        tree.write("tests/test_odds.py", self.MARKED)
        row = tree.rows()["pt:1"]
        assert (row.status, row.detail) == ("met", "")
        assert row.tests == ("tests/test_odds.py::test_it",)

    def test_a_mark_removed_lets_its_rule_fall_back_to_to_come(self, tree):
        tree.write("tests/test_odds.py", self.MARKED)
        tree.write("tests/test_odds.py", self.MARKED.replace('"pt:1", ', ""))
        row = tree.rows()["pt:1"]
        assert (row.status, row.detail, row.tests) == ("to come", "a test that shows it", ())

    def test_what_later_work_brings_is_to_come_whatever_is_tested_already(self, tree):
        tree.write("tests/test_odds.py", self.MARKED)
        row = tree.rows()["fr-francaise:1"]
        assert (row.status, row.detail) == ("to come", "Live tables")
        assert row.tests == ("tests/test_odds.py::test_it",)

    def test_what_is_outside_software_names_who_vouches(self, tree):
        row = tree.rows()["fr-anglaise:1"]
        assert (row.status, row.detail) == ("outside software", "the directorate")

    def test_a_mark_on_what_is_outside_software_is_refused(self, tree):
        tree.write("tests/test_odds.py", self.MARKED.replace("fr-francaise", "fr-anglaise"))
        assert "tests/test_odds.py:4: fr-anglaise:1 is outside software" in tree.faults()


class TestMarks:
    def test_on_a_function_a_method_a_class_and_a_coroutine(self, tree):
        tree.write(
            "tests/test_odds.py",
            """
            import pytest
            from pytest import mark

            @mark.article("pt:1")
            async def test_function(): ...

            @pytest.mark.article("pt:1a")
            class TestClass:
                @pytest.mark.article("pt:1")
                def test_method(self): ...

                class TestInner:
                    @pytest.mark.article("pt:1a-i")
                    def test_deep(self): ...
            """,
        )
        assert tree.tests_of("pt:1") == (
            "tests/test_odds.py::TestClass::test_method",
            "tests/test_odds.py::test_function",
        )
        assert tree.tests_of("pt:1a") == ("tests/test_odds.py::TestClass",)
        assert tree.tests_of("pt:1a-i") == ("tests/test_odds.py::TestClass::TestInner::test_deep",)

    @pytest.mark.parametrize(
        "line",
        [
            'pytestmark = pytest.mark.article("pt:1")',
            'pytestmark = [pytest.mark.django_db, pytest.mark.article("pt:1")]',
            'pytestmark: list = [pytest.mark.article("pt:1")]',
            'article = pytest.mark.article\npytestmark = (article("pt:1"),)',
            'RULES = ("pt:1",)\npytestmark = pytest.mark.article(*RULES)',
            'RULE = "pt:1"\npytestmark = pytest.mark.article(RULE)',
        ],
    )
    def test_on_a_module(self, tree, line):
        tree.write("tests/test_odds.py", f"import pytest\n{line}\ndef test_it(): ...\n")
        assert tree.tests_of("pt:1") == ("tests/test_odds.py",)

    def test_on_the_body_of_a_class(self, tree):
        tree.write(
            "tests/test_odds.py",
            """
            import pytest
            class OddsTestCase:
                def test_it(self): ...
            class Odds(SimpleTestCase):
                pytestmark = [pytest.mark.article("pt:1")]
                def test_it(self): ...
            """,
        )
        assert tree.tests_of("pt:1") == ("tests/test_odds.py::Odds",)

    def test_inside_parameters_and_the_lists_that_they_name(self, tree):
        tree.write(
            "tests/test_odds.py",
            """
            import pytest
            CASES = [pytest.param(1, marks=pytest.mark.article("pt:1a")), pytest.param(2)]

            @pytest.mark.parametrize("case", CASES)
            def test_named(case): ...

            @pytest.mark.parametrize("case", [pytest.param(1, marks=[pytest.mark.article("pt:1", "pt:1a")])])
            def test_in_place(case): ...
            """,
        )
        assert tree.tests_of("pt:1") == ("tests/test_odds.py::test_in_place",)
        assert tree.tests_of("pt:1a") == ("tests/test_odds.py::test_in_place", "tests/test_odds.py::test_named")

    def test_under_a_condition(self, tree):
        tree.write(
            "tests/test_odds.py",
            """
            import pytest
            if True:
                @pytest.mark.article("pt:1")
                def test_it(): ...
            """,
        )
        assert tree.tests_of("pt:1") == ("tests/test_odds.py::test_it",)

    @pytest.mark.parametrize("mark", ['@pytest.mark.skip("later")', "@pytest.mark.skip", "@pytest.mark.xfail"])
    def test_of_a_test_that_is_not_run_or_fails_show_nothing(self, tree, mark):
        tree.write(
            "tests/test_odds.py",
            f"""
            import pytest
            {mark}
            @pytest.mark.article("pt:1")
            def test_it(): ...
            """,
        )
        assert tree.rows()["pt:1"].status == "to come"

    def test_of_a_whole_module_that_is_skipped_show_nothing(self, tree):
        tree.write(
            "tests/test_odds.py",
            """
            import pytest
            pytestmark = [pytest.mark.skip, pytest.mark.article("pt:1")]
            @pytest.mark.article("pt:1a")
            def test_it(): ...
            """,
        )
        assert tree.rows()["pt:1"].status == tree.rows()["pt:1a"].status == "to come"

    def test_files_are_read_and_never_run(self, tree):
        tree.write("tests/test_odds.py", 'import pytest\nraise SystemExit("run")\n# article\ndef test_it(): ...\n')
        assert tree.rows()


class TestRefusals:
    def test_an_unknown_id(self, tree):
        tree.write("tests/test_odds.py", 'import pytest\n@pytest.mark.article("pt:2")\ndef test_it(): ...\n')
        assert tree.faults() == "tests/test_odds.py:2: pt:2 is no id of docs/rules-ids.txt"

    def test_an_unknown_id_on_a_test_that_is_skipped(self, tree):
        tree.write(
            "tests/test_odds.py",
            'import pytest\n@pytest.mark.skip\n@pytest.mark.article("pt:2")\ndef test_it(): ...\n',
        )
        assert "pt:2 is no id" in tree.faults()

    @pytest.mark.parametrize(
        "body",
        [
            "def helper(): ...",
            "class Helper:\n    def test_it(self): ...",
            "class TestEmpty:\n    pass",
        ],
    )
    def test_a_mark_on_what_pytest_does_not_collect(self, tree, body):
        tree.write("tests/test_odds.py", f'import pytest\n@pytest.mark.article("pt:1")\n{body}\n')
        assert tree.faults() == "tests/test_odds.py:2: this mark stands on no test that pytest collects"

    def test_a_mark_in_a_file_that_pytest_does_not_collect(self, tree):
        tree.write("tests/odds.py", 'import pytest\n@pytest.mark.article("pt:1")\ndef test_it(): ...\n')
        assert tree.faults() == "tests/odds.py:2: this mark stands on no test that pytest collects"

    def test_a_module_mark_without_a_test(self, tree):
        tree.write("tests/test_odds.py", 'import pytest\npytestmark = pytest.mark.article("pt:1")\n')
        assert "this mark stands on no test" in tree.faults()

    @pytest.mark.parametrize("argument", ['f"pt:{1}"', "1", "", "*range(3)", "UNKNOWN", 'rule="pt:1"'])
    def test_ids_that_cannot_be_read_without_running_the_file(self, tree, argument):
        tree.write("tests/test_odds.py", f"import pytest\n@pytest.mark.article({argument})\ndef test_it(): ...\n")
        assert "tests/test_odds.py:2: " in tree.faults()

    def test_a_test_file_that_is_no_python(self, tree):
        tree.write("tests/test_odds.py", "article(\n")
        assert "tests/test_odds.py:1" in tree.faults()

    @pytest.mark.parametrize("place", ["tables/prizes.py", "tables.prizes"])
    def test_a_module_that_does_not_exist(self, tree, place):
        tree.write("docs/rules-places.toml", PLACES.replace("tables/odds.py", place))
        assert f"{place} does not exist" in tree.faults()

    @pytest.mark.parametrize(
        ("before", "after", "fault"),
        [
            ('rules = "fr-anglaise:1"', 'rules = "fr-anglaise:2"', "fr-anglaise:1 has no place"),
            ('rules = "fr-anglaise:1"', 'rules = "fr-anglaise:2"', "fr-anglaise:2 is no id"),
            ('rules = "fr-anglaise:1"', 'rules = "fr-anglaise:1, pt:1"', "pt:1 has a place already"),
            ("pt:1 .. pt:1a-ii", "pt:1a-ii .. pt:1", "pt:1a-ii .. pt:1 is no id"),
            ('outside = "the directorate"', 'ouside = "the directorate"', "unknown key ouside"),
            ('outside = "the directorate"', "", "says neither where, nor to_come, nor outside"),
            ('to_come = "Live tables"', 'outside = "x"', "neither a module nor something to come"),
        ],
    )
    def test_a_faulty_places_file(self, tree, before, after, fault):
        tree.write("docs/rules-places.toml", PLACES.replace(before, after))
        assert fault in tree.faults()

    @pytest.mark.parametrize(
        ("line", "fault"),
        [("pt:1\tagain\n", "pt:1 stands twice"), ("pt:2\n", "not an id"), ("de:1\tSatz.\n", "is of no known text")],
    )
    def test_a_faulty_ids_file(self, tree, line, fault):
        tree.write("docs/rules-ids.txt", IDS + line)
        assert fault in tree.faults()

    def test_every_fault_is_named_at_once(self, tree):
        tree.write("tests/test_odds.py", "import pytest\n@pytest.mark.article(1)\ndef test_it(): ...\n")
        tree.write("docs/rules-places.toml", PLACES.replace("tables/odds.py", "tables/prizes.py"))
        assert "tables/prizes.py does not exist" in tree.faults()
        assert "tests/test_odds.py:2" in tree.faults()


class TestPage:
    def test_a_row_shows_id_text_status_place_and_tests(self, tree):
        tree.write("tests/test_odds.py", TestStatus.MARKED)
        assert tree.run() == 0
        page = (tree.root / "docs/rules-traceability.md").read_text(encoding="utf-8")
        assert "| pt:1 | 1 - The first rule. | met | `tables/odds.py` | `tests/test_odds.py::test_it` |" in page
        assert (
            "| pt:1a | a) Its letter, which runs on … | to come: a test that shows it | `tables/odds.py` |  |" in page
        )
        assert (
            "| La première phrase. | to come: Live tables | in part: `tables.odds` | `tests/test_odds.py::test_it` |"
            in page
        )
        assert "| fr-anglaise:1 | Première phrase. | outside software: the directorate |  |  |" in page

    def test_the_counts_add_up(self, tree):
        tree.write("tests/test_odds.py", TestStatus.MARKED)
        assert "Regulation 807/2015 (law/pt-807-2015.txt) | 4 | 1 | 3 | 0 |" in traceability.render(
            traceability.make_rows(tree.root)
        )

    def test_check_passes_on_what_was_just_written_and_fails_on_anything_else(self, tree, capsys):
        page = tree.root / "docs/rules-traceability.md"
        assert tree.run("--check") == 1
        assert not page.exists()
        assert tree.run() == 0
        assert tree.run("--check") == 0
        tree.write("tests/test_odds.py", TestStatus.MARKED)
        assert tree.run("--check") == 1
        assert "run python tools/traceability.py" in capsys.readouterr().err

    def test_a_faulty_tree_writes_nothing(self, tree, capsys):
        tree.write("tests/test_odds.py", 'import pytest\n@pytest.mark.article("pt:2")\ndef test_it(): ...\n')
        assert tree.run() == 1
        assert "pt:2 is no id" in capsys.readouterr().err
        assert not (tree.root / "docs/rules-traceability.md").exists()
