import type { Call } from '@outdial/contract'
import type { Bundle, RawHttpResponse, ZObject } from 'zapier-platform-core'
import { baseUrl, callApi, hasId, remainingMs } from './client.ts'
import { invalidInput, withoutContext } from './errors.ts'
import { toText } from './values.ts'

const maxRedirects = 3

/**
 * Downloads the recording of a call, and returns the URL of Zapier's copy. Zapier calls this only when a later step uses the
 * file. The recording's address is read from the API then, because an earlier one can have expired or been erased.
 */
export async function downloadRecording(z: ZObject, bundle: Bundle): Promise<string> {
  const path = `/calls/${toText(bundle.inputData.call_id)}/`
  const { recording_url } = await callApi<Call>(z, { method: 'GET', path }, hasId)
  if (recording_url === null) throw invalidInput(z, 'The recording of this call was deleted.')
  const controller = new AbortController()
  const { signal } = controller
  const timer = setTimeout(() => controller.abort(), remainingMs(z))
  try {
    const recording = await download(z, bundle, recording_url, signal)
    // Core's types require a promise of the streamed response, and don't say that `stashFile` returns a promise, too. It
    // resolves when core has read and uploaded the response.
    return await Promise.resolve(z.stashFile(Promise.resolve(recording)))
  } catch (error) {
    if (signal.aborted) throw failedDownload(z, undefined, ' within 25 seconds')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Downloads a file. Follows redirects itself, because the connection's token is sent only to Outdial's own addresses. */
async function download(
  z: ZObject,
  bundle: Bundle,
  url: string,
  signal: AbortSignal,
  redirects = maxRedirects,
): Promise<RawHttpResponse> {
  if (!URL.canParse(url)) throw failedDownload(z, undefined)
  const isOutdial = new URL(url).origin === new URL(baseUrl(z)).origin
  const response = await request(z, url, isOutdial ? bundle.authData.access_token : undefined, signal)
  const location = response.getHeader('location')
  if (response.status >= 300 && response.status < 400 && location && redirects > 0)
    return download(z, bundle, URL.parse(location, url)?.href ?? '', signal, redirects - 1)
  if (response.status !== 200) throw failedDownload(z, response.status)
  return response
}

async function request(
  z: ZObject,
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<RawHttpResponse> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  // A separate variable, because core's types lack an option that core has.
  const options = {
    url,
    headers,
    raw: true as const,
    merge: false,
    skipThrowForStatus: true,
    redirect: 'manual' as const,
    signal,
  }
  try {
    return await z.request(options)
  } catch (error) {
    // Core throws this for every 401. Only a 401 from Outdial means that the connection's token has expired.
    if (error instanceof z.errors.RefreshAuthError && token !== undefined) throw error
    throw failedDownload(z, error instanceof z.errors.RefreshAuthError ? 401 : undefined)
  }
}

function failedDownload(z: ZObject, status: number | undefined, limit = ''): Error {
  const reason = status === undefined ? limit : ` (status ${status})`
  const message = `The recording couldn't be downloaded${reason}. Open Calls in Outdial to check the call.`
  return withoutContext(new z.errors.Error(message, 'recording_unavailable', status))
}
