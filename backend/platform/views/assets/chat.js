// Shows what the agent says in a chat while the agent speaks. Without this script, the page shows a turn only when it's over.

/** The latest turn. Sending another turn while the agent speaks interrupts this one. */
let current = null
let sent = 0

const byId = (id) => document.getElementById(id)

const keys = byId('chat-keys')
if (keys) keys.hidden = false

// Listens in the capture phase, before other scripts, which would expect that the form loads another page.
document.addEventListener(
  'submit',
  (event) => {
    const { target: form, submitter } = event
    if (form.id !== 'chat-form') return
    // Ends the turn in progress, so that its words are stored before another button's request is handled.
    if (submitter?.hasAttribute('formaction')) return current?.abort.abort()
    event.preventDefault()
    event.stopPropagation()
    const { text } = form.elements
    if (submitter?.name !== '_silence' && !text.reportValidity()) return
    takeTurn(form, submitter)
  },
  true,
)

// Enter sends the text, and Shift+Enter starts a new line. With an input method, Enter also confirms a suggestion.
document.addEventListener('keydown', (event) => {
  const { key, shiftKey, isComposing, target } = event
  if (key !== 'Enter' || shiftKey || isComposing || !target.matches('#chat-form textarea')) return
  event.preventDefault()
  target.form.requestSubmit(target.form.querySelector('.primary'))
})

async function takeTurn(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter))
  // Each turn is a new submission, so it gets a separate ID.
  fields.set('_once', `${fields.get('_once')}-${(sent += 1)}`)
  const { text } = form.elements
  const typed = text.value
  if (submitter?.name !== '_silence') text.value = ''
  text.focus()
  const isInterruption = current !== null && !current.isSaid
  if (isInterruption) {
    current.abort.abort()
    byId('chat-speaking').lastElementChild?.append(byId('chat-interrupted').content.cloneNode(true))
  }
  moveToLog()
  byId('chat-failure').hidden = true
  const turn = (current = { abort: new AbortController(), isSaid: false })
  form.dataset.streaming = 'true'
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { accept: 'text/event-stream' },
      body: fields,
      signal: turn.abort.signal,
    })
    // The response is an error or the sign-in page. To show it, the browser submits the form again, without this script.
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      if (submitter?.name) form.append(toHiddenField(submitter))
      text.value = typed
      delete form.dataset.streaming
      return HTMLFormElement.prototype.submit.call(form)
    }
    for await (const part of readParts(response))
      if (!turn.abort.signal.aborted) await show(part, { turn, typed })
  } catch {
    if (!turn.abort.signal.aborted)
      fail('The connection was lost. Reload the page to see what the agent said.')
  }
  if (current !== turn) return
  delete byId('chat-form')?.dataset.streaming
}

function toHiddenField({ name, value }) {
  const field = document.createElement('input')
  Object.assign(field, { type: 'hidden', name, value })
  return field
}

/** Reads server-sent events (HTML standard, section 9.2). Each has one line of JSON. */
async function* readParts(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const events = `${text}${chunk.value}`.split('\n\n')
    text = events.pop()
    for (const event of events) yield JSON.parse(event.slice('data: '.length))
  }
}

async function show(part, { turn, typed }) {
  const speaking = byId('chat-speaking')
  const isInView = speaking.hidden || speaking.getBoundingClientRect().bottom <= window.innerHeight
  const agent = speaking.lastElementChild
  if (part.type === 'begin') {
    speaking.innerHTML = part.html
    speaking.hidden = false
  } else if (part.type === 'part') {
    byId('chat-waiting')?.remove()
    agent.insertAdjacentHTML('beforeend', part.html)
  } else if (part.type === 'text') {
    agent.lastElementChild.append(part.text)
  } else if (part.type === 'replace') {
    const replaced = byId(part.target)
    if (replaced) keepOpen(() => (replaced.outerHTML = part.html))
    else agent?.insertAdjacentHTML('beforeend', part.html)
    announceResults()
  } else if (part.type === 'turn') {
    keepOpen(() => (speaking.innerHTML = part.html))
    moveToLog()
    turn.isSaid = true
  } else if (part.type === 'over') {
    await showEnd()
  } else if (part.type === 'failed') {
    speaking.replaceChildren()
    speaking.hidden = true
    fail(part.text)
    const { text } = byId('chat-form').elements
    if (text.value === '') text.value = typed
  }
  if (isInView)
    (speaking.lastElementChild ?? byId('chat-turns').lastElementChild)?.scrollIntoView({ block: 'nearest' })
}

/** Announces the results so far to screen readers, which stay silent if the text hasn't changed. */
function announceResults() {
  const results = [...(byId('chat-results')?.children ?? [])].map((element) => element.textContent.trim())
  byId('chat-status').textContent = results.join(' ')
}

/** Replaces markup. Tool details that the reader has opened stay open and keep the focus. */
function keepOpen(replace) {
  const toolOf = (element) => element?.closest('.turn-tool')?.id
  const opened = [...document.querySelectorAll('.turn-tool details[open]')].map(toolOf)
  const focused = toolOf(document.activeElement)
  replace()
  for (const id of opened) byId(id)?.querySelector('details')?.setAttribute('open', '')
  if (focused && toolOf(document.activeElement) !== focused) byId(focused)?.querySelector('summary')?.focus()
}

/** Moves the turn in progress to the log, so that screen readers announce the turn as a whole. */
function moveToLog() {
  const speaking = byId('chat-speaking')
  byId('chat-waiting')?.remove()
  byId('chat-turns').append(...speaking.children)
  speaking.hidden = true
}

function fail(sentence) {
  const failure = byId('chat-failure')
  failure.textContent = sentence
  failure.hidden = false
}

/** Shows the page of the chat that has ended. That page refreshes itself until the chat has been analyzed. */
async function showEnd() {
  const { status } = await fetch(location.pathname, { method: 'HEAD' })
  if (status === 404) {
    moveToLog()
    return fail("This chat has been deleted. Start a new one on the agent's page.")
  }
  await window.htmx.ajax('GET', location.pathname, {
    target: '#live',
    select: '#live',
    swap: 'outerMorph ignoreTitle:true',
  })
  byId('chat-end')?.focus()
}
