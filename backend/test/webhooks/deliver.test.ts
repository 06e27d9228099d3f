import { describe, expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { toOriginSecret } from '../../webhooks/origin-secret.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import { completeCall } from '../support/factories.ts'
import { HttpReceiver, invalidResponses } from '../support/http-receiver.ts'
import { useWebhooksWorld } from '../support/webhooks.ts'

const day = 24 * 60 * 60 * 1000

const webhooks = useWebhooksWorld()
const { world, advanceTo, deliveryAfter, listAttempts, seedSubscription, start } = webhooks
const { waitForAttempts } = webhooks

describe('a webhook request', () => {
  it('contains the stored event and a signature that an independent verifier accepts', async () => {
    const { secret } = await seedSubscription(world.receiver.url('/hooks/catch/1?x=%C3%A9'))
    const call = await completeCall(world.deps, world.seed)
    start()
    const delivery = await deliveryAfter(1)

    const [received] = world.receiver.requests
    const event = await world.deps.db
      .selectFrom('event')
      .selectAll()
      .where('call_id', '=', call.id)
      .executeTakeFirstOrThrow()
    expect(received?.path).toBe('/hooks/catch/1?x=%C3%A9')
    expect(received?.body).toBe(event.body)
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Outdial\/\d/),
      'webhook-id': event.id,
    })
    const headers = received?.headers as Record<string, string>
    expect(new Webhook(secret).verify(received?.body ?? '', headers)).toMatchObject({ data: { id: call.id } })
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: 1,
      lease_until: null,
      finished_at: world.deps.clock.now(),
    })
    expect(await listAttempts()).toMatchObject([{ number: 1, status_code: 204, error: null, duration_ms: 0 }])
  })

  it("to a callback URL is signed with the secret of the URL's origin, which is derived from the workspace's secret", async () => {
    await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url('/callback') })
    start()
    await waitForAttempts(1)
    const { webhook_secret } = await world.deps.db
      .selectFrom('workspace')
      .select('webhook_secret')
      .where('id', '=', world.seed.workspaceId)
      .executeTakeFirstOrThrow()
    const [received] = world.receiver.requests
    const workspaceSecret = world.deps.secretBox.open(webhook_secret, [
      'workspace.webhook_secret',
      world.seed.workspaceId,
    ])
    const verifier = new Webhook(toOriginSecret(workspaceSecret, world.receiver.url()))
    expect(verifier.verify(received?.body ?? '', received?.headers as Record<string, string>)).toBeTruthy()
  })

  it('is signed with the old and the new secret for a day after a rotation, and then only with the new one', async () => {
    const { id, secret: old } = await seedSubscription()
    const { secret: fresh } = await rotateSubscriptionSecret(world.deps, world.seed.workspaceId, id)
    start()
    await completeCall(world.deps, world.seed)
    world.workers[0]?.notify()
    await waitForAttempts(1)
    world.deps.clock.advance(day)
    await completeCall(world.deps, world.seed)
    world.workers[0]?.notify()
    await waitForAttempts(2)

    const [during, after] = world.receiver.requests.map(({ body, headers }) => (secret: string) => {
      // Compares the signatures directly. verify() would reject the second delivery, because its timestamp is a day ahead.
      const {
        'webhook-id': msgId = '',
        'webhook-timestamp': at = '',
        'webhook-signature': signatures = '',
      } = headers as Record<string, string>
      return signatures
        .split(' ')
        .includes(new Webhook(secret).sign(msgId, new Date(Number(at) * 1000), body))
    })
    expect([during?.(old), during?.(fresh)]).toEqual([true, true])
    expect([after?.(old), after?.(fresh)]).toEqual([false, true])
  })

  it('has the same webhook-id in every attempt, but a new timestamp', async () => {
    await seedSubscription()
    world.receiver.respond = (_request, response, number) =>
      response.writeHead(number === 1 ? 500 : 200).end()
    await completeCall(world.deps, world.seed)
    start()
    advanceTo((await deliveryAfter(1)).next_attempt_at)
    await waitForAttempts(2)
    const [first, second] = world.receiver.requests
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    expect(Number(second?.headers['webhook-timestamp'])).toBe(Number(first?.headers['webhook-timestamp']) + 5)
  })
})

describe('the response to a webhook request', () => {
  it.each([200, 201, 202, 204, 299])('completes the delivery if its status is %i', async (status) => {
    await seedSubscription()
    world.receiver.respondWith(status)
    await completeCall(world.deps, world.seed)
    start()
    expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered', next_attempt_at: null })
  })

  it.each([400, 401, 404, 429, 500, 503])(
    'causes a retry after five seconds if its status is %i',
    async (status) => {
      await seedSubscription()
      world.receiver.respondWith(status)
      await completeCall(world.deps, world.seed)
      start()
      const due = new Date(world.deps.clock.now().getTime() + 5_000)
      expect(await deliveryAfter(1)).toMatchObject({
        status: 'pending',
        attempts: 1,
        next_attempt_at: due,
        lease_until: null,
      })
      expect(await listAttempts()).toMatchObject([
        { status_code: status, error: `The receiver responded with status ${status}.` },
      ])
    },
  )

  it("counts as a failure if it's a redirect, and the redirect isn't followed", async () => {
    await seedSubscription()
    const otherUrl = world.receiver.url('/elsewhere')
    world.receiver.respondWith(307, { location: otherUrl })
    await completeCall(world.deps, world.seed)
    start()
    expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
    expect(await listAttempts()).toMatchObject([
      {
        status_code: 307,
        error: "The receiver responded with a redirect (status 307). Outdial doesn't follow redirects.",
      },
    ])
    expect(world.receiver.requests.map(({ path }) => path)).toEqual(['/hook'])
  })

  it('causes a timeout if it never arrives', async () => {
    await seedSubscription()
    world.receiver.neverRespond()
    await completeCall(world.deps, world.seed)
    start({ timeoutMs: 100 })
    expect(await deliveryAfter(1)).toMatchObject({ status: 'pending', attempts: 1 })
    expect(await listAttempts()).toMatchObject([{ status_code: null, error: 'The request timed out.' }])
  })

  it.each(invalidResponses)(
    "counts as a failure of the receiver if it isn't valid HTTP: %s",
    async (_name, bytes) => {
      const { id } = await seedSubscription()
      world.receiver.respondWithBytes(bytes)
      await completeCall(world.deps, world.seed)
      start()
      expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
      expect(await listAttempts()).toMatchObject([
        { status_code: null, error: "The response isn't valid HTTP." },
      ])
      expect(await webhooks.subscriptionRow(id)).toMatchObject({ failing_since: expect.any(Date) })
    },
  )

  it('completes the delivery if its status is 2xx, even if its body stops in the middle', async () => {
    await seedSubscription()
    world.receiver.respond = (_request, response) => void response.writeHead(200).write('still talking')
    await completeCall(world.deps, world.seed)
    start({ timeoutMs: 300 })
    expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered' })
  })

  it('completes the delivery if its status is 2xx, even if its body never ends', async () => {
    await seedSubscription()
    world.receiver.respond = (_request, response) => {
      const pour = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', pour)
      }
      response.writeHead(200)
      pour()
    }
    await completeCall(world.deps, world.seed)
    start()
    expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered' })
  })
})

describe('a delivery to an unreachable receiver', () => {
  it("has a record of why the receiver couldn't be reached", async () => {
    const gone = new HttpReceiver()
    await gone.listen()
    await seedSubscription(gone.url())
    await gone.close()
    await completeCall(world.deps, world.seed)
    start()
    await waitForAttempts(1)
    expect(await listAttempts()).toMatchObject([{ status_code: null, error: 'The connection was refused.' }])
  })

  it('is retried if the receiver closes the connection', async () => {
    await seedSubscription()
    world.receiver.respond = (_request, response) => response.destroy()
    await completeCall(world.deps, world.seed)
    start()
    expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
    expect(await listAttempts()).toMatchObject([{ error: 'The connection was closed.' }])
  })

  it("isn't sent to an address that's no longer permitted", async () => {
    await seedSubscription()
    await completeCall(world.deps, world.seed)
    world.deps.config = { ...world.deps.config, allowLoopbackWebhooks: false }
    start()
    expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
    expect(world.receiver.requests).toEqual([])
  })

  it("isn't sent to a hostname that resolves to a private address", async () => {
    await seedSubscription('https://hooks.example.test/')
    await completeCall(world.deps, world.seed)
    start({ resolve: async () => ['10.0.0.1'] })
    expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
    expect(await listAttempts()).toMatchObject([{ status_code: null, error: "The address isn't public." }])
  })
})
