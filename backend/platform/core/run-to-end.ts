/** Runs a generator to its end, and returns its return value. Drops the values that it yields. */
export async function runToEnd<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  let step = await steps.next()
  while (step.done !== true) step = await steps.next()
  return step.value
}
