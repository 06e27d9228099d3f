import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { Environment } from '../../backend/config.ts'
import { interpolate, readCompose, variablesIn } from '../support/compose.ts'
import { codeBlocks } from '../support/docs.ts'

// A job of .github/workflows/check.yml builds and starts the image.
const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const dockerfile = read('Dockerfile')
const compose = readCompose(path.join(root, 'compose.yaml'))

it("the Dockerfile copies every workspace's package.json before npm ci, which fails if one is missing", () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
  const beforeInstall = dockerfile.split('RUN npm ci')[0] ?? ''
  expect(workspaces.length).toBeGreaterThan(2)
  expect(workspaces.filter((name) => !beforeInstall.includes(`COPY ${name}/package.json ${name}/`))).toEqual(
    [],
  )
})

it('the image is based on the Node version in .nvmrc, and runs as a non-root user', () => {
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  expect(new Set(images)).toEqual(new Set([`node:${read('.nvmrc').trim()}-bookworm-slim`]))
  expect(dockerfile).toMatch(/^USER node$/m)
})

it('compose.yaml starts the service once PostgreSQL is healthy, with only settings that exist', () => {
  const { outdial, postgres } = compose.services
  expect(outdial?.build).toBe('.')
  expect(outdial?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  expect(postgres?.healthcheck?.test[0]).toBe('CMD')
  const settings = Object.keys(outdial?.environment ?? {})
  expect(settings.filter((name) => !(name in Environment.shape))).toEqual([])
  expect(settings).toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRET_KEY', 'RUNTIME_SECRET']))
  expect(dockerfile).toContain(`EXPOSE ${outdial?.environment.PORT}\n`)
})

it('compose.yaml declares exactly the volumes that its services use, and mounts only files that exist', () => {
  const volumes = Object.values(compose.services).flatMap((service) => service.volumes)
  const sources = volumes.map((volume) => volume.split(':')[0] ?? '')
  const [files, names] = [true, false].map((isFile) =>
    sources.filter((source) => source.startsWith('./') === isFile),
  )
  expect(names).toEqual(Object.keys(compose.volumes))
  for (const file of files ?? []) expect(existsSync(path.join(root, file))).toBe(true)
})

it.each(Object.entries(compose.services))(
  'for the service %s, compose.yaml sets a memory limit, a read-only file system, and no capabilities',
  (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+g$/),
    })
  },
)

it("in compose.yaml, the service doesn't connect to PostgreSQL as a superuser", () => {
  const { outdial, postgres } = compose.services
  const url = new URL(interpolate(outdial?.environment.DATABASE_URL ?? '', { POSTGRES_PASSWORD: 'password' }))
  const script = read('scripts/docker/create-database.sh')
  expect(postgres?.environment.POSTGRES_USER).not.toBe(url.username)
  expect(script).toContain(`create role ${url.username} login password`)
  expect(script).not.toMatch(/^(create|alter) role .*(superuser|createrole)/im)
  expect(script).toContain(`create database ${url.pathname.slice(1)} owner ${url.username}`)
})

it('docs/tutorial.md creates the database with the same SQL as Docker does', () => {
  const [sql = ''] = codeBlocks('docs/tutorial.md', 'sql')
  expect(sql).toContain('create database outdial')
  const script = read('scripts/docker/create-database.sh')
  expect(script.replace(":'password'", "'replace-this'")).toContain(sql)
})

it('compose.yaml contains no secrets, and docs/guides/install.md says how to set each secret', () => {
  const values = Object.values(compose.services).flatMap(({ environment }) => Object.entries(environment))
  const secrets = values.filter(([name]) => /SECRET|PASSWORD|DATABASE_URL/.test(name))
  for (const [, value] of secrets) expect(() => interpolate(value, {})).toThrow(/^Set \w+ in \.env$/)
  const docs = read('docs/guides/install.md')
  const names = new Set(secrets.flatMap(([, value]) => variablesIn(value)))
  expect([...names].filter((name) => !docs.includes(`echo "${name}=`))).toEqual([])
})
