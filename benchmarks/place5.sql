\set wallet random(1, 10000)
\set spot random(0, 160)
BEGIN;
UPDATE anchor.wallet SET balance = balance - 100 WHERE id = :wallet AND balance >= 100;
INSERT INTO anchor.bet (wallet_id, round_id, spot, stake) VALUES (:wallet, 1 + :spot % 20, :spot, 100);
INSERT INTO anchor.entry (account_id, amount) VALUES (:wallet, -100);
INSERT INTO anchor.entry (account_id, amount) VALUES (0, 100);
COMMIT;
