-- Up Migration

-- Who may be called: the rules of a workspace. Without a row, every rule is off.
create table call_rules (
  workspace_id bigint primary key references workspace on delete cascade,
  -- ISO 3166-1 alpha-2 codes of the countries that are called. Null: all countries.
  countries text[],
  changed_at timestamptz not null,
  -- {kind, id}, a member.
  changed_by jsonb not null
);
call protect_table('call_rules');

alter table contact_import_row
  drop constraint contact_import_row_call_check,
  add constraint contact_import_row_call_check
    check (call in ('queued', 'open', 'do_not_call', 'no_consent', 'country_not_allowed')) not valid;
alter table contact_import_row validate constraint contact_import_row_call_check;
