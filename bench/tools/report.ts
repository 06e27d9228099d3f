/** Sends facts about this process to the benchmark, and its memory and CPU time when asked. */
export function report(facts: { port: number; queries: string[] }): void {
  process.on('message', (question) => {
    if (question === 'memory') {
      global.gc?.()
      global.gc?.()
      const { heapUsed } = process.memoryUsage()
      process.send?.({ heapUsed })
    }
    if (question === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send?.({ user, system })
    }
  })
  process.send?.(facts)
}
