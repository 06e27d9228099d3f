-- Up Migration

-- Who put the number on the list: {kind, id, user_id}, like the actor of a contact's change. Null for numbers that were
-- added before this was stored or from the command line, and for those of erased contacts.
alter table do_not_call add column added_by jsonb;
