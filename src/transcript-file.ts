import type { Call } from '@outdial/contract'
import type { Bundle, ZObject } from 'zapier-platform-core'
import { callApi, hasId } from './client.ts'
import { invalidInput } from './errors.ts'
import { toText } from './values.ts'

/**
 * Saves the transcript of a call as a text file, and returns the URL of Zapier's copy. Like a recording, it's read when a
 * later step uses the file.
 */
export async function saveTranscript(z: ZObject, bundle: Bundle): Promise<string> {
  const id = toText(bundle.inputData.call_id)
  const { transcript_text } = await callApi<Call>(z, { method: 'GET', path: `/calls/${id}/` }, hasId)
  if (!transcript_text) throw invalidInput(z, 'The transcript of this call was deleted.')
  return z.stashFile(transcript_text, undefined, `transcript-${id}.txt`, 'text/plain; charset=utf-8')
}
