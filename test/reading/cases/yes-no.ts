// cspell:ignore oui nein optout não
/** A text, the answer that it means in most fields, and the answer in "Do not call". Undefined if the text isn't accepted. */
type YesNoCase = readonly [text: string, answer: boolean | undefined, doNotCall: boolean | undefined]

const sameEverywhere = (answer: boolean | undefined, texts: string[]) =>
  texts.map((text): YesNoCase => [text, answer, answer])
const onlyDoNotCall = (answer: boolean, texts: string[]) =>
  texts.map((text): YesNoCase => [text, undefined, answer])

export const yesNoCases: readonly YesNoCase[] = [
  ...sameEverywhere(true, ['Yes', 'TRUE', 'true', 't', 'Y', '1', '1.0', '1.00', 'on', 'Checked', 'x', 'X']),
  ...sameEverywhere(true, ['✓', '✔', 'ja', 'Oui', 'sí', 'Si', 'sì', 'Sim', ' yes ', 'Yes.']),
  ...sameEverywhere(false, ['No', 'FALSE', 'false', 'f', 'n', '0', '0.0', 'off', 'Unchecked', 'nein', 'Non']),
  ...sameEverywhere(false, ['Não', 'nao', 'nee']),
  ...onlyDoNotCall(true, ['DNC', 'Do not call', 'do_not_call', 'Opt-out', 'optout', 'Opted out']),
  ...onlyDoNotCall(true, ['Unsubscribed', 'BLOCKED']),
  ...onlyDoNotCall(false, ['none', 'Subscribed', '-', '–', '---']),
  ...sameEverywhere(undefined, ['n/a', 'null', 'maybe', 'True,False', 'yes/no', 'last week', '2', '10']),
  ...sameEverywhere(undefined, ['1.5', '01', '?', 'Opted in', 'do call', 'not unsubscribed']),
]
