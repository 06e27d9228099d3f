-- Up Migration

-- Each change of a call's status adds an entry to every index that contains the call. So an index stays only if no other
-- one finds the same rows.

-- In order of ID for rescheduling. The included columns answer how many calls wait for what.
create index call_queue_of_campaign on call (workspace_id, campaign_id, id)
  include (agent_id, phone_number_id, test, attempts, due_at, next_attempt_at) where status = 'queued';
drop index call_queue;
drop index call_waiting_campaign;
-- A number and a contact have few calls: call_number and call_contact find the open ones.
drop index call_waiting_number;
drop index call_open_contact;
-- Nearly all calls are real ones: call_list finds them.
drop index call_list_real;

comment on index call_open_once is 'Prevents two open calls to a contact in a campaign';
comment on index call_due is 'The next calls of a campaign, for the dialer';
comment on index call_due_test is 'The next test calls, for the dialer';
comment on index call_queue_of_campaign is 'Rescheduling a campaign, and the overview''s counts of waiting calls';
comment on index call_waiting is 'Calls that have waited too long, for the sweeper';
comment on index call_analysis is 'Calls whose event waits for the analysis, for the sweeper';
comment on index call_list is 'GET /calls/ and the list of calls';
comment on index call_list_campaign is 'The list of calls of a campaign';
comment on index call_list_agent is 'The list of calls of an agent';
comment on index call_list_status is 'The list of calls with a status';
comment on index call_list_outcome is 'The list of calls with an outcome';
comment on index call_list_goal is 'The list of calls by whether the goal was met';
comment on index call_test is 'The list of test calls, which are rare';
comment on index call_queued is 'The list of calls of a period';
comment on index call_contact is 'The calls of a contact';
comment on index call_number is 'Search by the start of a number, and the queued calls to a number';
comment on index call_ended is 'The overview''s counts of a day';
comment on index call_open is 'How many calls of a campaign are open';
comment on index call_progress is 'The outcomes of a campaign''s calls';
comment on index call_conversation is 'Conversations to delete after the retention time';
