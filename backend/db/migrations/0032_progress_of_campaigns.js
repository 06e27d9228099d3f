/**
 * Lets the dashboard count the calls of some campaigns by the indexes alone: its queries also ask for the workspace, which
 * the indexes didn't have.
 */
export function up(pgm) {
  pgm.noTransaction()
  pgm.sql('set lock_timeout = 0')
  const replaceIndex = (name, definition, reason) => {
    pgm.sql(`drop index concurrently if exists ${name}_of_campaign`)
    pgm.sql(`create index concurrently ${name}_of_campaign on call ${definition}`)
    pgm.sql(`comment on index ${name}_of_campaign is '${reason}'`)
    pgm.sql(`drop index concurrently if exists ${name}`)
  }
  replaceIndex(
    'call_progress',
    '(workspace_id, campaign_id, outcome) where outcome is not null and not test',
    "The outcomes of a campaign''s calls",
  )
  replaceIndex(
    'call_open',
    "(workspace_id, campaign_id, status) where status <> 'completed' and not test",
    'How many calls of a campaign are open',
  )
  pgm.sql("set lock_timeout = '1s'")
}

export const down = false
