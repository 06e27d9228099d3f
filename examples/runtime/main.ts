import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type CallState, RuntimeDialRequest } from '@outdial/contract'
import { type OngoingCall, startCall } from './call.ts'
import { verifySignature } from './signature.ts'

// A minimal agent runtime. docs/reference/runtime.md describes what a runtime must do. No phone rings.

const { RUNTIME_SIGNING_KEY: signingKey, PORT = '8790', HOST = '127.0.0.1', SECOND_MS = '1000' } = process.env
if (!signingKey?.startsWith('whsec_')) {
  console.error('Set RUNTIME_SIGNING_KEY to the key that Outdial signs its requests with (whsec_…).')
  process.exit(1)
}

/**
 * Calls are stored in memory, so after a restart this runtime denies them and Outdial ends them. A real runtime stores
 * calls on disk.
 */
const calls = new Map<string, OngoingCall>()
/** Denied attempts must never be dialed later, because Outdial may have started another attempt. */
const deniedAttempts = new Set<string>()

const server = createServer((request, response) => {
  void handleRequest(request, response).catch(() => response.writeHead(400).end())
})
server.listen(Number(PORT), HOST, () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : PORT
  console.log(`The example runtime is ready at http://${HOST}:${port}`)
})

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '' } = request
  const body = await text(request)
  const content = method === 'POST' ? body : `${method} ${path}`
  if (!verifySignature(signingKey ?? '', request.headers, content)) {
    respond(response, 401)
    return
  }
  if (method === 'POST' && path === '/calls') {
    acceptCall(RuntimeDialRequest.parse(JSON.parse(body)), response)
    return
  }

  const [, id = ''] = /^\/calls\/([\da-f-]{36})$/.exec(path) ?? []
  const call = calls.get(id)
  if (call === undefined) {
    deniedAttempts.add(id)
    respond(response, 404)
    return
  }
  if (method === 'GET') {
    respond(response, 200, { attempt_id: id, reports: [...call.reports] })
    return
  }
  if (method !== 'DELETE') {
    respond(response, 405)
    return
  }
  call.hangUp()
  respond(response, 204)
}

/** Starts a call. A repeated dial request doesn't dial again. */
function acceptCall(dialRequest: RuntimeDialRequest, response: ServerResponse): void {
  const id = dialRequest.attempt_id
  if (deniedAttempts.has(id)) {
    respond(response, 409)
    return
  }
  if (calls.has(id)) {
    respond(response, 200)
    return
  }
  calls.set(id, startCall(dialRequest, Number(SECOND_MS)))
  console.log(`Call ${dialRequest.call_id}, attempt ${dialRequest.attempt}`)
  respond(response, 202)
}

function respond(response: ServerResponse, status: number, state?: CallState): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(state && JSON.stringify(state))
}
