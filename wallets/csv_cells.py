"""Cells of CSV files that spreadsheets open: what would be a formula is text. Pure."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: object) -> str:
    """The value as text; with an apostrophe before it where a spreadsheet would compute it.

    >>> safe_cell("=1+1"), safe_cell("12.50"), safe_cell(None)
    ("'=1+1", '12.50', '')
    """
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
