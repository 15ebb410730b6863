"""The player's way: game sessions, history, statements, the play page."""
