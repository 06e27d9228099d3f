import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { Environment } from '../../backend/config.ts'
import { buildContext, filesAt } from '../../scripts/docker/build-context.ts'
import { interpolate, readCompose, variablesIn } from '../../scripts/docker/compose.ts'
import { readDockerfile } from '../../scripts/docker/read-dockerfile.ts'

// scripts/check-image.ts, which .ci/run runs, checks that the commands work. They take too long for every test run.
const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const stages = readDockerfile(path.join(root, 'Dockerfile'))
const compose = readCompose(path.join(root, 'compose.yaml'))
const context = buildContext(root)

const copies = stages.flatMap(({ steps }) => steps.filter(({ keyword }) => keyword === 'COPY'))
const last = stages.at(-1)
const stepOf = (keyword: string) => last?.steps.find((step) => step.keyword === keyword)

it('copies only files that exist and that .dockerignore leaves in the build context', () => {
  const sources = copies.filter(({ from }) => from === undefined).flatMap(({ words }) => words.slice(0, -1))
  expect(sources.length).toBeGreaterThan(3)
  expect(sources.filter((source) => filesAt(context, source).length === 0)).toEqual([])
})

it('copies every file of the build context, and no tests', () => {
  const copied = copies.flatMap(({ words }) =>
    words.slice(0, -1).flatMap((source) => filesAt(context, source)),
  )
  expect(context.filter((file) => !copied.includes(file))).toEqual([])
  expect(context.filter((file) => /\.test\.ts$|(^|\/)\.env/.test(file))).toEqual([])
})

it('copies only from earlier stages', () => {
  for (const [index, { steps }] of stages.entries()) {
    const earlier = stages.slice(0, index).map(({ name }) => name)
    for (const { from } of steps) if (from !== undefined) expect(earlier).toContain(from)
  }
})

it('builds in more than one stage, on the Node version of .nvmrc', () => {
  expect(stages.length).toBeGreaterThan(1)
  const node = read('.nvmrc').trim()
  for (const { image } of stages) expect(image).toMatch(new RegExp(`^node:${node}-\\S+-slim$`))
})

it('runs a script in the image as a non-root user, with a health check', () => {
  expect(stepOf('USER')?.text).toBe('node')
  for (const keyword of ['CMD', 'HEALTHCHECK']) {
    const [command, script = ''] = stepOf(keyword)?.words ?? []
    expect(command).toBe('node')
    expect(context).toContain(script)
  }
})

it('starts the service with PostgreSQL in compose.yaml, with settings that exist', () => {
  const { outdial, postgres } = compose.services
  expect(outdial?.build).toBe('.')
  expect(outdial?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  expect(postgres?.healthcheck?.test[0]).toBe('CMD')
  const settings = Object.keys(outdial?.environment ?? {})
  expect(settings.filter((name) => !(name in Environment.shape))).toEqual([])
  expect(settings).toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRET_KEY', 'RUNTIME_SECRET']))
  expect(outdial?.environment.PORT).toBe(stepOf('EXPOSE')?.text)
})

it('keeps the data of PostgreSQL in a volume that compose.yaml declares', () => {
  const volumes = Object.values(compose.services).flatMap((service) => service.volumes)
  const sources = volumes.map((volume) => volume.split(':')[0] ?? '')
  const [files, names] = [true, false].map((isFile) =>
    sources.filter((source) => source.startsWith('./') === isFile),
  )
  expect(names).toEqual(Object.keys(compose.volumes))
  for (const file of files ?? []) expect(existsSync(path.join(root, file))).toBe(true)
})

it.each(Object.entries(compose.services))(
  'gives the service %s no more rights than it needs',
  (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+g$/),
    })
  },
)

it("doesn't connect to PostgreSQL as a superuser in compose.yaml", () => {
  const { outdial, postgres } = compose.services
  const url = new URL(interpolate(outdial?.environment.DATABASE_URL ?? '', { POSTGRES_PASSWORD: 'password' }))
  const script = read('scripts/docker/create-database.sh')
  expect(postgres?.environment.POSTGRES_USER).not.toBe(url.username)
  expect(script).toContain(`create role ${url.username} login password`)
  expect(script).not.toMatch(/^(create|alter) role .*(superuser|createrole)/im)
  expect(script).toContain(`create database ${url.pathname.slice(1)} owner ${url.username}`)
})

it('has no secrets in compose.yaml, and the docs say which ones to set', () => {
  const values = Object.values(compose.services).flatMap(({ environment }) => Object.entries(environment))
  const secrets = values.filter(([name]) => /SECRET|PASSWORD|DATABASE_URL/.test(name))
  for (const [, value] of secrets) expect(() => interpolate(value, {})).toThrow(/^Set \w+ in \.env$/)
  const docs = read('docs/operating.md')
  const names = new Set(secrets.flatMap(([, value]) => variablesIn(value)))
  expect([...names].filter((name) => !docs.includes(`echo "${name}=`))).toEqual([])
})
