-- Returns the results that a version of an agent finds out, each with the value null: {"appointment_day": null}.
create or replace function unknown_results(agent bigint, version int) returns jsonb
  language sql stable parallel safe
  return (
    select coalesce(jsonb_object_agg(result.value ->> 'name', null), '{}')
    from agent_version cross join lateral jsonb_array_elements("values" -> 'results') as result
    where agent_id = agent and number = version
  );
