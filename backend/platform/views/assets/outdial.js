// Adds behavior to pages that htmx doesn't have. Every page also works without this script.

// A form that is being sent can't be submitted again. The server would ignore the second submit, but the user should see
// that the first one is on its way. The browser has no event for a canceled page load, so after 15 seconds the form can
// be submitted again.
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

// When a page is restored from the back/forward cache, its forms can be submitted again.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy')
})

// If a request fails, the page keeps its content and shows a notice that it's stale. Live parts retry by themselves. A search
// is retried here; until it succeeds, live parts are paused, because they would show the results of the previous search.
let failedSearch = null
let retryTimer

const isSearch = (element) => element.matches('form[role="search"]')
const resultsOf = (search) => document.querySelector(search.getAttribute('hx-target'))
const isLive = (element) => element.matches('[data-live]')

function showStale(text) {
  const notice = document.getElementById('stale')
  // Without this condition, screen readers would announce the same text again.
  if (notice.textContent !== text) notice.textContent = text
}

function handleFailedRequest({ sourceElement: source }) {
  if (isSearch(source)) {
    resultsOf(source)?.removeAttribute('aria-busy')
    failedSearch = source
    retryTimer = setTimeout(() => source.dispatchEvent(new Event('change')), 3000)
  }
  if (isSearch(source) || isLive(source)) showStale("Couldn't refresh. Retrying…")
  // The user clicked a link or submitted a form, and waits for the result.
  else if (source.matches('a, form'))
    showStale('Something went wrong. Try again in a moment, or reload the page.')
}

/** Checks for a form that is being sent. Replacing it would change its submission ID, so a second click would count again. */
const isSending = (part) => part.querySelector('form:is([data-sent], [data-streaming])') !== null

// A page in the background doesn't refresh until the user returns to it.
document.addEventListener('htmx:before:request', (event) => {
  const { sourceElement: source } = event.detail.ctx
  if (isSearch(source)) {
    clearTimeout(retryTimer)
    // Until the new results arrive, the page still shows the results of the previous search.
    resultsOf(source)?.setAttribute('aria-busy', 'true')
  }
  const isPaused = document.hidden || isSending(source) || failedSearch?.isConnected
  if (isLive(source) && isPaused) event.preventDefault()
})

// htmx is configured not to show error responses. This listener also keeps their URL out of the address bar.
document.addEventListener('htmx:before:swap', (event) => {
  const { ctx } = event.detail
  if (isLive(ctx.sourceElement) && isSending(ctx.sourceElement)) return event.preventDefault()
  if (ctx.swap !== 'none' || ctx.response.status < 400) return
  event.preventDefault()
  handleFailedRequest(ctx)
})

document.addEventListener('htmx:error', ({ detail: { ctx } }) => ctx && handleFailedRequest(ctx))

document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
  if (isSearch(ctx.sourceElement)) {
    failedSearch = null
    resultsOf(ctx.sourceElement)?.removeAttribute('aria-busy')
  }
  if (!failedSearch?.isConnected) showStale('')
})

// A popover takes no focus by itself, so screen readers wouldn't announce the dialog. `toggle` events don't bubble.
document.addEventListener(
  'toggle',
  ({ target, newState }) => {
    if (newState !== 'open' || !target.matches('[role="dialog"]')) return
    target.querySelector('input:not([type="hidden"]), button').focus()
  },
  true,
)

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
  const label = button.textContent
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = label), 2000)
})
for (const button of document.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard
