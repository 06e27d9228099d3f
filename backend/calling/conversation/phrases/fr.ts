import type { Phrases } from './phrases.ts'

// cspell:disable
export const fr: Phrases = {
  aiDisclosure: 'Vous parlez avec une intelligence artificielle.',
  defaultGreeting: "Bonjour {{name}}, c'est {{agent}}. Avez-vous un moment ?",
  toolFiller: "Un instant, s'il vous plaît.",
  thinkingFiller: 'Laissez-moi réfléchir un instant.',
  silenceQuestion: 'Vous êtes toujours là ?',
  silenceGoodbye: 'Je ne vous entends plus, je vais donc raccrocher. Au revoir.',
  notUnderstood: "Excusez-moi, je n'ai pas bien compris. Pouvez-vous répéter, s'il vous plaît ?",
  optedOut: "C'est noté, nous ne vous appellerons plus. Au revoir.",
  timeUp: 'Le temps prévu pour cet appel est écoulé. Merci pour cet échange. Au revoir.',
  technicalTrouble: "Excusez-moi, j'ai un problème technique et je dois mettre fin à l'appel.",
  goodbye: 'Merci. Au revoir.',
}
