import { stripTypeScriptTypes } from 'node:module'

// Tests run the same code as Node: the sources with their types blanked out, without another compiler.
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) }
