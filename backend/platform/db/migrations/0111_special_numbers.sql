-- Up Migration

-- Whether to call numbers that can cost much more than others, such as premium-rate numbers.
alter table workspace add column calls_special_numbers boolean not null default false;
