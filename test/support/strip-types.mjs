import { stripTypeScriptTypes } from 'node:module'

// Replaces types by blanks, as Node does. So tests run the same code as the service, without another compiler.
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) }
