import * as z from 'zod'
import { Warning } from './errors.ts'
import {
  campaignCreatedTexts,
  campaignQueryTexts,
  campaignTexts,
  createCampaignTexts,
} from './field-texts.ts'
import { listOf, oneOrMany, SearchQuery } from './lists.ts'
import {
  boundedText,
  describeFields,
  fieldsBelow,
  Id,
  PhoneNumberE164,
  StoredTimeZone,
  text,
  Timestamp,
  TimeZone,
  withText,
} from './primitives.ts'

export const Weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])
export type Weekday = z.infer<typeof Weekday>

const startTime = z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, withText('invalid_format.start_time'))
const endTime = z.regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, withText('invalid_format.end_time'))

/** @param times the schemas of the two times; for input, they also limit the length */
const hoursOf = (times: { start: z.ZodString; end: z.ZodString }) =>
  z.strictObject(
    describeFields(
      {
        days: z
          .array(Weekday)
          .min(1, withText('too_small.days'))
          .max(7)
          .refine((days) => new Set(days).size === days.length, withText('invalid_value.repeated')),
        start: times.start.check(startTime),
        end: times.end.check(endTime),
      },
      fieldsBelow(campaignTexts, 'calling_hours'),
    ),
  )

/**
 * When contacts may be called, in their own time zone. Hours whose start is after their end run past midnight and
 * belong to the day on which they start.
 */
export const CallingHours = hoursOf({ start: z.string(), end: z.string() })
  .refine((value) => value.start !== value.end, {
    path: ['end'],
    ...withText('empty_calling_hours'),
  })
  .meta({ id: 'CallingHours' })
export type CallingHours = z.infer<typeof CallingHours>

/** Calling hours in a request, which can omit parts. Missing parts get their defaults before start and end are compared. */
export const CallingHoursInput = hoursOf({
  start: boundedText(5, withText('invalid_format.start_time')),
  end: boundedText(5, withText('invalid_format.end_time')),
}).partial()
export type CallingHoursInput = z.infer<typeof CallingHoursInput>

/** The outcomes after which a campaign can call a contact again. */
export const RetryOutcome = z.enum(['no_answer', 'busy', 'voicemail', 'failed'])
export type RetryOutcome = z.infer<typeof RetryOutcome>

export const RetryPolicy = z
  .strictObject(
    describeFields(
      {
        max_attempts: z.int().min(1).max(10),
        delay_minutes: z.int().min(1).max(1440),
        on: z
          .array(RetryOutcome)
          .max(4)
          .refine((on) => new Set(on).size === on.length, withText('invalid_value.repeated')),
      },
      fieldsBelow(campaignTexts, 'retry'),
    ),
  )
  .meta({ id: 'RetryPolicy' })
export type RetryPolicy = z.infer<typeof RetryPolicy>

export const CampaignStatus = z.enum(['active', 'paused', 'archived'])
export type CampaignStatus = z.infer<typeof CampaignStatus>

/** The consent that a contact must have given to be called, from the weakest requirement to the strictest. */
export const ConsentRequired = z.enum(['none', 'any', 'written'])
export type ConsentRequired = z.infer<typeof ConsentRequired>

/** A campaign: which agent calls, from which number, when, and how often. */
export const Campaign = z
  .object(
    describeFields(
      {
        id: Id,
        name: z.string(),
        status: CampaignStatus,
        agent_id: Id,
        phone_number_id: Id,
        time_zone: StoredTimeZone,
        calling_hours: CallingHours,
        max_concurrent_calls: z.int().min(1).max(100),
        retry: RetryPolicy,
        paused_reason: z.string().nullable(),
        // Responses that were stored before these nine fields existed don't have them.
        consent_required: ConsentRequired.optional(),
        consent_max_age_days: z.int().nullable().optional(),
        one_conversation_per_day: z.boolean().optional(),
        closed_on_federal_holidays: z.boolean().optional(),
        opens_at: Timestamp.nullable().optional(),
        agent_variables: z.array(z.string()).optional(),
        agent_name: z.string().optional(),
        phone_number: PhoneNumberE164.optional(),
        url: z.url().optional(),
        created_at: Timestamp,
      },
      campaignTexts,
    ),
  )
  .meta({ id: 'Campaign' })
export type Campaign = z.infer<typeof Campaign>

/** Body of `POST /campaigns/`. Omitted and null fields get their defaults. The default calling hours are the workspace's. */
export const CreateCampaign = z
  .strictObject(
    describeFields(
      {
        name: text(200),
        agent_id: Id,
        phone_number_id: Id,
        time_zone: TimeZone.nullish(),
        calling_hours: CallingHoursInput.nullish(),
        max_concurrent_calls: z.int().min(1).max(100).nullish(),
        retry: RetryPolicy.partial().nullish(),
        consent_required: ConsentRequired.nullish(),
        consent_max_age_days: z.int().min(1).max(3650).nullish(),
        one_conversation_per_day: z.boolean().nullish(),
        closed_on_federal_holidays: z.boolean().nullish(),
      },
      createCampaignTexts,
    ),
  )
  .meta({ id: 'CreateCampaign' })
export type CreateCampaign = z.infer<typeof CreateCampaign>

/** Response to `POST /campaigns/`. Responses that were stored before `warnings` existed don't have it. */
export const CampaignCreated = Campaign.extend(
  describeFields({ warnings: z.array(Warning).optional() }, campaignCreatedTexts),
).meta({ id: 'CampaignCreated' })
export type CampaignCreated = z.infer<typeof CampaignCreated>

/** Filters and order of `GET /campaigns/`. */
export const CampaignQuery = SearchQuery.extend(
  describeFields(
    { status: oneOrMany(CampaignStatus), order: z.enum(['newest']).optional() },
    campaignQueryTexts,
  ),
)
export type CampaignQuery = z.infer<typeof CampaignQuery>

export const CampaignList = listOf(Campaign, 'CampaignList')
export type CampaignList = z.infer<typeof CampaignList>
