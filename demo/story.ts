import { CallCompletedEvent, type Call, type WebhookSubscription } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import { connect } from './connect-account.ts'
import { DemoError } from './find-backend.ts'
import type { Delivery } from '../support/webhook-listener.ts'
import { command, done, exchange, step, table } from './print.ts'
import type { Stage } from './demo-context.ts'

const trigger = 'triggers.call_completed.operation'
/** This number of the simulated line answers. */
const lead = { phone_number: '+12025550100', first_name: 'Maya', last_name: 'Okafor' }

/** The life of a Zap, from the connection to the data that its next step is given. */
export async function tell(stage: Stage): Promise<void> {
  await connect(stage)
  await choose(stage)
  const subscription = await turnOn(stage)
  const event = await callTheLead(stage, subscription).finally(() => turnOff(stage, subscription))
  await showOutput(stage, event)
}

async function choose({ connector }: Stage) {
  step('Choose', 'In the editor of the Zap, the dropdown "Campaign" is opened.')
  command('zapier-platform invoke trigger campaigns --isFillingDynamicDropdown')
  const choices = await connector.invoke<{ label: string }[]>(
    'trigger',
    'campaigns',
    '--isFillingDynamicDropdown',
  )
  done(
    `Offered: ${choices
      .slice(0, 3)
      .map(({ label }) => `"${label}"`)
      .join(', ')}`,
  )
}

async function turnOn({ connector, hook, demo }: Stage): Promise<WebhookSubscription> {
  step(
    'Turn on',
    'The Zap begins with "Call Completed": turning it on gives Outdial a URL of Zapier to tell.',
  )
  const subscription = await connector.run<WebhookSubscription>(`${trigger}.performSubscribe`, {
    targetUrl: hook.url,
    inputData: { campaign_id: demo.campaign_id },
  })
  done('Zapier will hear of every call of this campaign that is over')
  return subscription
}

async function callTheLead(stage: Stage, { secret }: WebhookSubscription): Promise<CallCompletedEvent> {
  const { connector, demo, hook } = stage
  const campaign_id = String(demo.campaign_id)

  step('A bad lead', 'Somebody typed half a phone number into the form. This run stops, the Zap stays on.')
  const refused = await connector
    .run('creates.queue_call.operation.perform', { inputData: { campaign_id, phone_number: '202 555' } })
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (!(refused instanceof Error)) throw new DemoError('The half phone number was taken.')
  done(`The person reads: "${refused.message}"`)

  step(
    'A good lead',
    'Maya filled in the form. The action "Queue Call" keeps her as a contact and queues the call.',
  )
  const input = {
    campaign_id,
    ...lead,
    variables: { product: 'a roof inspection' },
    metadata: { lead: '2291' },
  }
  command(`zapier-platform invoke create queue_call -i '${JSON.stringify(input)}'`)
  const { id, call_queued } = await connector.invoke<{ id: number; call_queued: boolean }>(
    'create',
    'queue_call',
    '-i',
    JSON.stringify(input),
  )
  done(
    call_queued ? `Call ${id} is queued` : `Call ${id} to her is waiting already, so nobody is called twice`,
  )

  step(
    'The call',
    'The agent calls on the simulated line and talks: a few seconds. Then Outdial tells Zapier.',
  )
  const delivery = await deliveryOf(id, stage)
  const headers = {
    'webhook-id': String(delivery.headers['webhook-id']),
    'webhook-timestamp': String(delivery.headers['webhook-timestamp']),
    'webhook-signature': String(delivery.headers['webhook-signature']),
  }
  const event = CallCompletedEvent.parse(new Webhook(secret).verify(delivery.text, headers))
  const path = new URL(hook.url).pathname
  exchange({ method: 'POST', path, status: 200, sent: headers, received: undefined })
  done('The signature is good (Standard Webhooks): this is from Outdial, and nobody changed it')
  const used = event.data.transcript.filter(({ role }) => role === 'tool')
  done(`The agent used ${used.length} tools in the call: the transcript says what for`)
  return event
}

/** Calls of others in the same campaign may be over first. */
async function deliveryOf(callId: number, { hook, stop }: Stage): Promise<Delivery> {
  stop.throwIfAborted()
  const patience = AbortSignal.any([AbortSignal.timeout(120_000), stop])
  const tooLate = new Promise<never>((_resolve, reject) => {
    patience.addEventListener('abort', () => {
      reject(new DemoError(`Call ${callId} is not over after two minutes: the log of the backend says more.`))
    })
  })
  for (;;) {
    const delivery = await Promise.race([hook.next(), tooLate])
    const { data } = CallCompletedEvent.parse(JSON.parse(delivery.text))
    if (data.id === callId) return delivery
  }
}

async function turnOff({ demo, connector }: Stage, subscription: WebhookSubscription) {
  step('Turn off', 'The Zap is turned off, and Outdial forgets the URL. Then the account is disconnected.')
  await connector.run(`${trigger}.performUnsubscribe`, { subscribeData: subscription })
  const { refresh_token = '' } = await connector.authData()
  const { client_id, client_secret } = demo
  const sent = { token: refresh_token, client_id, client_secret }
  const path = '/oauth/revoke'
  const { status } = await fetch(new URL(path, demo.base_url), {
    method: 'POST',
    body: new URLSearchParams(sent),
  })
  exchange({ method: 'POST', path, status, sent, received: undefined })
  done('Nothing is left behind but the contact and the call')
}

async function showOutput({ connector }: Stage, event: CallCompletedEvent) {
  step(
    'What the Zap was given',
    'The output of the trigger "Call Completed": the next steps of the Zap map these fields.',
  )
  const [call] = await connector.run<Call[]>(`${trigger}.perform`, { cleanedRequest: event })
  if (!call) throw new DemoError('The trigger gave nothing.')
  table([
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
