-- Up Migration

-- What the database stores gets the names of the glossary. Names and stored values change, nothing else.

-- Campaigns and calls -----------------------------------------------------------------------------

alter table campaign rename column line_failures to provider_failures;
-- A call ID: waiting calls with a greater ID have yet to follow the campaign's last change.
alter table campaign rename column replan_after to reschedule_after_call_id;
alter index campaign_replan rename to campaign_reschedule;

alter table call rename column talk_erased_at to conversation_erased_at;
alter index call_talk rename to call_conversation;

alter table attempt rename to call_attempt;
alter table call_attempt rename column line to provider;
alter index attempt_one_live_per_number rename to call_attempt_one_live_per_number;
alter index attempt_live rename to call_attempt_live;
alter index attempt_lease rename to call_attempt_lease;

-- Deliveries --------------------------------------------------------------------------------------

alter table webhook_delivery rename column tries to attempts;
alter table webhook_delivery rename column next_try_at to next_attempt_at;

alter table webhook_delivery drop constraint webhook_delivery_status_check;
update webhook_delivery set status = 'exhausted' where status = 'dead';
alter table webhook_delivery add constraint webhook_delivery_status_check
  check (status in ('pending', 'delivered', 'exhausted', 'gone'));

drop index webhook_delivery_dead;
drop index webhook_delivery_unsent;
drop index webhook_delivery_callback_unsent;
create index webhook_delivery_exhausted on webhook_delivery (workspace_id, id desc) where status = 'exhausted';
create index webhook_delivery_unsent on webhook_delivery (subscription_id, status, id desc)
  where status in ('pending', 'exhausted');
create index webhook_delivery_callback_unsent on webhook_delivery (workspace_id, status, id desc)
  where subscription_id is null and status in ('pending', 'exhausted');

-- Imports -----------------------------------------------------------------------------------------

alter table contact_import rename column tries to attempts;
alter table contact_import rename column problem to error;

alter table contact_import_row rename column problems to issues;
alter table contact_import_row rename column is_refused to on_do_not_call_list;
alter index contact_import_row_wrong rename to contact_import_row_issues;

alter table contact_import_row drop constraint contact_import_row_state_check;
alter table contact_import_row drop constraint contact_import_row_call_check;
update contact_import_row
set state = case state when 'known' then 'existing' when 'wrong' then 'invalid' else state end,
  call = case call when 'refused' then 'do_not_call' else call end
where state in ('known', 'wrong') or call = 'refused';
alter table contact_import_row add constraint contact_import_row_state_check
  check (state in ('new', 'existing', 'duplicate', 'invalid'));
alter table contact_import_row add constraint contact_import_row_call_check
  check (call in ('queued', 'open', 'do_not_call'));

drop index contact_import_row_left;
create index contact_import_row_left on contact_import_row (import_id, position)
  where result is null and state in ('new', 'existing');

-- Requests and users ------------------------------------------------------------------------------

alter table idempotent_answer rename to idempotent_response;
alter index idempotent_answer_expired rename to idempotent_response_expired;
alter index idempotent_answer_contact rename to idempotent_response_contact;

alter table password_reset rename column made_by to created_by;

-- Constraints that PostgreSQL named after a table or column. Which ones exist depends on its version: 18 also names
-- those of not-null columns.
do $$
declare
  renamed record;
begin
  for renamed in
    select con.conname as old_name, con.conrelid::regclass as table_name,
      regexp_replace(con.conname, '^' || change.old_start, change.new_start) as new_name
    from (
      values
        ('call_attempt', 'attempt_line_', 'call_attempt_provider_'),
        ('call_attempt', 'attempt_(?!line_)', 'call_attempt_'),
        ('campaign', 'campaign_line_failures_', 'campaign_provider_failures_'),
        ('contact_import', 'contact_import_tries_', 'contact_import_attempts_'),
        ('contact_import_row', 'contact_import_row_is_refused_', 'contact_import_row_on_do_not_call_list_'),
        ('contact_import_row', 'contact_import_row_problems_', 'contact_import_row_issues_'),
        ('idempotent_response', 'idempotent_answer_', 'idempotent_response_'),
        ('password_reset', 'password_reset_made_by_', 'password_reset_created_by_'),
        ('webhook_delivery', 'webhook_delivery_tries_', 'webhook_delivery_attempts_')
    ) as change (table_name, old_start, new_start)
    join pg_constraint con on con.conrelid = change.table_name::regclass and con.conname ~ ('^' || change.old_start)
  loop
    execute format('alter table %s rename constraint %I to %I', renamed.table_name, renamed.old_name, renamed.new_name);
  end loop;
end $$;
