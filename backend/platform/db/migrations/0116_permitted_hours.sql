-- Up Migration

alter table call_rules
  -- Calls to the United States are only placed in the hours by law (backend/queue/rules/hours-by-law.ts).
  add column hours_by_law boolean not null default false,
  -- Days on which nobody is called, as YYYY-MM-DD. The contact's local date counts.
  add column closed_dates text[] not null default '{}';
