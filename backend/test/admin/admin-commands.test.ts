import { expect, it, jest } from '@jest/globals'
import { createAuthenticator } from '../../accounts/identity/authenticate.ts'
import { resetPassword } from '../../accounts/identity/password-resets.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { admin as runAdmin } from '../support/admin.ts'
import { getCall, seedCall } from '../support/calls.ts'
import { runScript } from '../support/child-process.ts'
import { ManualClock } from '../support/clock.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

jest.setTimeout(90_000)
const key = 'test-key-of-at-least-thirty-two-characters'

const database = useTestDatabase()

const admin = (args: string[], input?: string) =>
  runAdmin(args, { DATABASE_URL: database.url, SECRET_KEY: key }, input)

/** Returns the JSON output of a command that succeeds. */
async function runJson(args: string[], input?: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await admin([...args, '--json'], input)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

it("prints a name without its control characters, which could change the operator's terminal", async () => {
  const name = 'A\u001b]0;owned\u0007\u001b[31mRED'
  await runJson(['create-oauth-client', '--name', name, '--redirect-uri', 'https://example.com/callback'])
  const { stdout } = await admin(['list-oauth-clients'])
  expect(stdout).toContain('A ]0;owned [31mRED')
  expect(stdout).not.toMatch(/[^\P{Cc}\n]/u)
})

it('sets up a new installation with an API key and an OAuth client', async () => {
  const user = await runJson(['create-user', '--email', 'robin@example.com', '--name', 'Robin'])
  expect(user.password).toMatch(/^.{20,}$/)
  const workspace = await runJson(['create-workspace', '--name', 'Acme', '--owner', 'ROBIN@example.com'])
  const workspaceArgs = ['--workspace', String(workspace.workspace_id)]
  await runJson(
    ['create-user', '--email', 'kim@example.com', '--name', 'Kim', '--password-stdin'],
    'a long password\n',
  )
  await runJson(['add-member', ...workspaceArgs, '--email', 'kim@example.com'])
  const agent = await runJson([
    'create-agent',
    ...workspaceArgs,
    '--name',
    'Ava',
    '--live',
    '--variable',
    'a',
    '--variable',
    'b',
  ])
  expect(agent.status).toBe('live')
  await runJson(['add-phone-number', ...workspaceArgs, '--number', '+1 202 555 0190', '--label', 'Sales'])
  const { api_key: apiKey } = await runJson([
    'create-api-key',
    ...workspaceArgs,
    '--email',
    'kim@example.com',
    '--name',
    'CRM',
  ])
  const client = await runJson([
    ...['create-oauth-client', '--name', 'Zapier'],
    ...['--redirect-uri', 'https://zapier.com/dashboard/auth/oauth/return/App1CLIAPI/'],
    ...['--redirect-uri', 'http://localhost:9000'],
  ])
  expect(client).toEqual({ client_id: expect.any(String), client_secret: expect.any(String) })

  const deps = testDeps(database.db, { secretBox: createSecretBox([key]) })
  const { caller } = await createAuthenticator(deps).authenticate(`Bearer ${String(apiKey)}`)
  expect(caller.workspaceId).toBe(workspace.workspace_id)

  await runJson(['remove-member', ...workspaceArgs, '--email', 'kim@example.com'])
  await expect(createAuthenticator(deps).authenticate(`Bearer ${String(apiKey)}`)).rejects.toMatchObject({
    code: 'invalid_credential',
  })
})

it.each([['remove-member'], ['add-member', '--role', 'member']])(
  "doesn't let %s take the owner role from the last owner of a workspace",
  async (command, ...role) => {
    const owner = ['--email', `${command}@example.com`]
    await runJson(['create-user', ...owner, '--name', 'Only'])
    const { workspace_id: id } = await runJson([
      'create-workspace',
      '--name',
      'Acme',
      '--owner',
      owner[1] ?? '',
    ])
    const workspaceArgs = ['--workspace', String(id), ...owner]
    const rejected = await admin([command, ...workspaceArgs, ...role])
    expect(rejected.code).toBe(1)
    expect(rejected.stderr).toBe(
      'This is the last owner of the workspace. Make another member an owner first.\n',
    )

    await runJson(['create-user', '--email', `second-${command}@example.com`, '--name', 'Second'])
    const second = ['--email', `second-${command}@example.com`, '--role', 'owner']
    await runJson(['add-member', '--workspace', String(id), ...second])
    await runJson([command, ...workspaceArgs, ...role])
  },
)

it('creates a link with which a user can set a new password', async () => {
  await runJson(['create-user', '--email', 'lost@example.com', '--name', 'Lost'])
  const { link } = await runJson(['reset-password-link', '--email', 'LOST@example.com'])
  const deps = testDeps(database.db, { clock: new ManualClock(new Date().toISOString()) })
  const token = String(link).split('/reset-password/')[1] ?? ''
  expect(await resetPassword(deps, token, 'a new long password')).toEqual(expect.any(Number))
  const stranger = await admin(['reset-password-link', '--email', 'nobody@example.com'])
  expect(stranger.code).toBe(1)
})

it('lists agents and OAuth clients in tables without secrets', async () => {
  const seed = await seedWorkspace(testDeps(database.db, { secretBox: createSecretBox([key]) }))
  const { stdout, code } = await admin(['list-agents', '--workspace', String(seed.workspaceId)])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^id +name +status +language +variables +widget_id\n\d+ +Ava +live +en-US +product +[\da-f-]{36}\n$/,
  )
  const clients = await admin(['list-oauth-clients'])
  expect(clients.stdout).not.toContain('secret')
})

it('pauses, resumes, and archives a campaign, retires its number, and pauses its agent', async () => {
  const { workspaceId, campaignId, phoneNumberId, agentId } = await seedWorkspace(
    testDeps(database.db, { secretBox: createSecretBox([key]) }),
  )
  const workspaceArgs = ['--workspace', String(workspaceId)]
  const campaign = [...workspaceArgs, '--id', String(campaignId)]
  const status = async () =>
    (
      await database.db
        .selectFrom('campaign')
        .select('status')
        .where('id', '=', campaignId)
        .executeTakeFirst()
    )?.status

  await runJson(['pause-campaign', ...campaign])
  expect(await status()).toBe('paused')
  await runJson(['resume-campaign', ...campaign])
  expect(await status()).toBe('active')
  await runJson(['archive-campaign', ...campaign])
  expect(await status()).toBe('archived')
  await runJson(['retire-number', ...workspaceArgs, '--id', String(phoneNumberId)])
  await runJson(['set-agent-status', ...workspaceArgs, '--id', String(agentId), '--status', 'paused'])
  const { stdout } = await admin(['list-phone-numbers', ...workspaceArgs])
  expect(stdout).toContain('retired')
})

it('pauses the active campaigns of all workspaces, saves the reason, and prints how many calls wait in each campaign', async () => {
  const deps = testDeps(database.db, { secretBox: createSecretBox([key]) })
  const [first, second, third] = [
    await seedWorkspace(deps),
    await seedWorkspace(deps),
    await seedWorkspace(deps),
  ]
  await seedCall(deps, first, '+12025550174')
  const idsOf = (seed: typeof first) => [
    '--workspace',
    String(seed.workspaceId),
    '--id',
    String(seed.campaignId),
  ]
  await runJson(['pause-campaign', ...idsOf(second)])
  await runJson(['archive-campaign', ...idsOf(third)])
  const reason = 'Restored from a backup.'

  const { code, stdout, stderr } = await admin(['pause-all-campaigns', '--reason', reason, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Paused: \d+ campaigns?\.\n$/) })
  const rows = JSON.parse(stdout) as { campaign_id: number }[]
  const listed = (seed: typeof first) => rows.find(({ campaign_id: id }) => id === seed.campaignId)
  expect(listed(first)).toEqual({
    workspace_id: first.workspaceId,
    campaign_id: first.campaignId,
    name: 'Leads',
    waiting_calls: 1,
  })
  expect([listed(second), listed(third)]).toEqual([undefined, undefined])
  const campaigns = await database.db
    .selectFrom('campaign')
    .select(['status', 'paused_reason'])
    .where('id', 'in', [first.campaignId, second.campaignId, third.campaignId])
    .orderBy('id')
    .execute()
  expect(campaigns).toEqual([
    { status: 'paused', paused_reason: reason },
    { status: 'paused', paused_reason: null },
    { status: 'archived', paused_reason: null },
  ])
  expect((await admin(['pause-all-campaigns', '--reason', reason])).stderr).toContain('Paused: 0 campaigns.')
})

it('archives a campaign with waiting calls only if its name is given with --confirm', async () => {
  const deps = testDeps(database.db)
  const seed = await seedWorkspace(deps)
  const call = await seedCall(deps, seed, '+12025550173')
  const archive = [
    'archive-campaign',
    '--workspace',
    String(seed.workspaceId),
    '--id',
    String(seed.campaignId),
  ]
  const unconfirmed = await admin(archive)
  expect(unconfirmed.code).toBe(1)
  expect(unconfirmed.stderr).toMatch(
    /cancels 1 waiting call\. You can't undo this\. To confirm, add --confirm ".+"\./,
  )
  const name = /--confirm "(.+)"/.exec(unconfirmed.stderr)?.[1] ?? ''
  await runJson([...archive, '--confirm', name])
  expect(await getCall(deps, seed, call.id)).toMatchObject({ outcome: 'canceled' })
})

it('adds a number to the do-not-call list', async () => {
  const { workspaceId } = await seedWorkspace(testDeps(database.db, { secretBox: createSecretBox([key]) }))
  await runJson(['do-not-call', 'add', '--workspace', String(workspaceId), '--number', '(202) 555-0100'])
  const rows = await database.db
    .selectFrom('do_not_call')
    .select('source')
    .where('workspace_id', '=', workspaceId)
    .execute()
  expect(rows).toEqual([{ source: 'dashboard' }])
})

it('exits without an error when the output pipe is closed', async () => {
  const help = runScript('admin', ['--help'], {})
  help.process.stdout?.destroy()
  expect(await help.result).toMatchObject({ code: 0, stderr: '' })
})

it('lists all commands if none is given, and lists the options of a command for --help', async () => {
  const all = await runScript('admin', [], {}).result
  expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining('create-oauth-client') })
  const one = await runScript('admin', ['create-user', '--help'], {}).result
  expect(one.stdout).toContain('--email ADDRESS')
})

it.each([
  [2, ['make-coffee'], 'Unknown command "make-coffee".'],
  [2, ['delete-all', 'documents', '--workspace', '1'], 'Unknown command "delete-all documents".'],
  [2, ['create-user', '--email', 'a@example.com'], '--name is missing.'],
  [2, ['create-user', '--mail', 'a@example.com'], "Unknown option '--mail'."],
  [2, ['list-agents', '--workspace', 'Acme'], '--workspace: must be a whole number.'],
  [2, ['set-agent-status', '--workspace', '1', '--id', '1', '--status', 'asleep'], '--status:'],
  [
    1,
    ['list-agents', '--workspace', '999999'],
    'Workspace 999999 not found. To see the workspaces, run list-workspaces.',
  ],
  [1, ['create-user', '--email', 'nobody', '--name', 'N'], '"nobody" isn\'t a valid email.'],
  [
    1,
    ['create-workspace', '--name', 'A', '--owner', 'x@example.com'],
    'No user has the email x@example.com.',
  ],
  [
    1,
    ['create-oauth-client', '--name', 'A', '--redirect-uri', 'http://example.com'],
    "isn't a valid redirect URI",
  ],
])('exits with code %i and a one-line error for %j', async (code, args, sentence) => {
  const ended = await admin(args)
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toContain(sentence)
  expect(ended.stderr.trim().split('\n')).toHaveLength(1)
})

it('exits with a one-line error if SECRET_KEY is missing', async () => {
  const { code, stderr } = await runScript('admin', ['list-users'], { DATABASE_URL: database.url }).result
  expect(code).toBe(1)
  expect(stderr).toMatch(/^SECRET_KEY is not set/)
})

it('erases a contact only if its phone number is given with --confirm', async () => {
  const seed = await seedWorkspace(testDeps(database.db))
  const { id } = await database.db
    .insertInto('contact')
    .values({ workspace_id: seed.workspaceId, phone_number: '+12025550171', first_name: 'Maya' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const args = ['erase-contact', '--workspace', String(seed.workspaceId), '--contact']
  const unconfirmed = await admin([...args, String(id), '--confirm', '+12025550172'])
  expect(unconfirmed).toMatchObject({ code: 1, stdout: '' })
  expect(unconfirmed.stderr).toContain('You can\'t undo this. To confirm, add --confirm "+12025550171".')
  await runJson([...args, String(id), '--confirm', '+12025550171'])
  const contact = await database.db
    .selectFrom('contact')
    .select(['phone_number', 'first_name'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(contact).toEqual({ phone_number: '', first_name: null })
  expect((await admin([...args, '999999'])).code).toBe(1)
})
