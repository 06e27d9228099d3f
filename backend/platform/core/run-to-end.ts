/** Runs a generator to its end, and returns what it returns. What it yields is dropped. */
export async function runToEnd<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  let step = await steps.next()
  while (step.done !== true) step = await steps.next()
  return step.value
}
