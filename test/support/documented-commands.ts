import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { commandsIn, root } from './docs.ts'

/** Commands on a page that a test reads from the page and runs. */
interface RunCommands {
  page: string
  command: RegExp
  test: string
}

const admin = 'test/journey/documented-commands.test.ts'
const connector = 'test/journey/zap-to-trigger.test.ts'
const server = 'test/journey/documented-server.test.ts'
const restore = 'test/journey/restore.test.ts'
/** This test does only a dry run of the install commands. `.ci/run` really installs. */
const install = 'test/repository/install.test.ts'

export const runCommands: readonly RunCommands[] = [
  { page: 'README.md', command: /^npm ci( --omit=dev)?$/, test: install },
  { page: 'README.md', command: /^npm (start|run demo)$/, test: connector },
  { page: 'README.md', command: /^(API_KEY=|curl )/, test: admin },
  {
    page: 'docs/guides/backups.md',
    command: /^(pg_dump|pg_restore|psql) |^tar .*outdial\.tar\.gz/,
    test: server,
  },
  {
    page: 'docs/guides/backups.md',
    command: /^(pg_basebackup|mkdir|echo|touch|npm run admin) /,
    test: restore,
  },
  { page: 'docs/guides/backups.md', command: /^tar .*\$BASE/, test: restore },
  { page: 'docs/guides/agents-and-tools.md', command: /^npm run admin/, test: admin },
  { page: 'docs/guides/support.md', command: /^npm run (admin|support) --/, test: admin },
  { page: 'docs/guides/personal-data.md', command: /^npm run admin --/, test: admin },
  { page: 'docs/guides/connect-zapier.md', command: /^npm run admin/, test: admin },
  { page: 'docs/guides/connect-zapier.md', command: /^npm run build$/, test: connector },
  { page: 'docs/guides/connect-zapier.md', command: /^npx zapier-platform invoke /, test: connector },
  { page: 'docs/guides/install.md', command: /^npm ci --omit=dev$/, test: install },
  { page: 'docs/guides/install.md', command: /^(export |npm start$|echo )/, test: server },
  { page: 'docs/guides/upgrade.md', command: /^npm ci --omit=dev$/, test: install },
  { page: 'docs/guides/upgrade.md', command: /^(psql |ROLE=)/, test: server },
  { page: 'docs/guides/users.md', command: /^npm run admin/, test: admin },
  { page: 'docs/tutorial.md', command: /^npm ci --omit=dev$/, test: install },
  { page: 'docs/tutorial.md', command: /^npm run admin/, test: admin },
  { page: 'docs/reference/settings.md', command: /^npm run admin/, test: admin },
  { page: 'docs/publishing/test-account.md', command: /^(npm run admin --|export |curl )/, test: admin },
  { page: 'docs/reference/runtime.md', command: /^export /, test: server },
  { page: 'examples/runtime/README.md', command: /^RUNTIME_SIGNING_KEY=/, test: server },
]

/** A command that no test reads from a page and runs. */
interface OtherCommand {
  command: RegExp
  reason: string
  /** A file that does the same as the command, and the text in it that does so. */
  instead?: [file: string, text: string]
}

export const otherCommands: readonly OtherCommand[] = [
  {
    command: /^docker compose /,
    reason: 'needs Docker. A job of the workflow runs it',
    instead: ['.github/workflows/check.yml', 'docker compose up --build --detach --wait'],
  },
  {
    command: /^npx zapier-platform (login|register|upload|describe|env:set|validate|promote|migrate)\b/,
    reason: 'needs a Zapier account. A test checks that the Zapier CLI has the command',
    instead: ['test/repository/docs.test.ts', 'the docs name only commands of the Zapier CLI that exist'],
  },
  {
    command: /^npm run build:upload$/,
    reason: 'takes a minute',
    instead: ['.ci/run', 'npm run --silent build:upload'],
  },
  {
    command: /^LLM_(URL|MODELS)=/,
    reason: 'are settings of a server with a language model. Tests of chats use them with the fake model',
    instead: ['backend/test/support/service-with-model.ts', 'LLM_URL: fake.url'],
  },
  {
    command: /^npm run fake-model$/,
    reason: 'runs until you stop it. Tests of chats start its server',
    instead: ['backend/test/support/service-with-model.ts', 'startFakeModel('],
  },
  { command: /^(git (clone|pull|push)|cd)\b/, reason: 'needs a remote repository' },
  {
    command: /^(apt-get (?:update|install)|useradd|install -|ln -s|cp docs\/systemd\/|systemctl)\b/,
    reason: 'needs root on a server with systemd',
  },
  {
    command: /^echo "\w+=.*" >> \/etc\/outdial\//,
    reason: 'changes the machine. A test writes the same secrets to another file',
    instead: ['docs/guides/install.md', 'echo "SECRET_KEY=$(openssl rand -base64 32)" >> .env'],
  },
  {
    command: /^curl --fail http:\/\/127\.0\.0\.1:8787\/readyz$/,
    reason: 'needs the server of the tutorial. A job of the workflow runs it in Docker',
    instead: ['.github/workflows/check.yml', 'http://localhost:8787/readyz'],
  },
  {
    command: /^npm (ci|start|run admin|run demo|run support)$/,
    reason: 'runs where another page has it in a block',
  },
  { command: /^npm test\b/, reason: 'would run this test again', instead: ['.ci/run', '\nnpm test -- '] },
  {
    command: /^npm run check(:\w+)?$/,
    reason: 'takes minutes',
    instead: ['.ci/run', 'npm run --silent check\n'],
  },
  {
    command: /^npm run format$/,
    reason: 'changes the checkout. `npm run check` compares the format',
    instead: ['.ci/run', 'npm run --silent check\n'],
  },
  {
    command: /^npm run generate$/,
    reason: 'changes the checkout. A test compares the files',
    instead: ['test/generated.test.ts', 'npm run generate'],
  },
  {
    command: /^npm run generate:icon$/,
    reason: 'changes the checkout. A test looks at the picture',
    instead: ['test/publishing/listing.test.ts', 'icon.png'],
  },
  {
    command: /^npm run dev$/,
    reason: 'a test runs its script on a small project',
    instead: ['test/repository/dev.test.ts', 'scripts/dev.mjs'],
  },
  {
    command: /^npm run release -- /,
    reason: 'a test runs its script on a small project',
    instead: ['test/repository/release.test.ts', 'scripts/release.ts'],
  },
  {
    command: /^npm run bench:(tool-memory|dashboard|input|cold-start|api-log)$/,
    reason: 'measures times on an idle machine',
  },
  {
    command: /^(BENCH_\w+=\S+ )?npm run bench( -- |$)/,
    reason: 'measures times for half an hour. A test measures one row at the smallest scale',
    instead: ['test/journey/bench.test.ts', 'bench/main.ts'],
  },
  {
    command: /^npm run bench:sizing\b/,
    reason: 'takes minutes. A test measures a few calls',
    instead: ['test/journey/bench.test.ts', 'bench/sizing.ts'],
  },
  { command: /^npm run mutation\b/, reason: 'takes an hour' },
  {
    command: /^npm ci --prefix conformance$/,
    reason: 'needs a network',
    instead: ['.ci/run', 'npm ci --no-audit --no-fund --prefix conformance'],
  },
  { command: /^npm run crash-test/, reason: 'takes minutes', instead: ['.ci/run', 'crash-test'] },
]

/** Returns the commands of a page that the given test must run, in the page's order. */
export const commandsRunBy = (test: string, page: string): string[] =>
  commandsIn(page).filter((command) =>
    runCommands.some((row) => row.test === test && row.page === page && row.command.test(command)),
  )

/** Returns the only command of a page that matches a pattern and that the given test must run. */
export function commandRunBy(test: string, page: string, pattern: RegExp): string {
  const [command, ...others] = commandsRunBy(test, page).filter((each) => pattern.test(each))
  if (command === undefined || others.length > 0) throw new Error(`${page}: not one command for ${pattern}`)
  return command
}

const scripts = (
  JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts

/**
 * Replaces `npm start` and `npm run …` by the script from package.json, because npm's script would read this machine's .env.
 * Also replaces `npx node` by the Node that npx would run. The program replaces the shell's process, so that it gets the
 * signals.
 */
export const withoutNpm = (command: string): string =>
  command.replace(
    /^((?:[A-Z_]+=\S+ )*)(?:npx node|npm (?:run )?([\w:]+)(?: --(?= ))?)/m,
    (_, variables: string, name: string | undefined) => {
      const program = ['exec env', variables, `'${process.execPath}'`].join(' ')
      if (name === undefined) return program
      const [node, script = ''] = (scripts[name] ?? '').split(' ')
      if (node !== 'node') throw new Error(`npm run ${name} doesn't run one script`)
      return `${program} '${path.join(root, script)}'`
    },
  )

/** Returns true if a PostgreSQL server responds that isn't newer than the installed pg_dump. */
export const canDump = (url: string): boolean =>
  spawnSync('pg_dump', ['--schema-only', url], { stdio: 'ignore' }).status === 0
