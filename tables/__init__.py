"""The game: rulebooks, specific rules and their publication, tables, rounds, bets."""
