// What pages do beyond htmx. Everything works without it: it only saves a click or a wait.

// A form that is on its way is not sent again; the server would do nothing twice, but the person should see it.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (event.defaultPrevented || form.method !== 'post') return
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'true'
  event.submitter?.setAttribute('aria-busy', 'true')
})

// Back from the browser's memory: the form may be sent again.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy')
})

// Nobody watches a page in the background: it asks for itself anew when it comes to the front.
document.addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.target.closest('[data-live]')) event.preventDefault()
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
