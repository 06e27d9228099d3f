-- Up Migration

-- What Outdial shortened, replaced, or left out of a runtime's report.
alter table attempt_report add column changes text[] not null default '{}';
