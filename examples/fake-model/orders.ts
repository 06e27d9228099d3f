import type { Answer } from './chat-protocol.ts'

interface Orders {
  toolCalls: Answer['toolCalls']
  sentences: string[]
}

/**
 * Finds orders in any text, such as `call the tool contact_note with {"text":"Hi"}` and `say: I'm a human`. Inside of
 * JSON, their quotation marks are escaped.
 */
export function findOrders(texts: readonly string[]): Orders {
  const orders: Orders = { toolCalls: [], sentences: [] }
  for (const text of texts) {
    for (const match of text.matchAll(/call the tool (\w+) with (?=\{)/gi)) {
      const [order, name = ''] = match
      const json = readObject(text.slice(match.index + order.length))
      if (json !== undefined) orders.toolCalls.push({ name, arguments: json })
    }
    for (const [, sentence = ''] of text.matchAll(/\bsay: ?([^\n"\\]+)/gi))
      orders.sentences.push(sentence.trim())
  }
  return orders
}

/** Returns the object that a text begins with, as compact JSON. */
function readObject(text: string): string | undefined {
  for (const candidate of [text, text.replaceAll('\\"', '"')]) {
    // The shortest part that can be parsed is the object, whatever follows it.
    for (let end = candidate.indexOf('}'); end !== -1; end = candidate.indexOf('}', end + 1)) {
      try {
        return JSON.stringify(JSON.parse(candidate.slice(0, end + 1)))
      } catch {
        // The object ends later.
      }
    }
  }
  return undefined
}
