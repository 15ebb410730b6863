"""The rules of roulette: given a rulebook, bets and a pocket, what is paid.

Pure Python, standard library only. It knows no Django, clock, database or randomness.
"""
