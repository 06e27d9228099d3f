/** Sends facts about this process to the benchmark. Also sends the process's memory or CPU time whenever the benchmark asks. */
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
