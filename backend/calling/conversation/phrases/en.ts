import { defaultGreeting } from '../../../queue/calls/greeting.ts'
import type { Phrases } from './phrases.ts'

export const en: Phrases = {
  aiDisclosure: "I'm an AI assistant.",
  defaultGreeting,
  toolFiller: 'One moment, please.',
  thinkingFiller: 'Let me think for a second.',
  silenceQuestion: 'Are you still there?',
  silenceGoodbye: "I can't hear you anymore, so I'll hang up now. Goodbye.",
  notUnderstood: "Sorry, I didn't catch that. Could you say it again?",
  optedOut: "All right, we won't call you again. Goodbye.",
  timeUp: "I'm afraid our time is up. Thank you for talking with me. Goodbye.",
  technicalTrouble: "I'm having technical trouble and have to end the call. I'm sorry.",
  goodbye: 'Thank you. Goodbye.',
}
