import * as contract from '@outdial/contract'

/** Returns the dashboard's label for each field of a table. */
const toLabels = <Name extends string>(table: Record<Name, contract.FieldText>): Record<Name, string> =>
  Object.fromEntries(
    Object.entries<contract.FieldText>(table).map(([name, { label, dashboard }]) => [
      name,
      dashboard ?? label,
    ]),
  ) as Record<Name, string>

/** The contract's labels by table and field. Pages use them: `labels.call.attempts`. */
export const labels = {
  agent: toLabels(contract.agentTexts),
  call: toLabels(contract.callTexts),
  addContact: toLabels(contract.addContactTexts),
  addToDoNotCallList: toLabels(contract.addToDoNotCallListTexts),
  campaign: toLabels(contract.campaignTexts),
  contact: toLabels(contract.contactTexts),
  outcome: toLabels(contract.outcomeTexts),
  phoneNumber: toLabels(contract.phoneNumberTexts),
  subscription: toLabels(contract.subscriptionTexts),
  workspace: toLabels(contract.workspaceTexts),
}
