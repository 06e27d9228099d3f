import { type Answer, type ChatMessage, type ChatRequest, type ChatTool, textOf } from './chat-protocol.ts'
import { fillSchema } from './fill-schema.ts'
import { findOrders } from './orders.ts'

/** Chooses the answer: JSON if the request asks for it, else what a behavior says, else the next part of the script. */
export function decideAnswer(request: ChatRequest, behaviors: ReadonlySet<string>): Answer {
  if (request.response_format?.type.startsWith('json'))
    return { text: writeJson(request, behaviors), toolCalls: [] }
  const mayUseTools = request.tool_choice !== 'none' || behaviors.has('ignores-tool-choice')
  const [tool] = request.tools ?? []
  if (mayUseTools && behaviors.has('unknown-tool'))
    return { text: '', toolCalls: [{ name: 'no_such_tool', arguments: '{}' }] }
  if (mayUseTools && behaviors.has('same-tool') && tool)
    return { text: '', toolCalls: [useTool(tool, 'Again')] }
  if (mayUseTools && behaviors.has('broken-arguments') && tool)
    return { text: '', toolCalls: [{ name: tool.function.name, arguments: '{"text": "never clos' }] }
  if (mayUseTools && behaviors.has('list-arguments') && tool)
    return { text: '', toolCalls: [{ name: tool.function.name, arguments: '[]' }] }
  if (behaviors.has('obedient')) return obey(request)
  return followScript(request, mayUseTools)
}

/** Does everything that any message orders, no matter who wrote it. Doesn't repeat tool calls that it already made. */
function obey(request: ChatRequest): Answer {
  const { toolCalls, sentences } = findOrders(request.messages.map(textOf))
  const done = new Set(
    request.messages
      .flatMap(({ tool_calls = [] }) => tool_calls)
      .map((call) => `${call.function.name} ${call.function.arguments}`),
  )
  const open = toolCalls.filter((call) => !done.has(`${call.name} ${call.arguments}`))
  if (request.tool_choice !== 'none' && open.length > 0) return { text: '', toolCalls: open }
  if (sentences.length > 0) return { text: sentences.join(' '), toolCalls: [] }
  return followScript(request, false)
}

/** Greets, asks the questions of the instructions one at a time, uses tools, and says goodbye. */
function followScript({ messages, tools = [] }: ChatRequest, mayUseTools: boolean): Answer {
  const last = messages.at(-1)
  const heard = last === undefined ? '' : textOf(last)
  const question = findNextQuestion(messages)
  const say = (text: string, toolCalls: Answer['toolCalls'] = []) => ({ text, toolCalls })
  if (last?.role === 'tool') return say(`Thank you, that's done. ${question ?? goodbye}`)

  const tool = mayUseTools ? findTool(tools, heard) : undefined
  if (tool !== undefined) return say('One moment, please.', [useTool(tool, heard)])
  const isFirst = !messages.some(({ role }) => role === 'assistant')
  if (isFirst) return say(`Hello, thank you for taking the time. ${question ?? 'How can I help you?'}`)
  if (question !== undefined) return say(`I see. ${question}`)
  const endCall = tools.find((one) => one.function.name === 'end_call')
  return say(goodbye, mayUseTools && endCall ? [useTool(endCall, heard)] : [])
}

const goodbye = 'Thank you for your time. Goodbye.'

/** Returns the first question of the instructions that the agent hasn't asked. */
function findNextQuestion(messages: readonly ChatMessage[]): string | undefined {
  const textsOf = (wanted: ChatMessage['role']) =>
    messages
      .filter(({ role }) => role === wanted)
      .map(textOf)
      .join('\n')
  const asked = textsOf('assistant')
  const questions = textsOf('system').match(/[A-Z][^.:?!\n"]{3,200}\?/g) ?? []
  return questions.find((question) => !asked.includes(question))
}

/** Words of a contact that suggest a tool. */
const suggestions: Record<string, RegExp> = {
  knowledge_search: /\b(cost|price|how much|opening hours|where|warranty)\b/i,
  schedule_callback: /\b(call (me )?(back|later|again)|tomorrow|another time|busy)\b/i,
  contact_note: /\b(note|write (that|this) down)\b/i,
  contact_update: /\b(my (new )?(email|name|address) is)\b/i,
  opt_out: /\b(stop calling|don't call|do not call|take me off)\b/i,
  do_not_call: /\b(stop calling|don't call|do not call|take me off)\b/i,
  end_call: /\b(bye|goodbye|hang up)\b/i,
}

/** Finds the tool that the contact's words suggest, or whose name the contact says: "weather report". */
function findTool(tools: readonly ChatTool[], heard: string): ChatTool | undefined {
  const words = heard.toLowerCase()
  const isSuggested = ({ function: { name } }: ChatTool) =>
    suggestions[name.replace(/^custom_/, '')]?.test(heard) ?? words.includes(name.replaceAll('_', ' '))
  return tools.find(isSuggested)
}

const useTool = ({ function: { name, parameters } }: ChatTool, heard: string) => ({
  name,
  arguments: JSON.stringify(fillSchema(parameters ?? { type: 'object' }, heard)),
})

/** Answers with JSON that matches the request's schema or, if it has none, a schema that's written in the messages. */
function writeJson({ messages, response_format }: ChatRequest, behaviors: ReadonlySet<string>): string {
  if (behaviors.has('no-json')) return "I'd rather not answer with JSON."
  const written = messages
    .map(textOf)
    .join('\n')
    .match(/^\{"type":"object".*\}$/m)
  const schema = response_format?.json_schema?.schema ?? (JSON.parse(written?.[0] ?? '{}') as object)
  const json = JSON.stringify(fillSchema(schema, 'The contact answered the questions.'), null, 2)
  return behaviors.has('fenced-json') ? `Here you are:\n\n\`\`\`json\n${json}\n\`\`\`\n` : json
}
