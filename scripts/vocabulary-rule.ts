// cspell:ignore anew anonymi mend outliv parted refus whoever
import type { Rule } from 'eslint'

/**
 * Words that the glossary in CONTRIBUTING.md replaced, as parts of a name. Words of the glossary that code also needs
 * in another meaning aren't here: answer, blocked, general, line, order, part, people, person, ring, role, try.
 */
const replacedWords = [
  'admit[a-z]*|adopt[a-z]*|anew|anonymi[a-z]*|answers|beside[a-z]*|bur(y|ied|ies)|casting|chance|dead|desks?|doors?',
  'faults?|(?<!in-)flights?|forget[a-z]*|gates?|gatekeeper|grace|guests?|held|hold[a-z]*|kept|lots|mend[a-z]*',
  'nobody|obstacles?|outliv[a-z]*|parted|patience|refus[a-z]*|replan[a-z]*|rooms?|rung|somebody|talk[a-z]*|tell[a-z]*',
  'told|tries|troubles?|trx|wak(e|es|ing)|whoever|woken',
].join('|')
/** `own` alone is replaced; `isOwn` and `ownProperties` are fine. */
const replaced = new RegExp(`(?<![a-z])(${replacedWords})(?![a-z])|^own$`)

/** Properties with names from elsewhere: an option of Node's resolver, one of Docker Compose, a customer's variable. */
const propertiesOfOthers = ['tries', 'stop_grace_period', 'rooms']

/** Returns the word of a camelCase, PascalCase, or snake_case name that the glossary replaced. */
function findReplacedWord(name: string): string | undefined {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g, '-').toLowerCase()
  return replaced.exec(words)?.[0]
}

const members =
  'PropertyDefinition, MethodDefinition, TSPropertySignature, TSMethodSignature, ObjectExpression > Property[shorthand=false]'

/** Rejects words that the glossary replaced in every declared name: variables, parameters, types, and members. */
export const vocabularyRule: Rule.RuleModule = {
  meta: {
    schema: [],
    messages: { replaced: 'The glossary in CONTRIBUTING.md has another word for “{{word}}” in “{{name}}”.' },
  },
  create: (context) => {
    const check = (node: Rule.Node, name: string) => {
      const word = findReplacedWord(name)
      if (word !== undefined) context.report({ node, messageId: 'replaced', data: { word, name } })
    }
    const checkMember = (node: Rule.Node) => {
      if ('name' in node && !propertiesOfOthers.includes(node.name)) check(node, node.name)
    }
    return {
      [`:matches(${members})[computed=false] > .key`]: checkMember,
      'Program:exit': () => {
        const variables = context.sourceCode.scopeManager.scopes.flatMap((scope) => scope.variables)
        // A class is a variable in two scopes.
        for (const node of new Set(variables.flatMap(({ identifiers }) => identifiers))) {
          const { parent } = node as Rule.Node
          const isNameOfOthers =
            parent?.type === 'ImportSpecifier' && parent.imported.range?.[0] === node.range?.[0]
          if (!isNameOfOthers) check(node as Rule.Node, node.name)
        }
      },
    }
  },
}
