import type { Rule } from 'eslint'
import type { Expression, ImportSpecifier, TaggedTemplateExpression } from 'estree'
import { findPlaces, isTextAttribute } from '../backend/platform/views/markup-reader.ts'

const calleeName = (slot: Expression): string | undefined =>
  slot.type === 'CallExpression' && slot.callee.type === 'Identifier' ? slot.callee.name : undefined

/**
 * Reports slots of `html` in places where escaping isn't enough: unquoted attributes, names, event handlers, `style`, and
 * `script`. Among attributes, only `attributes(…)` is allowed as a slot. For the same slots, the function `html` throws when a
 * page is opened. This rule finds them earlier.
 */
export const htmlSlotsRule: Rule.RuleModule = {
  meta: {
    schema: [],
    messages: {
      unsafe:
        "A slot of html can't be here. Text and quoted attributes are safe, and attributes(…) the rest.",
      name: "attributes(…) can't write this name.",
      alias: 'Import html and attributes under their names, so that this rule finds them.',
    },
  },
  create: (context) => ({
    'TaggedTemplateExpression[tag.name="html"]': ({ quasi }: TaggedTemplateExpression) => {
      const places = findPlaces(quasi.quasis.map(({ value }) => value.cooked ?? ''))
      const isWhole = places.length === quasi.expressions.length
      if (!isWhole) context.report({ node: quasi, messageId: 'unsafe' })
      quasi.expressions.forEach((slot, index) => {
        const place = isWhole ? places[index] : 'text'
        const isAttributes = calleeName(slot) === 'attributes'
        if (place === 'unsafe' || (place === 'tag') !== isAttributes)
          context.report({ node: slot, messageId: 'unsafe' })
      })
    },
    'CallExpression[callee.name="attributes"] > ObjectExpression > Property': (node: Rule.Node) => {
      if (node.type !== 'Property') return
      const { key, computed } = node
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''
      if (computed || !isTextAttribute(name)) context.report({ node, messageId: 'name' })
    },
    'ImportDeclaration[source.value=/views\\/html\\.ts$|^\\.\\/html\\.ts$/] > ImportSpecifier': (
      node: ImportSpecifier & Rule.Node,
    ) => {
      if (node.imported.type === 'Identifier' && node.imported.name !== node.local.name)
        context.report({ node, messageId: 'alias' })
    },
  }),
}
