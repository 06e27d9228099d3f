import { stripTypeScriptTypes } from 'node:module'

// Tests run what Node runs: the sources with their types blanked out, no other compiler.
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) }
