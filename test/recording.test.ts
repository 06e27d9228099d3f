import { PassThrough } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from '@jest/globals'
import { exampleCall, exampleContactAdded } from '@outdial/contract'
import nock from 'nock'
import {
  apiPath,
  baseUrl,
  errorBody,
  fileOfCall,
  run,
  runExpectingError,
  stubResponse,
} from './support/connector.ts'

const hydrator = 'hydrators.downloadRecording'
const storage = 'https://storage.example.com'
const recorded = { ...exampleCall, opted_out: true, recording_url: `${storage}/9034.mp3?signature=1` }
const page = { results: [recorded], next: null, previous: null }
const bundle = { inputData: { call_id: recorded.id } }
const stubCall = (recording_url: string | null) =>
  stubResponse('GET', apiPath(`/calls/${recorded.id}/`), 200, { ...recorded, recording_url })

// The key with which Zapier's core package authenticates requests to Zapier's file storage.
process.env.ZAPIER_DEPLOY_KEY = 'deploy-key'

/** Responds to the next request to Zapier's server for the address of an upload. */
const stubUploadAddress = () =>
  nock('https://rpc.zapier.com')
    .post('/cli')
    .reply(async (request: Request) => {
      const { id } = (await request.json()) as { id: string }
      const result = { url: 'https://uploads.example.com/', fields: { key: 'copy.mp3' } }
      return [200, JSON.stringify({ id, result }), { 'Content-Type': 'application/json' }]
    })

/** Responds to the next upload to Zapier's storage. Returns a list to which the uploaded file is then added. */
function stubUpload(): string[] {
  const uploads: string[] = []
  stubUploadAddress()
  nock('https://uploads.example.com')
    .post('/')
    .reply(async (request: Request) => {
      uploads.push(await request.text())
      return [204, '']
    })
  return uploads
}

/** Responds to the next request for a recording. Returns a list to which the request's authorization is then added. */
function stubServer(origin: string, path: string, status = 200, headers: Record<string, string> = {}) {
  const authorizations: (string | null)[] = []
  nock(origin)
    .get(path)
    .reply((request: Request) => {
      authorizations.push(request.headers.get('authorization'))
      return [status, status === 200 ? 'the sound' : '', { 'Content-Type': 'audio/mpeg', ...headers }]
    })
  return authorizations
}

const file = fileOfCall('downloadRecording', recorded.id)
const transcript = fileOfCall('saveTranscript', recorded.id)

describe("a call's recording and transcript", () => {
  const inputData = { campaign_id: '12', phone_number: '+12025550100', call: recorded.id }
  const added = { ...exampleContactAdded, call: recorded }
  const event = { type: 'call.completed', data: recorded }

  it.each([
    ['triggers.call_completed.operation.perform', { cleanedRequest: event, rawRequest: {} }, undefined],
    ['triggers.call_completed.operation.performList', {}, ['GET', '/calls/', 200, page]],
    [
      'triggers.contact_opted_out_in_a_call.operation.perform',
      { cleanedRequest: event, rawRequest: {} },
      undefined,
    ],
    ['creates.queue_call.operation.perform', { inputData }, ['POST', '/contacts/', 201, added]],
    [
      'creates.queue_call_and_wait.operation.performResume',
      { cleanedRequest: event, outputData: { id: recorded.id } },
      ['GET', `/calls/${recorded.id}/`, 200, recorded],
    ],
    ['searches.find_call.operation.perform', { inputData }, ['GET', `/calls/${recorded.id}/`, 200, recorded]],
  ] as const)('are files in the output of %s', async (method, parts, response) => {
    if (response) stubResponse(response[0], apiPath(response[1]), response[2], response[3])

    const output = [await run<unknown>(method, parts)].flat()

    expect(output).toEqual([expect.objectContaining({ recording: file, transcript_file: transcript })])
  })
})

it('streams the recording to Zapier, and sends the token only to Outdial', async () => {
  const calls = stubCall(`${storage}/9034.mp3?signature=1`)
  const authorizations = stubServer(storage, '/9034.mp3?signature=1')
  const uploads = stubUpload()

  expect(await run(hydrator, bundle)).toBe('https://uploads.example.com/copy.mp3')

  expect(calls[0]?.headers.authorization).toBe('Bearer token-1')
  expect(authorizations).toEqual([null])
  expect(uploads[0]).toMatch(/filename="9034\.mp3"[^]+Content-Type: audio\/mpeg[^]+the sound/)
  expect(uploads[0]).not.toContain('token-1')
})

it("sends the token to Outdial's own address, but not to the address of a redirect", async () => {
  stubCall(`${baseUrl}/recordings/9034`)
  const outdial = stubServer(baseUrl, '/recordings/9034', 302, { Location: `${storage}/9034.mp3` })
  const redirected = stubServer(storage, '/9034.mp3')
  stubUpload()

  await run(hydrator, bundle)

  expect({ outdial, redirected }).toEqual({ outdial: ['Bearer token-1'], redirected: [null] })
})

it.each([
  'https://outdial.example.com.evil.example/9034.mp3',
  'https://outdial.example.com@evil.example/9034.mp3',
  'https://outdial.example.com:8443/9034.mp3',
  'http://outdial.example.com/9034.mp3',
])("sends no token to an address that only looks like Outdial's: %s", async (url) => {
  stubCall(url)
  const authorizations = stubServer(new URL(url).origin, '/9034.mp3')
  stubUpload()

  await run(hydrator, bundle)

  expect(authorizations).toHaveLength(1)
  expect(String(authorizations[0])).not.toContain('token-1')
})

describe('the download of a recording', () => {
  afterEach(() => mock.timers.reset())

  it('ends with an error after 25 seconds, even if a part of the recording has arrived', async () => {
    stubCall(`${storage}/9034.mp3`)
    const body = new PassThrough()
    body.write('the ')
    nock(storage).get('/9034.mp3').reply(200, body, { 'Content-Type': 'audio/mpeg' })
    stubUploadAddress()
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() })
    let settled = false
    const failed = runExpectingError(hydrator, bundle).finally(() => (settled = true))
    // After this loop, the first bytes have arrived. The rest of the recording never arrives.
    while (!nock.isDone()) await setImmediate()

    mock.timers.tick(24_999)
    for (let turn = 0; turn < 200; turn += 1) await setImmediate()
    expect(settled).toBe(false)
    mock.timers.tick(1)
    expect(await failed).toMatchObject({
      message:
        "The recording couldn't be downloaded within 25 seconds. Open Calls in Outdial to check the call.",
    })
  })
})

describe('a transcript', () => {
  it('is saved as a text file', async () => {
    stubCall(null)
    const uploads = stubUpload()

    expect(await run('hydrators.saveTranscript', bundle)).toBe('https://uploads.example.com/copy.mp3')

    expect(uploads[0]).toContain('filename="transcript-9034.txt"')
    expect(uploads[0]).toContain('Content-Type: text/plain; charset=utf-8')
    expect(uploads[0]).toContain(exampleCall.transcript_text)
  })

  it('has no file if it is empty', async () => {
    const data = { ...exampleCall, transcript: [], transcript_text: null }
    const cleanedRequest = { type: 'call.completed', data }

    expect(await run('triggers.call_completed.operation.perform', { cleanedRequest })).toMatchObject([
      { transcript_file: null },
    ])
  })

  it("can't be saved if it was deleted, and the error says that it was deleted", async () => {
    stubResponse('GET', apiPath(`/calls/${recorded.id}/`), 200, { ...recorded, transcript_text: null })

    expect(await runExpectingError('hydrators.saveTranscript', bundle)).toEqual({
      name: 'HaltedError',
      message: 'The transcript of this call was deleted.',
    })
  })
})

describe('a recording that cannot be downloaded', () => {
  const failed = (reason: string) =>
    `The recording couldn't be downloaded${reason}. Open Calls in Outdial to check the call.`

  it.each([401, 404, 500])(
    'causes an error with the status if its server responds with %i',
    async (status) => {
      stubCall(`${storage}/9034.mp3`)
      stubServer(storage, '/9034.mp3', status)

      expect(await runExpectingError(hydrator, bundle)).toMatchObject({
        message: failed(` (status ${status})`),
      })
    },
  )

  it('causes an error if its server redirects endlessly', async () => {
    stubCall(`${storage}/9034.mp3`)
    nock(storage).get('/9034.mp3').times(4).reply(302, '', { Location: '/9034.mp3' })

    expect(await runExpectingError(hydrator, bundle)).toMatchObject({ message: failed(' (status 302)') })
  })

  it.each(['/recordings/9034.mp3', 'recording', 'http://'])(
    'causes an error if its address is %j',
    async (address) => {
      stubCall(address)

      expect(await runExpectingError(hydrator, bundle)).toMatchObject({
        message: "The recording couldn't be downloaded. Open Calls in Outdial to check the call.",
      })
    },
  )

  it('causes an error if its server redirects to an invalid address', async () => {
    stubCall(recorded.recording_url)
    stubServer(storage, '/9034.mp3?signature=1', 302, { Location: 'http://' })

    expect(await runExpectingError(hydrator, bundle)).toMatchObject({
      message: "The recording couldn't be downloaded. Open Calls in Outdial to check the call.",
    })
  })

  it('causes an error if its server cannot be reached', async () => {
    stubCall(`${storage}/9034.mp3`)
    nock(storage).get('/9034.mp3').replyWithError('ECONNREFUSED')

    expect(await runExpectingError(hydrator, bundle)).toMatchObject({ message: failed('') })
  })

  it('halts the run if it was deleted', async () => {
    stubCall(null)

    expect(await runExpectingError(hydrator, bundle)).toEqual({
      name: 'HaltedError',
      message: 'The recording of this call was deleted.',
    })
  })

  it('makes Zapier refresh the token if the token has expired', async () => {
    const body = errorBody('invalid_token', 'The token has expired.')
    stubResponse('GET', apiPath(`/calls/${recorded.id}/`), 401, body)

    expect(await runExpectingError(hydrator, bundle)).toMatchObject({ name: 'RefreshAuthError' })
  })
})
