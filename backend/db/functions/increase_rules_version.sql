create or replace function increase_rules_version() returns trigger language plpgsql as $$
begin
  new.rules_version := old.rules_version + 1;
  return new;
end $$;

drop trigger if exists campaign_rules_changed on campaign;
create trigger campaign_rules_changed before update of time_zone, calling_hours on campaign for each row
  when (row(old.time_zone, old.calling_hours) is distinct from row(new.time_zone, new.calling_hours))
  execute function increase_rules_version();
