import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'

// docs/project/migrations.md#only-add-to-the-schema describes the rules that these tests check.

/** The last migration of the first release. The rules apply to later migrations. */
const lastUnchecked = 107

const folder = path.join(import.meta.dirname, '../../platform/db/migrations')

/** Tables that can have so many rows that requests would wait for an index. */
const largeTables = [
  'call|call_attempt|tool_call|call_callback|attempt_report|event|webhook_delivery|delivery_attempt',
  'contact|contact_change|contact_note|do_not_call|api_request',
].join('|')

const forbidden = {
  'takes away what old versions use':
    /\bdrop\s+(?!(?:index|trigger|constraint|default|not\s+null|policy|identity|expression)\b)\w+/,
  renames: /\brename\s+(?:to|column|constraint|attribute|value)\b|\brename\s+\w+\s+to\b/,
  'changes the type of a column': /\balter\s+(?:column\s+)?"?\w+"?\s+(?:set\s+data\s+)?type\b/,
  'rejects rows that old versions insert': new RegExp(
    [
      String.raw`\bset\s+not\s+null\b`,
      String.raw`\badd\s+column\s(?![^,;]*\b(?:default|generated)\b)[^,;]*\bnot\s+null\b`,
      String.raw`\bcreate\s+unique\s+index\s+concurrently\b`,
    ].join('|'),
  ),
  'checks all rows while requests wait':
    /\badd\s+constraint\s(?![^;]*\b(?:not\s+valid|using\s+index)\b)[^;]*\b(?:unique|foreign\s+key|check)\b/,
  "isn't SQL, so it can't be checked": /\b(?:pgm)\.(?!sql\b|no)\w+/,
  'builds an index while requests wait': new RegExp(
    String.raw`\bcreate\s+(?:unique\s+)?index\s+(?!concurrently\b)(?:if\s+not\s+exists\s+)?(?:\S+\s+)?on\s+(?:only\s+)?(?:public\.)?(?:${largeTables})\b`,
  ),
}

/** Returns the changes in a migration that old versions can't work with, or that requests would wait for. */
function findBreaks(migration: string): string[] {
  const statements = migration
    .toLowerCase()
    // A comment on the line can say that no old version uses what the line drops.
    .replaceAll(/^.*-- not used since \d{4}\b.*$/gm, '')
    .replaceAll(/--.*|\/\*[^]*?\*\/|^[ \t]*\/\/.*/gm, '')
  return Object.entries(forbidden).flatMap(([what, pattern]) => {
    const found = pattern.exec(statements)?.[0]
    return found === undefined ? [] : [`${what}: ${found.replaceAll(/\s+/g, ' ')}`]
  })
}

it("unless named “breaking”, every migration after the first release works with old versions and doesn't make requests wait", () => {
  const files = readdirSync(folder).filter(
    (file) => Number.parseInt(file, 10) > lastUnchecked && !file.includes('_breaking_'),
  )
  const breaks = files.flatMap((file) =>
    findBreaks(readFileSync(path.join(folder, file), 'utf8')).map((found) => `${file} ${found}`),
  )
  expect(breaks).toEqual([])
})

it.each([
  'alter table call drop column summary;',
  'alter table call drop summary;',
  'drop table call;',
  'drop function queue_calls;',
  'alter table call rename column summary to text;',
  'alter table call rename summary to text;',
  'alter table call rename to phone_call;',
  'alter table call alter column summary type varchar;',
  'alter table call\n  alter summary set data type varchar;',
  'alter table call alter column summary set not null;',
  'alter table call add column example int not null;',
  'create unique index concurrently call_example on call (id);',
  'alter table call add constraint call_example unique (id);',
  'alter table call\n  add constraint call_example check (id > 0);',
  "pgm.dropColumns('call', ['summary'])",
  'create index call_example on call (id);',
  'create unique index on\n  call_attempt (id);',
  'pgm.sql(`create index ${name} on webhook_delivery ${columns}`)',
])('rejects the migration %j', (statement) => {
  expect(findBreaks(statement)).toHaveLength(1)
})

it.each([
  'alter table call add column example int not null default 0;',
  'alter table call add constraint call_example check (id > 0) not valid;\nalter table call validate constraint call_example;',
  'alter table call drop constraint call_example;\ndrop trigger call_example on call;\ndrop index call_example;',
  'alter table call alter column summary drop not null;',
  'drop index concurrently if exists call_example;\ncreate index concurrently call_example on call (id);',
  'create index campaign_queue_example on campaign_queue (campaign_id);',
  'create index call_example on call_example (id);',
  'create or replace function example() returns trigger language plpgsql as $$ begin return null; end $$;',
  '-- drop table call: not now\n/* drop\ntable call */',
  'alter table campaign_queue drop column changes; -- not used since 0028',
])('allows the migration %j', (statement) => {
  expect(findBreaks(statement)).toEqual([])
})
