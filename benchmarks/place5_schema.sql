CREATE SCHEMA anchor;
CREATE TABLE anchor.wallet (id bigint PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0));
CREATE TABLE anchor.bet (
  id bigserial PRIMARY KEY, wallet_id bigint NOT NULL REFERENCES anchor.wallet, round_id bigint NOT NULL,
  spot int NOT NULL, stake bigint NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON anchor.bet (round_id);
CREATE INDEX ON anchor.bet (wallet_id, id DESC);
CREATE TABLE anchor.entry (id bigserial PRIMARY KEY, account_id bigint NOT NULL, amount bigint NOT NULL);
CREATE INDEX ON anchor.entry (account_id, id);
INSERT INTO anchor.wallet SELECT g, 1000000000000 FROM generate_series(1, 10000) g;
