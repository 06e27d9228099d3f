// What pages do beyond htmx. Everything works without it: it only saves a click or a wait.

// A form that is on its way is not sent again; the server would do nothing twice, but the person should see it. Nothing
// tells the page that loading was stopped: after a while it may be sent again.
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (event.defaultPrevented || form.method !== 'post') return
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'true'
  submitter?.setAttribute('aria-busy', 'true')
  setTimeout(() => {
    delete form.dataset.sent
    submitter?.removeAttribute('aria-busy')
  }, 15_000)
})

// Back from the browser's memory: the form may be sent again.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy')
})

// What is shown stays when an answer is an error or none comes. It is said to be older than it looks, and asked for
// again: a live part does so by itself, a search is told to, and meanwhile nothing shows what was searched for before.
let failedSearch = null
let retryTimer

const isSearch = (element) => element.matches('form[role="search"]')
const isLive = (element) => element.matches('[data-live]')

function sayStale(text) {
  const line = document.getElementById('stale')
  // The same text once more would be read out once more.
  if (line.textContent !== text) line.textContent = text
}

function fallBehind({ sourceElement: source }) {
  if (isSearch(source)) {
    failedSearch = source
    retryTimer = setTimeout(() => source.dispatchEvent(new Event('change')), 3000)
  }
  if (isSearch(source) || isLive(source)) sayStale('Couldn’t refresh. Retrying…')
  // Somebody pressed it, and waits.
  else if (source.matches('a, form'))
    sayStale('Something went wrong. Try again in a moment, or reload the page.')
}

/** A form that is on its way would get another key by which it counts once, and a second press would count again. */
const isSending = (part) => part.querySelector('form[data-sent]') !== null

// Nobody watches a page in the background: it asks for itself anew when it comes to the front.
document.addEventListener('htmx:before:request', (event) => {
  const { sourceElement: source } = event.detail.ctx
  if (isSearch(source)) clearTimeout(retryTimer)
  const isPaused = document.hidden || isSending(source) || failedSearch?.isConnected
  if (isLive(source) && isPaused) event.preventDefault()
})

// By the configuration of htmx an error is not swapped in; here, its address is not taken either.
document.addEventListener('htmx:before:swap', (event) => {
  const { ctx } = event.detail
  if (isLive(ctx.sourceElement) && isSending(ctx.sourceElement)) return event.preventDefault()
  if (ctx.swap !== 'none' || ctx.response.status < 400) return
  event.preventDefault()
  fallBehind(ctx)
})

document.addEventListener('htmx:error', ({ detail: { ctx } }) => ctx && fallBehind(ctx))

document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
  if (isSearch(ctx.sourceElement)) failedSearch = null
  if (!failedSearch?.isConnected) sayStale('')
})

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
  const label = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = label), 2000)
})
for (const button of document.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard
