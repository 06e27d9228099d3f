import { type Call, CallCompletedEvent, type WebhookSubscription } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import type { Delivery } from '../support/webhook-listener.ts'
import { connectAccount } from './connect-account.ts'
import type { DemoContext } from './demo-context.ts'
import { DemoError } from './find-backend.ts'
import { printCommand, printDone, printExchange, printStep, printTable } from './print.ts'

const trigger = 'triggers.call_completed.operation'
/** The simulated provider answers calls to this number. */
const lead = { phone_number: '+12025550100', first_name: 'Maya', last_name: 'Okafor' }

/** The life of a Zap, from the connection to the data that its next step is given. */
export async function runStory(context: DemoContext): Promise<void> {
  await connectAccount(context)
  await chooseCampaign(context)
  const subscription = await turnOnZap(context)
  const event = await queueLeadCall(context, subscription).finally(() => turnOffZap(context, subscription))
  await showOutput(context, event)
}

async function chooseCampaign({ connector }: DemoContext) {
  printStep('Choose', 'In the editor of the Zap, the dropdown "Campaign" is opened.')
  printCommand('zapier-platform invoke trigger campaigns --isFillingDynamicDropdown')
  const choices = await connector.invoke<{ label: string }[]>(
    'trigger',
    'campaigns',
    '--isFillingDynamicDropdown',
  )
  printDone(
    `Offered: ${choices
      .slice(0, 3)
      .map(({ label }) => `"${label}"`)
      .join(', ')}`,
  )
}

async function turnOnZap({ connector, webhookListener, demo }: DemoContext): Promise<WebhookSubscription> {
  printStep(
    'Turn on',
    'The Zap begins with "Call Completed": turning it on gives Outdial a URL of Zapier to tell.',
  )
  const subscription = await connector.run<WebhookSubscription>(`${trigger}.performSubscribe`, {
    targetUrl: webhookListener.url,
    inputData: { campaign_id: demo.campaign_id },
  })
  printDone('Zapier will hear of every call of this campaign that is over')
  return subscription
}

async function queueLeadCall(
  context: DemoContext,
  { secret }: WebhookSubscription,
): Promise<CallCompletedEvent> {
  const { connector, demo, webhookListener } = context
  const campaign_id = String(demo.campaign_id)

  printStep(
    'A bad lead',
    'Somebody typed half a phone number into the form. This run stops, the Zap stays on.',
  )
  const rejection = await connector
    .run('creates.queue_call.operation.perform', { inputData: { campaign_id, phone_number: '202 555' } })
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (!(rejection instanceof Error)) throw new DemoError('The half phone number was taken.')
  printDone(`The person reads: "${rejection.message}"`)

  printStep(
    'A good lead',
    'Maya filled in the form. The action "Queue Call" keeps her as a contact and queues the call.',
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
    call_queued ? `Call ${id} is queued` : `Call ${id} to her is waiting already, so nobody is called twice`,
  )

  printStep(
    'The call',
    'The agent calls on the simulated line and talks: a few seconds. Then Outdial tells Zapier.',
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
  printDone('The signature is good (Standard Webhooks): this is from Outdial, and nobody changed it')
  const toolTurns = event.data.transcript.filter(({ role }) => role === 'tool')
  printDone(`The agent used ${toolTurns.length} tools in the call: the transcript says what for`)
  return event
}

/** Calls of others in the same campaign may be over first. */
async function waitForDelivery(callId: number, { webhookListener, stop }: DemoContext): Promise<Delivery> {
  stop.throwIfAborted()
  const deadline = AbortSignal.any([AbortSignal.timeout(120_000), stop])
  const timedOut = new Promise<never>((_resolve, reject) => {
    deadline.addEventListener('abort', () => {
      reject(new DemoError(`Call ${callId} is not over after two minutes: the log of the backend says more.`))
    })
  })
  for (;;) {
    const delivery = await Promise.race([webhookListener.next(), timedOut])
    const { data } = CallCompletedEvent.parse(JSON.parse(delivery.text))
    if (data.id === callId) return delivery
  }
}

async function turnOffZap({ demo, connector }: DemoContext, subscription: WebhookSubscription) {
  printStep(
    'Turn off',
    'The Zap is turned off, and Outdial forgets the URL. Then the account is disconnected.',
  )
  await connector.run(`${trigger}.performUnsubscribe`, { subscribeData: subscription })
  const { refresh_token = '' } = await connector.authData()
  const { client_id, client_secret } = demo
  const sent = { token: refresh_token, client_id, client_secret }
  const path = '/oauth/revoke'
  const { status } = await fetch(new URL(path, demo.base_url), {
    method: 'POST',
    body: new URLSearchParams(sent),
  })
  printExchange({ method: 'POST', path, status, sent, received: undefined })
  printDone('Nothing is left behind but the contact and the call')
}

async function showOutput({ connector }: DemoContext, event: CallCompletedEvent) {
  printStep(
    'What the Zap was given',
    'The output of the trigger "Call Completed": the next steps of the Zap map these fields.',
  )
  const [call] = await connector.run<Call[]>(`${trigger}.perform`, { cleanedRequest: event })
  if (!call) throw new DemoError('The trigger gave nothing.')
  printTable([
    ['ID', String(call.id)],
    ['Outcome', String(call.outcome)],
    ['Contact', `${call.contact.first_name} ${call.contact.last_name}, ${call.contact.phone_number}`],
    ['Agent Name', call.agent_name],
    ['Duration Seconds', String(call.duration_seconds)],
    ['Sentiment', call.sentiment],
    ['Goal Met', String(call.goal_met)],
    [
      'Extracted',
      Object.entries(call.extracted)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    ],
    [
      'Metadata',
      Object.entries(call.metadata)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    ],
    ['Summary', call.summary ?? ''],
    ['Transcript', call.transcript_text ?? ''],
  ])
  console.log()
}
