import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { parseCommandLine } from '../../backend/admin/command-line.ts'
import { adminProgram, supportProgram } from '../../backend/admin/commands.ts'
import { createCampaign } from '../../src/creates/create-campaign.ts'
import { queueCall } from '../../src/creates/queue-call.ts'
import { callCompleted } from '../../src/triggers/call-completed.ts'
import { codeBlocks, commandsIn, programArguments, readPage, root, shellCommands } from '../support/docs.ts'
import { otherCommands, runCommands } from '../support/documented-commands.ts'

const listPages = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(folder, file))

/** Returns the files of a folder and its subfolders, without installed packages. */
const listFiles = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))

const docs = listFiles('docs').filter((file) => file.endsWith('.md'))

const pages = [
  ...listPages('.'),
  ...docs,
  'examples/fake-model/README.md',
  'examples/runtime/README.md',
  'bench/README.md',
  'crash-test/README.md',
  ...listFiles('backend').filter((file) => path.basename(file) === 'README.md'),
]

/** Returns the project files that code spans name, such as `queue/calls/queue-calls.ts`. Skips names with a placeholder. */
const filesNamedIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|cjs|sql))(?::\d+)?`/g)].map(([, file]) => file ?? '')

/** Returns the targets of links to other pages, pictures, and headings of the project. Leaves out links to other sites. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^https?:/.test(target))

/** Returns the anchors that GitHub generates for the headings of a page. */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

it.each(pages)('%s names only files that exist', (page) => {
  const files = filesNamedIn(readPage(page))
  const folders = ['', 'backend', 'docs', path.dirname(page)]
  const missing = files.filter((file) => !folders.some((folder) => existsSync(path.join(root, folder, file))))
  expect(missing).toEqual([])
})

it.each(pages)('%s links to files and headings that exist', (page) => {
  const broken = linksIn(readPage(page)).filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : path.join(path.dirname(page), file)
    if (!existsSync(path.join(root, target))) return true
    return anchor !== undefined && !anchorsIn(readPage(target)).includes(anchor)
  })
  expect(broken).toEqual([])
})

it.each(pages)(
  '%s uses only npm scripts that exist, and only admin and support commands that exist',
  (page) => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const used = [...readPage(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '')
    expect(used.filter((name) => !(name in scripts))).toEqual([])
    for (const { script, args } of shellCommands(page).flatMap(programArguments)) {
      const { commands } = script === adminProgram.script ? adminProgram : supportProgram
      expect(() => parseCommandLine(commands, args)).not.toThrow()
    }
  },
)

/** Leaves out CHANGELOG.md, because it has commands of earlier versions. */
const pagesWithCommands = pages.filter((page) => page !== 'CHANGELOG.md')

it.each(pagesWithCommands)(
  '%s shows only commands that a test runs or that otherCommands explains',
  (page) => {
    const unknown = commandsIn(page).filter(
      (command) =>
        !runCommands.some((row) => row.page === page && row.command.test(command)) &&
        !otherCommands.some((row) => row.command.test(command)),
    )
    expect(unknown).toEqual([])
    // Checks the languages of all code blocks, because commands in other blocks wouldn't be tested. Other tests cover the
    // remaining blocks: documented-server.test.ts and restore.test.ts (SQL), sign-webhook.test.ts (JavaScript), and
    // documented-requests.test.ts (HTTP requests).
    const languages = [...readPage(page).matchAll(/^ *```(\w+)$/gm)].map(([, language]) => language)
    expect(
      languages.filter(
        (language) => !['sh', 'sql', 'json', 'yaml', 'mermaid', 'js', 'http'].includes(language ?? ''),
      ),
    ).toEqual([])
  },
)

it('runCommands and otherCommands have no outdated rows', () => {
  const documented = pagesWithCommands.flatMap(commandsIn)
  const isUsed = (pattern: RegExp) => documented.some((command) => pattern.test(command))
  expect(otherCommands.filter(({ command }) => !isUsed(command))).toEqual([])
  expect(
    runCommands.filter(({ page, command }) => !commandsIn(page).some((each) => command.test(each))),
  ).toEqual([])
  const sources = ['test/journey', 'test/repository'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((file) => readPage(path.join(folder, file))),
  )
  for (const { page, test } of runCommands)
    expect(sources.some((source) => source.includes(`'${test}'`) && source.includes(`'${page}'`))).toBe(true)
  for (const { instead: [file, text] = ['README.md', ''] } of otherCommands)
    expect(readPage(file)).toContain(text)
})

it('the docs name only commands of the Zapier CLI that exist', () => {
  const folder = path.join(root, 'node_modules/zapier-platform-cli/src/oclif/commands')
  const names = pagesWithCommands
    .flatMap(commandsIn)
    .flatMap((command) => /^npx zapier-platform ([\w:]+)/.exec(command)?.[1] ?? [])
  expect(names).toContain('env:set')
  const missing = names.filter((name) => {
    const file = path.join(folder, name.replace(':', '/'))
    return !existsSync(`${file}.js`) && !existsSync(path.join(file, 'index.js'))
  })
  expect(missing).toEqual([])
})

it('every page of docs/ is linked from docs/README.md or from the README of its folder', () => {
  const indexes = docs.filter((page) => path.basename(page) === 'README.md')
  const links = indexes.flatMap((index) =>
    linksIn(readPage(index)).map((link) => path.join(path.dirname(index), link.replace(/#.*/, ''))),
  )
  expect(docs.filter((page) => page !== 'docs/README.md' && !links.includes(page))).toEqual([])
})

it('docs/decisions/README.md lists each decision with its title and its date', () => {
  const index = readPage('docs/decisions/README.md').replaceAll(/ +/g, ' ')
  const records = docs.filter((page) => /decisions\/\d{4}/.test(page))
  const rows = records.map((page) => {
    const [, title = '', date = ''] =
      /^# (.+)\n\nDecided on (\d{4}-\d{2}-\d{2})\.$/m.exec(readPage(page)) ?? []
    const file = path.basename(page)
    return `| [${file.slice(0, 4)}](${file}) | ${title} | ${date} |`
  })
  expect(rows.filter((row) => !index.includes(row))).toEqual([])
})

describe('code', () => {
  const folders = [
    ...['backend', 'bench', 'contract', 'crash-test', 'demo', 'docs/systemd', 'examples', '.github'],
    ...['reading', 'scripts', 'src', 'support', 'test'],
  ]
  const sources = [
    ...['.env.example', 'Dockerfile', 'compose.yaml', 'index.ts', 'package.json'],
    ...folders.flatMap(listFiles),
  ].filter((file) => !/\.(png|ico|woff2|gz|xlsx|docx|pdf)$/.test(file))

  it('names only pages and headings of docs/ that exist', () => {
    const broken = sources.flatMap((source) =>
      [...readPage(source).matchAll(/\bdocs\/(?:[\w@-]+\/)*[\w@-]+\.(?:md|json|yaml|svg|png)(?:#([\w-]+))?/g)]
        .filter(([link, anchor]) => {
          const [page = ''] = link.split('#')
          if (!existsSync(path.join(root, page))) return true
          return anchor !== undefined && !anchorsIn(readPage(page)).includes(anchor)
        })
        .map(([link]) => `${source}: ${link}`),
    )
    expect(broken).toEqual([])
  })
})

it('docs/reference/input-fields.md lists the fields of Queue Call, Create Campaign, and Call Completed by their labels', () => {
  const page = readPage('docs/reference/input-fields.md')
  const steps = [queueCall, createCampaign, callCompleted]
  const labels = steps.flatMap(({ operation }) =>
    operation.inputFields.flatMap((field) => ('label' in field ? [field.label] : [])),
  )
  const names = steps.map(({ display }) => display.label)
  expect(labels.filter((label) => !page.includes(`**${label}**`))).toEqual([])
  expect(names.filter((name) => !page.includes(`\n## ${name}\n`))).toEqual([])
})

describe('JSON in the docs', () => {
  it('can be parsed', () => {
    for (const json of pages.flatMap((page) => codeBlocks(page, 'json')))
      expect(() => JSON.parse(json) as unknown).not.toThrow()
  })
})
