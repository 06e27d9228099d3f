/** Stops what `setUp` started. Keeps a template that OUTDIAL_TEMPLATE names, but the next run with this name drops it. */
export default async function tearDown() {
  const { mark, template, embedded, chromium } = globalThis.outdialTests
  await chromium?.close()
  if (/^outdial_test_/.test(template)) await mark.query(`drop database if exists ${template} with (force)`)
  await mark.end()
  await embedded?.stop()
}
