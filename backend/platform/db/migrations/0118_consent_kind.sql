-- Up Migration

alter table contact
  -- How the person agreed. Null if it isn't known. It counts only with a source: an earlier version that runs beside this one can
  -- clear the consent, but not its kind.
  add column consent_kind text,
  add constraint contact_consent_kind_check check (consent_kind in ('written', 'oral')) not valid;

alter table contact_import_row validate constraint contact_import_row_call_check;
