import { type Call, CallCompletedEvent, callTexts } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import { toTitleCase } from '../src/title-case.ts'
import { readSigningSecret } from '../support/signing-secret.ts'
import type { Delivery } from '../support/webhook-listener.ts'
import { connectAccount } from './connect-account.ts'
import type { DemoContext } from './demo-context.ts'
import { DemoError } from './find-backend.ts'
import { printCommand, printDone, printExchange, printStep, printTable } from './print.ts'

const trigger = 'triggers.call_completed.operation'
/** The person to call. In the simulated provider, calls to this number are answered. */
const lead = { phone_number: '+12025550100', first_name: 'Maya', last_name: 'Okafor' }

/** Runs a Zap from connecting the account to the output that later steps use. */
export async function runStory(context: DemoContext): Promise<void> {
  await connectAccount(context)
  await chooseCampaign(context)
  const subscription = await turnOnZap(context)
  const event = await queueLeadCall(context, subscription).finally(() => turnOffZap(context, subscription))
  await showOutput(context, event)
}

async function chooseCampaign({ connector }: DemoContext) {
  printStep('Choose a campaign', 'In the Zap editor, you open the Campaign dropdown.')
  printCommand('zapier-platform invoke trigger open_campaigns --isFillingDynamicDropdown')
  const choices = await connector.invoke<{ label: string }[]>(
    'trigger',
    'open_campaigns',
    '--isFillingDynamicDropdown',
  )
  printDone(
    `Campaigns: ${choices
      .slice(0, 3)
      .map(({ label }) => `"${label}"`)
      .join(', ')}`,
  )
}

interface Subscription {
  id: number
  secret: string
}

async function turnOnZap({ connector, webhookListener, demo }: DemoContext): Promise<Subscription> {
  printStep(
    'Turn on the Zap',
    'The Zap starts with Call Completed. When you turn it on, Outdial gets a webhook URL from Zapier.',
  )
  const { id } = await connector.run<{ id: number }>(`${trigger}.performSubscribe`, {
    targetUrl: webhookListener.url,
    inputData: { campaign_id: demo.campaign_id },
  })
  const { access_token = '' } = await connector.authData()
  const secret = await readSigningSecret(demo.base_url, access_token, {
    target_url: webhookListener.url,
    filter: { campaign_id: demo.campaign_id, test: 'exclude' },
  })
  printDone('Outdial will send every completed call in this campaign to Zapier')
  return { id, secret }
}

async function queueLeadCall(context: DemoContext, { secret }: Subscription): Promise<CallCompletedEvent> {
  const { connector, demo, webhookListener } = context
  const campaign_id = String(demo.campaign_id)

  printStep(
    'Reject an invalid lead',
    'Someone enters half a phone number in your form. This run stops, but the Zap stays on.',
  )
  const rejection = await connector
    .run('creates.queue_call.operation.perform', { inputData: { campaign_id, phone_number: '202 555' } })
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (!(rejection instanceof Error)) throw new DemoError('Outdial accepted an invalid phone number.')
  printDone(`Zapier shows: "${rejection.message}"`)

  printStep(
    'Queue a call',
    'Maya fills out your form. The Queue Call action saves her as a contact and queues a call to her.',
  )
  const input = {
    campaign_id,
    ...lead,
    variables: { product: 'a roof inspection' },
    metadata: { lead: '2291' },
  }
  printCommand(`zapier-platform invoke create queue_call -i '${JSON.stringify(input)}'`)
  const { id, call_queued } = await connector.invoke<{ id: number; call_queued: boolean }>(
    'create',
    'queue_call',
    '-i',
    JSON.stringify(input),
  )
  printDone(
    call_queued
      ? `Call ${id} is queued`
      : `Call ${id} to Maya is already waiting or in progress, so no other call was queued`,
  )

  printStep(
    'Call the lead',
    'The agent calls Maya. The call is simulated and takes a few seconds. Then Outdial notifies Zapier.',
  )
  const delivery = await waitForDelivery(id, context)
  const headers = {
    'webhook-id': String(delivery.headers['webhook-id']),
    'webhook-timestamp': String(delivery.headers['webhook-timestamp']),
    'webhook-signature': String(delivery.headers['webhook-signature']),
  }
  const event = CallCompletedEvent.parse(new Webhook(secret).verify(delivery.text, headers))
  const path = new URL(webhookListener.url).pathname
  printExchange({ method: 'POST', path, status: 200, sent: headers, received: undefined })
  printDone('The signature is valid (Standard Webhooks): Outdial sent this event, and it was not changed')
  const toolTurns = event.data.transcript.filter(({ role }) => role === 'tool')
  printDone(`The agent used ${toolTurns.length} tools during the call, as the transcript shows`)
  return event
}

/** Waits for the delivery of this call's event. Other calls in the campaign may end first. */
async function waitForDelivery(callId: number, { webhookListener, stop }: DemoContext): Promise<Delivery> {
  stop.throwIfAborted()
  const deadline = AbortSignal.any([AbortSignal.timeout(120_000), stop])
  const timedOut = new Promise<never>((_resolve, reject) => {
    deadline.addEventListener('abort', () => {
      reject(new DemoError(`Call ${callId} didn't end within two minutes. Check the backend's log.`))
    })
  })
  for (;;) {
    const delivery = await Promise.race([webhookListener.next(), timedOut])
    const { data } = CallCompletedEvent.parse(JSON.parse(delivery.text))
    if (data.id === callId) return delivery
  }
}

async function turnOffZap({ demo, connector }: DemoContext, { id }: Subscription) {
  printStep(
    'Turn off the Zap',
    'When you turn off the Zap, Outdial deletes the webhook URL. Then the demo disconnects the account.',
  )
  await connector.run(`${trigger}.performUnsubscribe`, { subscribeData: { id } })
  const { refresh_token = '' } = await connector.authData()
  const { client_id, client_secret } = demo
  const sent = { token: refresh_token, client_id, client_secret }
  const path = '/oauth/revoke'
  const { status } = await fetch(new URL(path, demo.base_url), {
    method: 'POST',
    body: new URLSearchParams(sent),
  })
  printExchange({ method: 'POST', path, status, sent, received: undefined })
  printDone('Only the contact and the call remain in the workspace')
}

/** Returns a field's label in the Zap editor. */
const label = (field: keyof typeof callTexts): string => toTitleCase(callTexts[field].label)

async function showOutput({ connector }: DemoContext, event: CallCompletedEvent) {
  printStep(
    'Trigger output',
    'Call Completed returns these fields. You can map them in the next steps of the Zap.',
  )
  const [call] = await connector.run<Call[]>(`${trigger}.perform`, { cleanedRequest: event })
  if (!call) throw new DemoError('The trigger returned no call.')
  printTable([
    [label('id'), String(call.id)],
    [label('outcome'), String(call.outcome)],
    [label('contact'), `${call.contact.first_name} ${call.contact.last_name}, ${call.contact.phone_number}`],
    [label('agent_name'), call.agent_name],
    [label('duration_seconds'), String(call.duration_seconds)],
    [label('sentiment'), call.sentiment],
    [label('goal_met'), String(call.goal_met)],
    [
      label('extracted'),
      Object.entries(call.extracted)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    ],
    [
      label('metadata'),
      Object.entries(call.metadata)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    ],
    [label('summary'), call.summary ?? ''],
    [label('transcript_text'), call.transcript_text ?? ''],
  ])
  console.log()
}
