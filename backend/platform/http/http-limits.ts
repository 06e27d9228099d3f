import { minuteMs, secondMs } from '../core/durations.ts'

/** Limits for the time that peers may take, and for how much they may send at the same time. */
export interface HttpLimits {
  /** How long a connection may be open before a request begins. Browsers open some before they need them. */
  unusedTimeoutMs: number
  /**
   * Time from the first byte of a request to the end of its headers. For the first request of a connection, the time starts
   * when the connection is opened.
   */
  headersTimeoutMs: number
  /** Time from the headers to the end of the body. */
  bodyTimeoutMs: number
  /** Time from the headers to the end of a form with a file. What has arrived adds time, at `uploadBytesPerSecond`. */
  uploadTimeoutMs: number
  uploadBytesPerSecond: number
  /** How long the rest of a body is read after an early response. */
  lingerMs: number
  /** How long a client may take to read a response. What the client has read adds time, at `responseBytesPerSecond`. */
  responseTimeoutMs: number
  responseBytesPerSecond: number
  /** How often the times are checked. */
  checkIntervalMs: number
  /** Maximum number of requests with the same credential whose bodies are still arriving. */
  maxBodiesPerCredential: number
  /** Maximum number of requests without a credential, from the same network, whose bodies are still arriving. */
  maxBodiesPerAddress: number
  /** Maximum bytes of all bodies that are still arriving. */
  maxBodyBytes: number
  /**
   * Maximum bytes, according to Content-Length, of the arriving bodies of a workspace, user, attempt, runtime secret, or
   * network. Uploads don't count.
   */
  maxBodyBytesPerOwner: number
  /** Maximum bytes of one user's forms with files that are arriving or being handled at the same time. */
  maxUploadBytesPerUser: number
  /** Maximum bytes of all responses that wait for their clients. */
  maxUnreadBytes: number
  /** How many connections with too many waiting requests are closed before their network can't open new ones. */
  maxFloods: number
  /** How long the closed connections count toward `maxFloods` after the last one was closed. */
  floodMemoryMs: number
}

export const megabyte = 1024 * 1024

export const defaultHttpLimits: HttpLimits = {
  unusedTimeoutMs: minuteMs,
  headersTimeoutMs: 15 * secondMs,
  bodyTimeoutMs: 30 * secondMs,
  uploadTimeoutMs: minuteMs,
  uploadBytesPerSecond: 32 * 1024,
  lingerMs: 2 * secondMs,
  responseTimeoutMs: 30 * secondMs,
  responseBytesPerSecond: 32 * 1024,
  checkIntervalMs: secondMs,
  maxBodiesPerCredential: 100,
  maxBodiesPerAddress: 20,
  maxBodyBytes: 256 * megabyte,
  maxBodyBytesPerOwner: 32 * megabyte,
  maxUploadBytesPerUser: 64 * megabyte,
  maxUnreadBytes: 256 * megabyte,
  maxFloods: 10,
  floodMemoryMs: 10 * secondMs,
}

/** Maximum size of a form or request that needs no credential. The longest has a few fields. */
export const publicFormBytes = 16 * 1024
export const publicForm = { bodyLimit: publicFormBytes }

/**
 * Node's own time limit for a request. No body may take this long, so it ends only requests that `ArrivingBodies` doesn't
 * track.
 */
export const nodeRequestTimeoutMs = 20 * minuteMs
