// zapier-platform-core ends a process that uses 450 MB after 250 runs, which the tests of a few mutants do.
const { memoryUsage } = process
process.memoryUsage = Object.assign(() => ({ ...memoryUsage(), rss: 0 }), memoryUsage)
