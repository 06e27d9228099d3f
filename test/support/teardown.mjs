/** With a named template the next run of that name cleans up: its owner may want to look into it. */
export default async function tearDown() {
  const { mark, template, embedded, chromium } = globalThis.outdialTests
  await chromium?.close()
  if (/^outdial_test_/.test(template)) await mark.query(`drop database if exists ${template} with (force)`)
  await mark.end()
  await embedded?.stop()
}
