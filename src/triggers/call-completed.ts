import { defineInputFields } from 'zapier-platform-core'
import { callCompletedTexts as texts, outcomeChoices, sampleCall } from '../generated.ts'
import { yesOrNo } from '../read-input.ts'
import { defineCallTrigger } from './call-trigger.ts'

const inputFields = defineInputFields([
  { key: 'outcome', ...texts.outcome, list: true, choices: outcomeChoices },
  { key: 'goal_met', ...texts.goal_met, choices: yesOrNo },
  { key: 'include_test_calls', ...texts.include_test_calls, choices: yesOrNo },
])

export const callCompleted = defineCallTrigger({
  key: 'call_completed',
  display: {
    label: 'Call Completed',
    description: 'Triggers when a call is completed, regardless of its outcome.',
  },
  inputFields,
  readFilter: (input) => ({
    outcome: input.choices('outcome', outcomeChoices),
    goal_met: input.yesOrNo('goal_met'),
    test: input.yesOrNo('include_test_calls') ? undefined : 'exclude',
  }),
  sample: sampleCall,
})
