import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { editHttpTool } from '../../tools/save-http-tool.ts'
import { addRemoteServer, editRemoteServer } from '../../tools/save-remote-server.ts'
import { RemoteMcpServer } from '../support/remote-mcp-server.ts'
import { readTool, useHttpToolWorld } from '../support/tools.ts'

const { world, add } = useHttpToolWorld()

const server = new RemoteMcpServer('streamable')
beforeAll(async () => {
  server.tools = [{ name: 'find', inputSchema: { type: 'object' } }]
  await server.start()
})
afterAll(() => server.stop())

const rejection = (name: string) => ({
  message: `The name ${name} is reserved: agents use it to control the call. Choose another name.`,
  details: [{ field: 'name', code: 'reserved' }],
})

const addServer = (name: string) =>
  addRemoteServer(world.deps, world.seed.workspaceId, { name, description: 'A server.', url: server.url })

it.each(['end_call', 'opt_out', 'voicemail_reached', 'transfer', 'press_keys', 'screened', 'End_Call'])(
  'rejects %s as the name of a new tool or server, and as the new name of an existing one',
  async (name) => {
    await expect(add({ name })).rejects.toMatchObject(rejection(name))
    await expect(addServer(name)).rejects.toMatchObject(rejection(name))
    const { id } = await add({ name: 'weather' })
    await expect(editHttpTool(world.deps, world.seed.workspaceId, id, { name })).rejects.toMatchObject(
      rejection(name),
    )
    const { id: serverId } = await addServer('crm')
    await expect(
      editRemoteServer(world.deps, world.seed.workspaceId, serverId, { name }),
    ).rejects.toMatchObject(rejection(name))
  },
)

it('accepts longer names that contain a reserved name', async () => {
  await expect(add({ name: 'transfer_money' })).resolves.toMatchObject({ name: 'transfer_money' })
})

it('saves edits of a tool even if its name became reserved after the tool was added', async () => {
  const { workspaceId } = world.seed
  const { id } = await add({ name: 'weather' })
  await world.database.db.updateTable('mcp_tool').set({ name: 'transfer' }).where('id', '=', id).execute()
  await editHttpTool(world.deps, workspaceId, id, { name: 'transfer', description: 'Sun or rain.' })
  expect(await readTool(world.deps, workspaceId, 'http', id)).toMatchObject({
    name: 'transfer',
    description: 'Sun or rain.',
  })
})
