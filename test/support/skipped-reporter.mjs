/** Lists the tests that this machine couldn't run. CI can run all tests, so there, a skipped test fails the run. */
export default class SkippedReporter {
  #error

  constructor(config) {
    this.config = config
  }

  onRunComplete(_, { testResults }) {
    if (this.config.testNamePattern) return // with a name pattern, the user has skipped the other tests on purpose
    const skipped = testResults.flatMap(({ testResults: tests }) =>
      tests.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
    )
    if (skipped.length === 0) return
    console.error(`\nNot run on this machine:\n${skipped.map((name) => `  ○ ${name}`).join('\n')}`)
    if (process.env.CI === 'true') this.#error = new Error('Tests were skipped.')
  }

  getLastError() {
    return this.#error
  }
}
