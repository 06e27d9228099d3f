// A refusal ends calls, and the line asks for it too: the operation lies with the calls.
export { addToDoNotCallList } from './suppress.ts'
