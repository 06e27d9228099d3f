-- Up Migration

-- How many subscriptions the event had a delivery for when it was created. Their deliveries are deleted 30 days after a
-- subscription ends. Null for events from before this was stored, and for test events.
alter table event add column matched_count int;
