"""People and money: users, players, accounts, transfers."""
