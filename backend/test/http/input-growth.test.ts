import { expect, it } from '@jest/globals'
import { validate } from '../../platform/core/validate.ts'
import { findGrowth, repeatedTexts } from '../support/cpu-growth.ts'
import { listInputFields, withOnly } from '../support/input-fields.ts'
import { listInputs } from '../support/inputs.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

it("validates the text in any field of any route in CPU time proportional to the text's length", async () => {
  const findings: string[] = []
  let count = 0
  const inputs = listInputs(world.service.deps).flatMap(({ method, path, part, schema }) =>
    listInputFields(schema).map((field) => ({ ...field, schema, name: `${method} ${path} ${part}` })),
  )
  for (const [what, repeat] of Object.entries(repeatedTexts)) {
    // All fields get the same texts, so each text is built only once.
    const texts = new Map([20_000, 200_000].map((length) => [length, repeat(length)]))
    for (const { name, schema, ...field } of inputs) {
      count += 1
      const check = (text: string) => {
        try {
          validate(schema, withOnly(field, text))
        } catch {
          // The rejection doesn't matter: almost every text is rejected.
        }
      }
      const place = `${name} ${field.path.join('.')} with ${what}`
      const finding = await findGrowth(place, (length) => texts.get(length) ?? repeat(length), check)
      if (finding !== undefined) findings.push(finding)
    }
  }
  expect(findings).toEqual([])
  process.stdout.write(`${count} combinations of fields and texts\n`)
}, 120_000)
