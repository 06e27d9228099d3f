-- Up Migration

alter table contact
  -- How the person agreed. Null if it isn't known.
  add column consent_kind text,
  add constraint contact_consent_kind_check check (consent_kind in ('written', 'oral')) not valid,
  add constraint contact_kind_of_consent_check check (consent_kind is null or consent_source is not null) not valid;
alter table contact validate constraint contact_consent_kind_check;
alter table contact validate constraint contact_kind_of_consent_check;
