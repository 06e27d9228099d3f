-- Up Migration

-- Once the tables have statistics, PostgreSQL planned the statements of these functions again in each call, because a plan
-- for the values at hand looked cheaper. Planning took two thirds of the time of a request. Their indexes are the same for
-- any values.
alter function add_contacts(bigint, timestamptz, json, timestamptz, int) set plan_cache_mode = force_generic_plan;
alter function upsert_contacts(bigint, timestamptz, contact_values[]) set plan_cache_mode = force_generic_plan;
alter function queue_calls(bigint, timestamptz, call_request[]) set plan_cache_mode = force_generic_plan;
