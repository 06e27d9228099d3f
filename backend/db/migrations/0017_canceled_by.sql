-- Up Migration

-- Who canceled the call: {kind, id, user_id}, like the origin. Null for calls that were canceled before this was stored,
-- and for calls that ended in another way.
alter table call add column canceled_by jsonb;
