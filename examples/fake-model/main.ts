import { startFakeModel } from './server.ts'

// A server that answers like a language model, from a script. README.md lists what it can do.

const { FAKE_MODEL_PORT = '8791', FAKE_MODEL_HOST = '127.0.0.1' } = process.env

const { url } = await startFakeModel({ port: Number(FAKE_MODEL_PORT), host: FAKE_MODEL_HOST })
console.log(`The fake model is ready at ${url}`)
console.log(`To use it, set LLM_URL=${url} and LLM_MODELS=outdial-fake in .env, then restart Outdial.`)
