-- Up Migration

alter table call
  -- The contact spoke at least twice, in a transcript that was erased since. A callback that was scheduled in this call then doesn't
  -- wait for the frequency.
  add column had_conversation boolean not null default false;
