-- Up Migration

-- A dialer skips in it from one workspace to the next, so that it finds campaigns of others behind those of a workspace that
-- has many.
create index campaign_queue_workspace_next on campaign_queue (workspace_id, claim_at) where claim_at is not null;

comment on index call_open_additional is 'A contact''s open calls that were added to the first one';
