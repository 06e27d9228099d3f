import { expect, it } from '@jest/globals'
import { defaultHttpLimits, type HttpLimits, megabyte } from '../../backend/platform/http/http-limits.ts'
import { readPage } from '../support/docs.ts'

const seconds = (name: keyof HttpLimits) => `${defaultHttpLimits[name] / 1_000} `
const count = (name: keyof HttpLimits) => String(defaultHttpLimits[name])
const megabytes = (name: keyof HttpLimits) => `${defaultHttpLimits[name] / megabyte} MB`
const kilobytes = (name: keyof HttpLimits) => `${defaultHttpLimits[name] / 1024} KB`

/** For each limit, the start of its row in docs/reference/limits.md, and a function that writes its value as the row does. */
const rows: Record<
  Exclude<keyof HttpLimits, 'checkIntervalMs'>,
  [string, (name: keyof HttpLimits) => string]
> = {
  unusedTimeoutMs: ['time until a new connection', seconds],
  headersTimeoutMs: ['time for the headers', seconds],
  bodyTimeoutMs: ['time for the body', seconds],
  uploadTimeoutMs: ['time for a form with a file', seconds],
  uploadBytesPerSecond: ['time for a form with a file', kilobytes],
  lingerMs: ['time to read the rest of a body', seconds],
  responseTimeoutMs: ['time for the client to read a response', seconds],
  responseBytesPerSecond: ['time for the client to read a response', kilobytes],
  maxBodiesPerCredential: ['bodies that are still arriving, per API key', count],
  maxBodiesPerAddress: ['bodies of requests without a credential', count],
  maxBodyBytes: ['bytes of all bodies', megabytes],
  maxBodyBytesPerOwner: ['bytes of the bodies that are still arriving', megabytes],
  maxUploadBytesPerUser: ['bytes of the forms with files', megabytes],
  maxUnreadBytes: ['bytes of all responses', megabytes],
  maxFloods: ['connections of an address', count],
  floodMemoryMs: ['connections of an address', seconds],
}

it.each(Object.entries(rows))('docs/reference/limits.md has the value of %s', (name, [label, format]) => {
  const row = readPage('docs/reference/limits.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${label}`))
  expect(row?.split('|').slice(1, 4).join()).toContain(format(name as keyof HttpLimits))
})
