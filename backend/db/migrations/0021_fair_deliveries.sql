-- Up Migration

-- True after a failed attempt, until the delivery is due again. A sender then sets it to false. Meanwhile, the delivery
-- isn't in the index below, so that senders don't look at receivers for which nothing is due. Versions that don't know
-- the column leave it false: those deliveries are in the index, but senders also compare next_attempt_at.
alter table webhook_delivery add column waits_for_retry boolean not null default false;

-- Deliveries take turns: between hosts, and for each host between its lanes. A lane has the deliveries of a subscription,
-- or those to all callback URLs of a workspace; its ID is the subscription's or the workspace's with a minus. Senders skip
-- from one host or lane to the next in this index, so that the length of a backlog makes no difference.
create index webhook_delivery_lane
  on webhook_delivery (target_host, (coalesce(subscription_id, -workspace_id)), next_attempt_at, id)
  where status = 'pending' and not waits_for_retry;

-- Retries that have become due.
create index webhook_delivery_retry on webhook_delivery (next_attempt_at) where status = 'pending' and waits_for_retry;

-- Leasing a delivery changes no indexed column. With free space in its page, PostgreSQL then leaves the indexes as they
-- are. Pages that exist already aren't rewritten.
alter table webhook_delivery set (fillfactor = 80);
