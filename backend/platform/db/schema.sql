-- Written by `npm run generate` from the migrations and functions in this folder. Nothing runs it.

create table agent (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  widget_id uuid not null default gen_random_uuid(),
  name text not null,
  language text not null default 'en-US'::text,
  status text not null default 'draft'::text,
  greeting text not null default ''::text,
  variables text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  newest_version integer not null default 1,
  constraint agent_pkey PRIMARY KEY (id),
  constraint agent_widget_id_key UNIQUE (widget_id),
  constraint agent_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint agent_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'live'::text, 'paused'::text]))),
  constraint agent_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on agent to outdial_service;
grant delete, insert, select, update on agent to outdial_workspace;
create policy service on agent to outdial_service using (true);
create policy workspace on agent to outdial_workspace using ((workspace_id = current_workspace_id()));
CREATE CONSTRAINT TRIGGER agent_goes_live AFTER UPDATE ON agent DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'live'::text) AND (old.status <> 'live'::text))) EXECUTE FUNCTION enqueue_campaigns_of_agent();

create table agent_version (
  workspace_id bigint not null,
  agent_id bigint not null,
  number integer not null,
  "values" jsonb not null,
  created_by jsonb,
  created_at timestamp with time zone not null default now(),
  constraint agent_version_pkey PRIMARY KEY (agent_id, number),
  constraint agent_version_number_check CHECK ((number > 0)),
  constraint agent_version_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id) REFERENCES agent(workspace_id, id) ON DELETE CASCADE,
  constraint agent_version_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on agent_version to outdial_service;
grant delete, insert, select, update on agent_version to outdial_workspace;
create policy service on agent_version to outdial_service using (true);
create policy workspace on agent_version to outdial_workspace using ((workspace_id = current_workspace_id()));

create table api_key (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  user_id bigint not null,
  name text not null,
  prefix text not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint api_key_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX api_key_workspace ON api_key USING btree (workspace_id);
grant delete, insert, select, update on api_key to outdial_service;
grant delete, insert, select, update on api_key to outdial_workspace;
create policy service on api_key to outdial_service using (true);
create policy workspace on api_key to outdial_workspace using ((workspace_id = current_workspace_id()));

create table api_request (
  id bigint not null generated always as identity,
  day smallint not null,
  workspace_id bigint not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  request_id text not null,
  method text not null,
  route text not null,
  object_id bigint,
  status smallint not null,
  error_code text,
  fields text[] not null default '{}'::text[],
  idempotency text,
  user_id bigint not null,
  api_key_id bigint,
  client_id text,
  contact_id bigint,
  call_id bigint,
  campaign_id bigint,
  subscription_id bigint,
  client_version text,
  field_codes text[] not null default '{}'::text[],
  constraint api_request_check CHECK (((day)::numeric = EXTRACT(day FROM (at AT TIME ZONE 'UTC'::text)))),
  constraint api_request_idempotency_check CHECK ((idempotency = ANY (ARRAY['first'::text, 'replayed'::text])))
) partition by LIST (day);
create table api_request_day_1 partition of api_request FOR VALUES IN ('1');
create table api_request_day_2 partition of api_request FOR VALUES IN ('2');
create table api_request_day_3 partition of api_request FOR VALUES IN ('3');
create table api_request_day_4 partition of api_request FOR VALUES IN ('4');
create table api_request_day_5 partition of api_request FOR VALUES IN ('5');
create table api_request_day_6 partition of api_request FOR VALUES IN ('6');
create table api_request_day_7 partition of api_request FOR VALUES IN ('7');
create table api_request_day_8 partition of api_request FOR VALUES IN ('8');
create table api_request_day_9 partition of api_request FOR VALUES IN ('9');
create table api_request_day_10 partition of api_request FOR VALUES IN ('10');
create table api_request_day_11 partition of api_request FOR VALUES IN ('11');
create table api_request_day_12 partition of api_request FOR VALUES IN ('12');
create table api_request_day_13 partition of api_request FOR VALUES IN ('13');
create table api_request_day_14 partition of api_request FOR VALUES IN ('14');
create table api_request_day_15 partition of api_request FOR VALUES IN ('15');
create table api_request_day_16 partition of api_request FOR VALUES IN ('16');
create table api_request_day_17 partition of api_request FOR VALUES IN ('17');
create table api_request_day_18 partition of api_request FOR VALUES IN ('18');
create table api_request_day_19 partition of api_request FOR VALUES IN ('19');
create table api_request_day_20 partition of api_request FOR VALUES IN ('20');
create table api_request_day_21 partition of api_request FOR VALUES IN ('21');
create table api_request_day_22 partition of api_request FOR VALUES IN ('22');
create table api_request_day_23 partition of api_request FOR VALUES IN ('23');
create table api_request_day_24 partition of api_request FOR VALUES IN ('24');
create table api_request_day_25 partition of api_request FOR VALUES IN ('25');
create table api_request_day_26 partition of api_request FOR VALUES IN ('26');
create table api_request_day_27 partition of api_request FOR VALUES IN ('27');
create table api_request_day_28 partition of api_request FOR VALUES IN ('28');
create table api_request_day_29 partition of api_request FOR VALUES IN ('29');
create table api_request_day_30 partition of api_request FOR VALUES IN ('30');
create table api_request_day_31 partition of api_request FOR VALUES IN ('31');
CREATE INDEX api_request_call ON ONLY api_request USING btree (call_id) WHERE (call_id IS NOT NULL);
CREATE INDEX api_request_errors ON ONLY api_request USING btree (workspace_id, id) WHERE (status >= 400);
CREATE INDEX api_request_page ON ONLY api_request USING btree (workspace_id, id);
CREATE INDEX api_request_request_id ON ONLY api_request USING btree (request_id);
grant delete, insert, select, update on api_request to outdial_service;
grant select on api_request to outdial_workspace;
create policy service on api_request to outdial_service using (true);
create policy workspace on api_request to outdial_workspace using ((workspace_id = current_workspace_id()));

create table app_user (
  id bigint not null generated always as identity,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamp with time zone not null default now(),
  constraint app_user_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX app_user_email ON app_user USING btree (lower(email));
grant delete, insert, select, update on app_user to outdial_service;
grant select (id, email, name, created_at) on app_user to outdial_workspace;
create policy service on app_user to outdial_service using (true);
create policy workspace on app_user to outdial_workspace using (((EXISTS ( SELECT
   FROM membership
  WHERE ((membership.user_id = app_user.id) AND (membership.workspace_id = current_workspace_id())))) OR (EXISTS ( SELECT
   FROM former_member
  WHERE ((former_member.user_id = app_user.id) AND (former_member.workspace_id = current_workspace_id()))))));

create table attempt_report (
  attempt_id uuid not null,
  sequence integer not null,
  body jsonb not null,
  changes text[] not null default '{}'::text[],
  received_at timestamp with time zone not null default now(),
  constraint attempt_report_pkey PRIMARY KEY (attempt_id, sequence),
  constraint attempt_report_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES call_attempt(id) ON DELETE CASCADE
);
grant delete, insert, select, update on attempt_report to outdial_service;
grant delete, insert, select, update on attempt_report to outdial_workspace;
create policy service on attempt_report to outdial_service using (true);
create policy workspace on attempt_report to outdial_workspace using ((EXISTS ( SELECT
   FROM call_attempt
  WHERE ((call_attempt.id = attempt_report.attempt_id) AND (call_attempt.workspace_id = current_workspace_id())))));

create table call (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  campaign_id bigint not null,
  contact_id bigint not null,
  agent_id bigint not null,
  phone_number_id bigint not null,
  status text not null default 'queued'::text,
  outcome text,
  ended_reason text,
  test boolean not null default false,
  additional boolean not null default false,
  from_number text not null,
  to_number text not null,
  attempts integer not null default 0,
  scheduled_at timestamp with time zone,
  queued_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone,
  answered_at timestamp with time zone,
  ended_at timestamp with time zone,
  duration_seconds integer,
  summary text,
  transcript jsonb not null default '[]'::jsonb,
  sentiment text not null default 'unknown'::text,
  goal_met boolean,
  extracted jsonb not null default '{}'::jsonb,
  recording_url text,
  metadata jsonb not null default '{}'::jsonb,
  origin jsonb,
  queued_with jsonb,
  canceled_by jsonb,
  completed_contact jsonb,
  analysis_until timestamp with time zone,
  conversation_erased_at timestamp with time zone,
  opted_out boolean not null default false,
  import_id bigint,
  delayed_by text,
  exempt boolean not null default false,
  agent_version integer,
  had_conversation boolean not null default false,
  constraint call_pkey PRIMARY KEY (id),
  constraint call_check CHECK (((status = 'completed'::text) = (outcome IS NOT NULL))),
  constraint call_check1 CHECK (((status = 'queued'::text) = (next_attempt_at IS NOT NULL))),
  constraint call_outcome_check CHECK ((outcome = ANY (ARRAY['answered'::text, 'voicemail'::text, 'no_answer'::text, 'busy'::text, 'declined'::text, 'failed'::text, 'suppressed'::text, 'expired'::text, 'canceled'::text]))),
  constraint call_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'dialing'::text, 'in_progress'::text, 'completed'::text]))),
  constraint call_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id) REFERENCES agent(workspace_id, id),
  constraint call_workspace_id_campaign_id_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaign(workspace_id, id),
  constraint call_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contact(workspace_id, id),
  constraint call_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE,
  constraint call_workspace_id_phone_number_id_fkey FOREIGN KEY (workspace_id, phone_number_id) REFERENCES phone_number(workspace_id, id)
);
CREATE INDEX call_analysis ON call USING btree (analysis_until) WHERE (analysis_until IS NOT NULL); -- Calls whose event waits for the analysis, for the sweeper
CREATE INDEX call_contact ON call USING btree (workspace_id, contact_id, id DESC); -- The calls of a contact
CREATE INDEX call_conversation ON call USING btree (workspace_id, ended_at) WHERE ((status = 'completed'::text) AND (conversation_erased_at IS NULL)); -- Conversations to delete after the retention time
CREATE INDEX call_due ON call USING btree (campaign_id, next_attempt_at, id) WHERE ((status = 'queued'::text) AND (NOT test)); -- The next calls of a campaign, for the dialer
CREATE INDEX call_due_test ON call USING btree (next_attempt_at, id) WHERE ((status = 'queued'::text) AND test); -- The next test calls, for the dialer
CREATE INDEX call_ended ON call USING btree (workspace_id, ended_at) INCLUDE (outcome, test, duration_seconds) WHERE (ended_at IS NOT NULL); -- The overview's counts of a day
CREATE INDEX call_list ON call USING btree (workspace_id, id DESC); -- GET /calls/ and the list of calls
CREATE INDEX call_list_agent ON call USING btree (workspace_id, agent_id, id DESC); -- The list of calls of an agent
CREATE INDEX call_list_campaign ON call USING btree (workspace_id, campaign_id, id DESC); -- The list of calls of a campaign
CREATE INDEX call_list_goal ON call USING btree (workspace_id, goal_met, id DESC) WHERE (goal_met IS NOT NULL); -- The list of calls by whether the goal was met
CREATE INDEX call_list_import ON call USING btree (workspace_id, import_id, id DESC) WHERE (import_id IS NOT NULL); -- The list of calls of an import
CREATE INDEX call_list_opted_out ON call USING btree (workspace_id, id DESC) WHERE opted_out; -- The list of calls in which the contact opted out
CREATE INDEX call_list_outcome ON call USING btree (workspace_id, outcome, id DESC) WHERE (outcome IS NOT NULL); -- The list of calls with an outcome
CREATE INDEX call_list_status ON call USING btree (workspace_id, status, id DESC); -- The list of calls with a status
CREATE INDEX call_number ON call USING btree (workspace_id, to_number text_pattern_ops); -- Search by the start of a number, and the queued calls to a number
CREATE INDEX call_open_additional ON call USING btree (campaign_id, contact_id, test) WHERE ((status <> 'completed'::text) AND additional); -- A contact's open calls that were added to the first one
CREATE INDEX call_open_of_campaign ON call USING btree (workspace_id, campaign_id, status) WHERE ((status <> 'completed'::text) AND (NOT test)); -- How many calls of a campaign are open
CREATE UNIQUE INDEX call_open_once ON call USING btree (campaign_id, contact_id, test) WHERE ((status <> 'completed'::text) AND (NOT additional)); -- Prevents two open calls to a contact in a campaign
CREATE INDEX call_progress_of_campaign ON call USING btree (workspace_id, campaign_id, outcome) WHERE ((outcome IS NOT NULL) AND (NOT test)); -- The outcomes of a campaign's calls
CREATE INDEX call_queued ON call USING btree (workspace_id, queued_at, id); -- The list of calls of a period
CREATE INDEX call_test ON call USING btree (workspace_id, id DESC) WHERE test; -- The list of test calls, which are rare
CREATE INDEX call_waiting ON call USING btree (due_at) WHERE (status = 'queued'::text); -- Calls that have waited too long, for the sweeper
CREATE INDEX call_waiting_of_campaign ON call USING btree (workspace_id, campaign_id, id) INCLUDE (agent_id, phone_number_id, test, attempts, due_at, next_attempt_at, delayed_by) WHERE (status = 'queued'::text); -- Rescheduling a campaign, and the overview's counts of waiting calls
grant delete, insert, select, update on call to outdial_service;
grant delete, insert, select, update on call to outdial_workspace;
create policy service on call to outdial_service using (true);
create policy workspace on call to outdial_workspace using ((workspace_id = current_workspace_id()));
CREATE CONSTRAINT TRIGGER call_moved_earlier AFTER UPDATE ON call DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'queued'::text) AND (NOT new.test) AND ((old.status <> 'queued'::text) OR old.test OR (new.next_attempt_at < old.next_attempt_at)))) EXECUTE FUNCTION enqueue_campaign_of_call();
CREATE CONSTRAINT TRIGGER call_queued_for_campaign AFTER INSERT ON call DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'queued'::text) AND (NOT new.test))) EXECUTE FUNCTION enqueue_campaign_of_call();

create table call_attempt (
  id uuid not null default gen_random_uuid(),
  workspace_id bigint not null,
  call_id bigint not null,
  campaign_id bigint not null,
  number integer not null,
  to_number text not null,
  test boolean not null,
  provider text not null,
  worker_id uuid not null,
  fence bigint not null default 1,
  lease_until timestamp with time zone not null,
  started_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  ended_at timestamp with time zone,
  outcome text,
  ended_reason text,
  dialed_with jsonb,
  agent_version integer,
  constraint call_attempt_pkey PRIMARY KEY (id),
  constraint call_attempt_call_id_number_key UNIQUE (call_id, number),
  constraint call_attempt_check CHECK (((ended_at IS NULL) = (outcome IS NULL))),
  constraint call_attempt_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE CASCADE,
  constraint call_attempt_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX call_attempt_lease ON call_attempt USING btree (lease_until) WHERE (ended_at IS NULL);
CREATE INDEX call_attempt_live ON call_attempt USING btree (campaign_id) WHERE ((ended_at IS NULL) AND (NOT test));
CREATE UNIQUE INDEX call_attempt_one_live_per_number ON call_attempt USING btree (workspace_id, to_number) WHERE ((ended_at IS NULL) AND (NOT test));
grant delete, insert, select, update on call_attempt to outdial_service;
grant delete, insert, select, update on call_attempt to outdial_workspace;
create policy service on call_attempt to outdial_service using (true);
create policy workspace on call_attempt to outdial_workspace using ((workspace_id = current_workspace_id()));
CREATE CONSTRAINT TRIGGER call_attempt_deleted AFTER DELETE ON call_attempt DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (NOT old.test))) EXECUTE FUNCTION enqueue_campaigns_of_attempt();
CREATE CONSTRAINT TRIGGER call_attempt_ended AFTER UPDATE ON call_attempt DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL) AND (NOT old.test))) EXECUTE FUNCTION enqueue_campaigns_of_attempt();

create table call_callback (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  call_id bigint not null,
  url text not null,
  origin text not null generated always as (lower(COALESCE("substring"(url, '^[A-Za-z]+://[^/?#]*'::text), ''::text))) stored,
  user_id bigint,
  api_key_id bigint,
  client_id text,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint call_callback_pkey PRIMARY KEY (id),
  constraint call_callback_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE,
  constraint call_callback_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE CASCADE,
  constraint call_callback_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(id) ON DELETE CASCADE,
  constraint call_callback_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint call_callback_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX call_callback_once ON call_callback USING btree (call_id, url) WHERE (url <> ''::text);
CREATE INDEX call_callback_origin ON call_callback USING btree (workspace_id, origin) WHERE (url <> ''::text);
CREATE INDEX call_callback_owner ON call_callback USING btree (workspace_id, user_id) WHERE (ended_at IS NULL);
grant delete, insert, select, update on call_callback to outdial_service;
grant delete, insert, select, update on call_callback to outdial_workspace;
create policy service on call_callback to outdial_service using (true);
create policy workspace on call_callback to outdial_workspace using ((workspace_id = current_workspace_id()));

create table call_rules (
  workspace_id bigint not null,
  countries text[],
  changed_at timestamp with time zone not null,
  changed_by jsonb not null,
  hours_by_law boolean not null default false,
  closed_dates text[] not null default '{}'::text[],
  max_attempts_per_day integer,
  max_attempts_per_30_days integer,
  consent_required text not null default 'none'::text,
  consent_max_age_days integer,
  max_attempts_per_own_number integer,
  max_minutes_per_month integer,
  constraint call_rules_pkey PRIMARY KEY (workspace_id),
  constraint call_rules_consent_max_age_days_check CHECK (((consent_max_age_days >= 1) AND (consent_max_age_days <= 3650))),
  constraint call_rules_consent_required_check CHECK ((consent_required = ANY (ARRAY['none'::text, 'any'::text, 'written'::text]))),
  constraint call_rules_max_attempts_per_30_days_check CHECK (((max_attempts_per_30_days >= 1) AND (max_attempts_per_30_days <= 30))),
  constraint call_rules_max_attempts_per_day_check CHECK (((max_attempts_per_day >= 1) AND (max_attempts_per_day <= 10))),
  constraint call_rules_max_attempts_per_own_number_check CHECK (((max_attempts_per_own_number >= 1) AND (max_attempts_per_own_number <= 10000))),
  constraint call_rules_max_minutes_per_month_check CHECK (((max_minutes_per_month >= 30) AND (max_minutes_per_month <= 1000000))),
  constraint call_rules_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on call_rules to outdial_service;
grant delete, insert, select, update on call_rules to outdial_workspace;
create policy service on call_rules to outdial_service using (true);
create policy workspace on call_rules to outdial_workspace using ((workspace_id = current_workspace_id()));

create table campaign (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  name text not null,
  status text not null default 'active'::text,
  agent_id bigint not null,
  phone_number_id bigint not null,
  time_zone text not null,
  calling_hours jsonb not null,
  max_concurrent_calls integer not null,
  retry jsonb not null,
  paused_reason text,
  provider_failures integer not null default 0,
  reschedule_after_call_id bigint,
  created_at timestamp with time zone not null default now(),
  consent_required text not null default 'none'::text,
  consent_max_age_days integer,
  one_conversation_per_day boolean not null default false,
  closed_on_federal_holidays boolean not null default false,
  constraint campaign_pkey PRIMARY KEY (id),
  constraint campaign_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint campaign_consent_max_age_days_check CHECK (((consent_max_age_days >= 1) AND (consent_max_age_days <= 3650))),
  constraint campaign_consent_required_check CHECK ((consent_required = ANY (ARRAY['none'::text, 'any'::text, 'written'::text]))),
  constraint campaign_max_concurrent_calls_check CHECK (((max_concurrent_calls >= 1) AND (max_concurrent_calls <= 100))),
  constraint campaign_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'archived'::text]))),
  constraint campaign_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id) REFERENCES agent(workspace_id, id),
  constraint campaign_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE,
  constraint campaign_workspace_id_phone_number_id_fkey FOREIGN KEY (workspace_id, phone_number_id) REFERENCES phone_number(workspace_id, id)
);
CREATE INDEX campaign_reschedule ON campaign USING btree (id) WHERE (reschedule_after_call_id IS NOT NULL);
grant delete, insert, select, update on campaign to outdial_service;
grant delete, insert, select, update on campaign to outdial_workspace;
create policy service on campaign to outdial_service using (true);
create policy workspace on campaign to outdial_workspace using ((workspace_id = current_workspace_id()));
CREATE CONSTRAINT TRIGGER campaign_can_call AFTER UPDATE ON campaign DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'active'::text) AND ((((old.status IS DISTINCT FROM new.status) OR (old.max_concurrent_calls IS DISTINCT FROM new.max_concurrent_calls)) OR (old.agent_id IS DISTINCT FROM new.agent_id)) OR (old.phone_number_id IS DISTINCT FROM new.phone_number_id)))) EXECUTE FUNCTION enqueue_campaign();
CREATE CONSTRAINT TRIGGER campaign_created AFTER INSERT ON campaign DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION enqueue_campaign();
CREATE TRIGGER campaign_deleted AFTER DELETE ON campaign FOR EACH ROW EXECUTE FUNCTION dequeue_deleted_campaign();

create table campaign_queue (
  campaign_id bigint not null,
  workspace_id bigint not null,
  claim_at timestamp with time zone,
  at_limit boolean not null default false,
  claimed_at timestamp with time zone,
  limited_until timestamp with time zone,
  limited_by text,
  constraint campaign_queue_pkey PRIMARY KEY (campaign_id),
  constraint campaign_queue_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
CREATE INDEX campaign_queue_next ON campaign_queue USING btree (claim_at) WHERE (claim_at IS NOT NULL);
CREATE INDEX campaign_queue_workspace ON campaign_queue USING btree (workspace_id, claimed_at);
CREATE INDEX campaign_queue_workspace_next ON campaign_queue USING btree (workspace_id, claim_at) WHERE (claim_at IS NOT NULL);
grant delete, insert, select, update on campaign_queue to outdial_service;
grant delete, insert, select, update on campaign_queue to outdial_workspace;
create policy service on campaign_queue to outdial_service using (true);
create policy workspace on campaign_queue to outdial_workspace using ((workspace_id = current_workspace_id()));

create table contact (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  phone_number text not null,
  first_name text,
  last_name text,
  email text,
  external_id text,
  time_zone text,
  variables jsonb not null default '{}'::jsonb,
  consent_source text,
  consent_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  updated_by jsonb,
  erased_at timestamp with time zone,
  search text generated always as (lower((((((COALESCE((first_name || ' '::text), ''::text) || COALESCE((last_name || ' '::text), ''::text)) || COALESCE((email || ' '::text), ''::text)) || COALESCE((external_id || ' '::text), ''::text)) || phone_number) COLLATE "und-x-icu"))) stored,
  email_folded text generated always as (lower(email)) stored,
  first_name_folded text generated always as (lower((first_name COLLATE "und-x-icu"))) stored,
  last_name_folded text generated always as (lower((last_name COLLATE "und-x-icu"))) stored,
  consent_kind text,
  constraint contact_pkey PRIMARY KEY (id),
  constraint contact_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint contact_check CHECK (((consent_source IS NULL) = (consent_at IS NULL))),
  constraint contact_check1 CHECK (((erased_at IS NULL) = (phone_number <> ''::text))),
  constraint contact_consent_kind_check CHECK ((consent_kind = ANY (ARRAY['written'::text, 'oral'::text]))),
  constraint contact_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX contact_email ON contact USING btree (workspace_id, email_folded) WHERE (email_folded IS NOT NULL);
CREATE INDEX contact_erased ON contact USING btree (erased_at) WHERE (erased_at IS NOT NULL);
CREATE INDEX contact_external_id ON contact USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX contact_first_name ON contact USING btree (workspace_id, first_name_folded text_pattern_ops);
CREATE INDEX contact_last_name ON contact USING btree (workspace_id, last_name_folded text_pattern_ops);
CREATE UNIQUE INDEX contact_number ON contact USING btree (workspace_id, phone_number) WHERE (erased_at IS NULL);
grant delete, insert, select, update on contact to outdial_service;
grant delete, insert, select, update on contact to outdial_workspace;
create policy service on contact to outdial_service using (true);
create policy workspace on contact to outdial_workspace using ((workspace_id = current_workspace_id()));
CREATE TRIGGER contact_created AFTER INSERT ON contact REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION log_created_contacts();
CREATE TRIGGER contact_updated AFTER UPDATE ON contact FOR EACH ROW WHEN ((new.erased_at IS NULL)) EXECUTE FUNCTION log_contact_change();

create table contact_change (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  contact_id bigint not null,
  kind text not null,
  fields text[] not null,
  actor jsonb,
  at timestamp with time zone not null,
  import_id bigint,
  constraint contact_change_pkey PRIMARY KEY (id),
  constraint contact_change_kind_check CHECK ((kind = ANY (ARRAY['created'::text, 'updated'::text]))),
  constraint contact_change_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contact(workspace_id, id) ON DELETE CASCADE,
  constraint contact_change_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX contact_change_import ON contact_change USING btree (workspace_id, import_id, contact_id DESC) INCLUDE (kind) WHERE (import_id IS NOT NULL);
CREATE INDEX contact_change_of_contact ON contact_change USING btree (contact_id, id DESC);
grant delete, insert, select, update on contact_change to outdial_service;
grant delete, insert, select, update on contact_change to outdial_workspace;
create policy service on contact_change to outdial_service using (true);
create policy workspace on contact_change to outdial_workspace using ((workspace_id = current_workspace_id()));

create table contact_change_values (
  change_id bigint not null,
  contact_id bigint not null,
  old_values jsonb not null,
  new_values jsonb not null,
  constraint contact_change_values_pkey PRIMARY KEY (change_id),
  constraint contact_change_values_change_id_fkey FOREIGN KEY (change_id) REFERENCES contact_change(id) ON DELETE CASCADE
);
CREATE INDEX contact_change_values_of_contact ON contact_change_values USING btree (contact_id);
grant delete, insert, select, update on contact_change_values to outdial_service;
grant delete, insert, select, update on contact_change_values to outdial_workspace;
create policy service on contact_change_values to outdial_service using (true);
create policy workspace on contact_change_values to outdial_workspace using ((EXISTS ( SELECT
   FROM contact_change
  WHERE ((contact_change.id = contact_change_values.change_id) AND (contact_change.workspace_id = current_workspace_id())))));

create table contact_import (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  user_id bigint,
  file_name text not null,
  bytes bytea,
  status text not null default 'uploaded'::text,
  error text,
  columns jsonb not null default '[]'::jsonb,
  campaign_id bigint,
  fence bigint not null default 0,
  lease_until timestamp with time zone,
  attempts integer not null default 0,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  samples jsonb not null default '[]'::jsonb,
  has_header boolean not null default true,
  is_recalled boolean not null default false,
  consent jsonb not null default '{}'::jsonb,
  undone_by jsonb,
  undone_at timestamp with time zone,
  undo_after_contact_id bigint,
  undo_counts jsonb,
  erasures jsonb not null default '[]'::jsonb,
  constraint contact_import_pkey PRIMARY KEY (id),
  constraint contact_import_status_check CHECK ((status = ANY (ARRAY['uploaded'::text, 'mapping'::text, 'checking'::text, 'checked'::text, 'importing'::text, 'done'::text, 'failed'::text, 'undoing'::text, 'undone'::text]))),
  constraint contact_import_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint contact_import_workspace_id_campaign_id_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaign(workspace_id, id),
  constraint contact_import_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX contact_import_due ON contact_import USING btree (id) WHERE ((status = ANY (ARRAY['uploaded'::text, 'checking'::text, 'importing'::text, 'undoing'::text])) OR (erasures <> '[]'::jsonb));
CREATE INDEX contact_import_expired ON contact_import USING btree (expires_at);
CREATE INDEX contact_import_workspace ON contact_import USING btree (workspace_id, id DESC);
grant delete, insert, select, update on contact_import to outdial_service;
grant delete, insert, select, update on contact_import to outdial_workspace;
create policy service on contact_import to outdial_service using (true);
create policy workspace on contact_import to outdial_workspace using ((workspace_id = current_workspace_id()));

create table contact_import_mapping (
  workspace_id bigint not null,
  headers_hash bytea not null,
  columns jsonb not null,
  used_at timestamp with time zone not null,
  constraint contact_import_mapping_pkey PRIMARY KEY (workspace_id, headers_hash),
  constraint contact_import_mapping_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on contact_import_mapping to outdial_service;
grant delete, insert, select, update on contact_import_mapping to outdial_workspace;
create policy service on contact_import_mapping to outdial_service using (true);
create policy workspace on contact_import_mapping to outdial_workspace using ((workspace_id = current_workspace_id()));

create table contact_import_row (
  import_id bigint not null,
  "position" integer not null,
  phone_number text,
  fields jsonb not null default '{}'::jsonb,
  state text not null,
  on_do_not_call_list boolean not null default false,
  issues jsonb not null default '[]'::jsonb,
  result text,
  call text,
  cells jsonb,
  constraint contact_import_row_pkey PRIMARY KEY (import_id, "position"),
  constraint contact_import_row_call_check CHECK ((call = ANY (ARRAY['queued'::text, 'open'::text, 'do_not_call'::text, 'no_consent'::text, 'country_not_allowed'::text, 'consent_missing'::text, 'consent_expired'::text, 'destination_not_allowed'::text, 'frequency'::text, 'no_permitted_hour'::text]))),
  constraint contact_import_row_result_check CHECK ((result = ANY (ARRAY['created'::text, 'updated'::text, 'failed'::text]))),
  constraint contact_import_row_state_check CHECK ((state = ANY (ARRAY['new'::text, 'existing'::text, 'duplicate'::text, 'invalid'::text]))),
  constraint contact_import_row_import_id_fkey FOREIGN KEY (import_id) REFERENCES contact_import(id) ON DELETE CASCADE
);
CREATE INDEX contact_import_row_issues ON contact_import_row USING btree (import_id, "position") WHERE (issues <> '[]'::jsonb);
CREATE INDEX contact_import_row_left ON contact_import_row USING btree (import_id, "position") WHERE ((result IS NULL) AND (state = ANY (ARRAY['new'::text, 'existing'::text])));
CREATE INDEX contact_import_row_number ON contact_import_row USING btree (import_id, phone_number);
grant delete, insert, select, update on contact_import_row to outdial_service;
grant delete, insert, select, update on contact_import_row to outdial_workspace;
create policy service on contact_import_row to outdial_service using (true);
create policy workspace on contact_import_row to outdial_workspace using ((EXISTS ( SELECT
   FROM contact_import
  WHERE ((contact_import.id = contact_import_row.import_id) AND (contact_import.workspace_id = current_workspace_id())))));

create table contact_note (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  contact_id bigint not null,
  call_id bigint,
  text text not null,
  created_at timestamp with time zone not null default now(),
  constraint contact_note_pkey PRIMARY KEY (id),
  constraint contact_note_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE SET NULL,
  constraint contact_note_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contact(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_note_contact ON contact_note USING btree (contact_id, id);
grant delete, insert, select, update on contact_note to outdial_service;
grant delete, insert, select, update on contact_note to outdial_workspace;
create policy service on contact_note to outdial_service using (true);
create policy workspace on contact_note to outdial_workspace using ((workspace_id = current_workspace_id()));

create table conversation (
  id uuid not null default gen_random_uuid(),
  workspace_id bigint not null,
  agent_id bigint not null,
  agent_version integer not null,
  contact_id bigint,
  sample_values jsonb,
  user_id bigint not null,
  turn integer not null default 0,
  late_results jsonb not null default '[]'::jsonb,
  found jsonb,
  model text,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  has_estimated_tokens boolean not null default false,
  started_at timestamp with time zone not null default now(),
  last_turn_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  end_reason text,
  analysis jsonb,
  analysis_failure text,
  analysis_attempts integer not null default 0,
  analysis_at timestamp with time zone,
  constraint conversation_pkey PRIMARY KEY (id),
  constraint conversation_check CHECK (((contact_id IS NULL) <> (sample_values IS NULL))),
  constraint conversation_check1 CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
  constraint conversation_check2 CHECK (((analysis_at IS NULL) OR (ended_at IS NOT NULL))),
  constraint conversation_end_reason_check CHECK ((end_reason = ANY (ARRAY['agent'::text, 'member'::text, 'silence'::text, 'limit'::text, 'failed'::text, 'idle'::text]))),
  constraint conversation_agent_id_agent_version_fkey FOREIGN KEY (agent_id, agent_version) REFERENCES agent_version(agent_id, number),
  constraint conversation_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id) REFERENCES agent(workspace_id, id) ON DELETE CASCADE,
  constraint conversation_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contact(workspace_id, id) ON DELETE CASCADE,
  constraint conversation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE,
  constraint conversation_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES membership(workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX conversation_agent ON conversation USING btree (agent_id, started_at);
CREATE INDEX conversation_analysis ON conversation USING btree (analysis_at) WHERE (analysis_at IS NOT NULL);
CREATE INDEX conversation_contact ON conversation USING btree (contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX conversation_member ON conversation USING btree (user_id, started_at);
CREATE INDEX conversation_open ON conversation USING btree (last_turn_at) WHERE (ended_at IS NULL);
CREATE INDEX conversation_workspace ON conversation USING btree (workspace_id, id);
grant delete, insert, select, update on conversation to outdial_service;
grant delete, insert, select, update on conversation to outdial_workspace;
create policy service on conversation to outdial_service using (true);
create policy workspace on conversation to outdial_workspace using ((workspace_id = current_workspace_id()));

create table conversation_turn (
  workspace_id bigint not null,
  conversation_id uuid not null,
  number integer not null,
  input jsonb,
  parts jsonb,
  messages jsonb,
  started_at timestamp with time zone not null,
  constraint conversation_turn_pkey PRIMARY KEY (conversation_id, number),
  constraint conversation_turn_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE,
  constraint conversation_turn_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on conversation_turn to outdial_service;
grant delete, insert, select, update on conversation_turn to outdial_workspace;
create policy service on conversation_turn to outdial_service using (true);
create policy workspace on conversation_turn to outdial_workspace using ((workspace_id = current_workspace_id()));

create table credential (
  token_hash bytea not null,
  workspace_id bigint not null,
  user_id bigint not null,
  api_key_id bigint,
  grant_hash bytea,
  client_id text,
  scopes text[] not null,
  expires_at timestamp with time zone,
  constraint credential_pkey PRIMARY KEY (token_hash),
  constraint credential_check CHECK (((api_key_id IS NULL) <> (grant_hash IS NULL))),
  constraint credential_check1 CHECK (((grant_hash IS NULL) = (client_id IS NULL))),
  constraint credential_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE,
  constraint credential_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(id) ON DELETE CASCADE,
  constraint credential_grant_hash_fkey FOREIGN KEY (grant_hash) REFERENCES oauth_grant(id_hash) ON DELETE CASCADE,
  constraint credential_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint credential_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX credential_api_key ON credential USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);
CREATE INDEX credential_expired ON credential USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX credential_grant ON credential USING btree (grant_hash) WHERE (grant_hash IS NOT NULL);
grant delete, insert, select, update on credential to outdial_service;
grant delete, insert, select, update on credential to outdial_workspace;
create policy service on credential to outdial_service using (true);
create policy workspace on credential to outdial_workspace using ((workspace_id = current_workspace_id()));

create table delivery_attempt (
  id bigint not null generated always as identity,
  delivery_id bigint not null,
  number integer not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  constraint delivery_attempt_pkey PRIMARY KEY (id),
  constraint delivery_attempt_delivery_id_number_key UNIQUE (delivery_id, number),
  constraint delivery_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_delivery(id) ON DELETE CASCADE
);
grant delete, insert, select, update on delivery_attempt to outdial_service;
grant delete, insert, select, update on delivery_attempt to outdial_workspace;
create policy service on delivery_attempt to outdial_service using (true);
create policy workspace on delivery_attempt to outdial_workspace using ((EXISTS ( SELECT
   FROM webhook_delivery
  WHERE ((webhook_delivery.id = delivery_attempt.delivery_id) AND (webhook_delivery.workspace_id = current_workspace_id())))));

create table do_not_call (
  workspace_id bigint not null,
  number_hash bytea not null,
  source text not null,
  reason text,
  added_by jsonb,
  created_at timestamp with time zone not null default now(),
  constraint do_not_call_pkey PRIMARY KEY (workspace_id, number_hash),
  constraint do_not_call_source_check CHECK ((source = ANY (ARRAY['api'::text, 'dashboard'::text, 'call'::text]))),
  constraint do_not_call_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on do_not_call to outdial_service;
grant delete, insert, select, update on do_not_call to outdial_workspace;
create policy service on do_not_call to outdial_service using (true);
create policy workspace on do_not_call to outdial_workspace using ((workspace_id = current_workspace_id()));

create table do_not_call_removal (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  number_hash bytea not null,
  source text not null,
  reason text not null,
  removed_by bigint,
  removed_at timestamp with time zone not null default now(),
  constraint do_not_call_removal_pkey PRIMARY KEY (id),
  constraint do_not_call_removal_removed_by_fkey FOREIGN KEY (removed_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint do_not_call_removal_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX do_not_call_removal_number ON do_not_call_removal USING btree (workspace_id, number_hash);
grant delete, insert, select, update on do_not_call_removal to outdial_service;
grant delete, insert, select, update on do_not_call_removal to outdial_workspace;
create policy service on do_not_call_removal to outdial_service using (true);
create policy workspace on do_not_call_removal to outdial_workspace using ((workspace_id = current_workspace_id()));

create table erased_file_name (
  workspace_id bigint not null,
  import_id bigint not null,
  constraint erased_file_name_pkey PRIMARY KEY (workspace_id, import_id),
  constraint erased_file_name_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on erased_file_name to outdial_service;
grant delete, insert, select, update on erased_file_name to outdial_workspace;
create policy service on erased_file_name to outdial_service using (true);
create policy workspace on erased_file_name to outdial_workspace using ((workspace_id = current_workspace_id()));

create table event (
  id text not null,
  workspace_id bigint not null,
  type text not null,
  call_id bigint,
  body text not null,
  created_at timestamp with time zone not null default now(),
  unmatched jsonb,
  unmatched_count integer,
  matched_count integer,
  constraint event_pkey PRIMARY KEY (id),
  constraint event_call_id_type_key UNIQUE (call_id, type),
  constraint event_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE CASCADE,
  constraint event_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on event to outdial_service;
grant delete, insert, select, update on event to outdial_workspace;
create policy service on event to outdial_service using (true);
create policy workspace on event to outdial_workspace using ((workspace_id = current_workspace_id()));

create table former_member (
  workspace_id bigint not null,
  user_id bigint not null,
  ended_at timestamp with time zone not null default now(),
  constraint former_member_pkey PRIMARY KEY (workspace_id, user_id),
  constraint former_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint former_member_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on former_member to outdial_service;
grant delete, insert, select, update on former_member to outdial_workspace;
create policy service on former_member to outdial_service using (true);
create policy workspace on former_member to outdial_workspace using ((workspace_id = current_workspace_id()));

create table google_account (
  workspace_id bigint not null,
  client_email text not null,
  private_key text not null,
  created_at timestamp with time zone not null default now(),
  constraint google_account_pkey PRIMARY KEY (workspace_id),
  constraint google_account_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on google_account to outdial_service;
grant delete, insert, select, update on google_account to outdial_workspace;
create policy service on google_account to outdial_service using (true);
create policy workspace on google_account to outdial_workspace using ((workspace_id = current_workspace_id()));

create table idempotent_response (
  scope_hash bytea not null,
  body_hash bytea not null,
  workspace_id bigint not null,
  status integer not null,
  body jsonb not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint idempotent_response_pkey PRIMARY KEY (scope_hash),
  constraint idempotent_response_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX idempotent_response_contact ON idempotent_response USING btree (workspace_id, (((body -> 'contact'::text) ->> 'id'::text))) WHERE (((body -> 'contact'::text) ->> 'id'::text) IS NOT NULL);
CREATE INDEX idempotent_response_expired ON idempotent_response USING btree (expires_at);
grant delete, insert, select, update on idempotent_response to outdial_service;
grant delete, insert, select, update on idempotent_response to outdial_workspace;
create policy service on idempotent_response to outdial_service using (true);
create policy workspace on idempotent_response to outdial_workspace using ((workspace_id = current_workspace_id()));

create table invitation (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  token_hash bytea not null,
  email text not null,
  role text not null,
  invited_by bigint,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  constraint invitation_pkey PRIMARY KEY (id),
  constraint invitation_token_hash_key UNIQUE (token_hash),
  constraint invitation_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text]))),
  constraint invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint invitation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX invitation_workspace ON invitation USING btree (workspace_id, id DESC);
grant delete, insert, select, update on invitation to outdial_service;
grant delete, insert, select, update on invitation to outdial_workspace;
create policy service on invitation to outdial_service using (true);
create policy workspace on invitation to outdial_workspace using ((workspace_id = current_workspace_id()));

create table knowledge_document (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  title text not null,
  body text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint knowledge_document_pkey PRIMARY KEY (id),
  constraint knowledge_document_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint knowledge_document_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on knowledge_document to outdial_service;
grant delete, insert, select, update on knowledge_document to outdial_workspace;
create policy service on knowledge_document to outdial_service using (true);
create policy workspace on knowledge_document to outdial_workspace using ((workspace_id = current_workspace_id()));

create table knowledge_passage (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  document_id bigint not null,
  "position" integer not null,
  text text not null,
  search tsvector not null,
  constraint knowledge_passage_pkey PRIMARY KEY (id),
  constraint knowledge_passage_document_id_position_key UNIQUE (document_id, "position"),
  constraint knowledge_passage_workspace_id_document_id_fkey FOREIGN KEY (workspace_id, document_id) REFERENCES knowledge_document(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX knowledge_passage_search ON knowledge_passage USING gin (search);
CREATE INDEX knowledge_passage_workspace ON knowledge_passage USING btree (workspace_id);
grant delete, insert, select, update on knowledge_passage to outdial_service;
grant delete, insert, select, update on knowledge_passage to outdial_workspace;
create policy service on knowledge_passage to outdial_service using (true);
create policy workspace on knowledge_passage to outdial_workspace using ((workspace_id = current_workspace_id()));

create table limit_use (
  workspace_id bigint not null,
  phone_number_id bigint not null,
  period date not null,
  used integer not null,
  constraint limit_use_pkey PRIMARY KEY (workspace_id, phone_number_id),
  constraint limit_use_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on limit_use to outdial_service;
grant delete, insert, select, update on limit_use to outdial_workspace;
create policy service on limit_use to outdial_service using (true);
create policy workspace on limit_use to outdial_workspace using ((workspace_id = current_workspace_id()));

create table mcp_tool (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  kind text not null,
  name text not null,
  description text not null,
  input_schema jsonb not null,
  settings jsonb not null default '{}'::jsonb,
  secrets text,
  is_active boolean not null default true,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  constraint mcp_tool_pkey PRIMARY KEY (id),
  constraint mcp_tool_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint mcp_tool_workspace_id_name_key UNIQUE (workspace_id, name),
  constraint mcp_tool_kind_check CHECK ((kind = ANY (ARRAY['knowledge_search'::text, 'contact_lookup'::text, 'contact_update'::text, 'contact_note'::text, 'do_not_call'::text, 'schedule_callback'::text, 'spreadsheet_append'::text, 'http'::text, 'remote_mcp'::text]))),
  constraint mcp_tool_name_check CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'::text)),
  constraint mcp_tool_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on mcp_tool to outdial_service;
grant delete, insert, select, update on mcp_tool to outdial_workspace;
create policy service on mcp_tool to outdial_service using (true);
create policy workspace on mcp_tool to outdial_workspace using ((workspace_id = current_workspace_id()));

create table membership (
  workspace_id bigint not null,
  user_id bigint not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint membership_pkey PRIMARY KEY (workspace_id, user_id),
  constraint membership_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text]))),
  constraint membership_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint membership_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX membership_of_user ON membership USING btree (user_id);
grant delete, insert, select, update on membership to outdial_service;
grant delete, insert, select, update on membership to outdial_workspace;
create policy service on membership to outdial_service using (true);
create policy workspace on membership to outdial_workspace using ((workspace_id = current_workspace_id()));

create table model_health (
  key text not null,
  failures integer not null,
  failed_at timestamp with time zone not null,
  constraint model_health_pkey PRIMARY KEY (key)
);
grant delete, insert, select, update on model_health to outdial_service;
create policy service on model_health to outdial_service using (true);

create table model_usage (
  workspace_id bigint not null,
  day date not null,
  tokens bigint not null,
  constraint model_usage_pkey PRIMARY KEY (workspace_id, day),
  constraint model_usage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on model_usage to outdial_service;
grant delete, insert, select, update on model_usage to outdial_workspace;
create policy service on model_usage to outdial_service using (true);
create policy workspace on model_usage to outdial_workspace using ((workspace_id = current_workspace_id()));

create table number_use (
  workspace_id bigint not null,
  number_hash bytea not null,
  placed_at timestamp with time zone[] not null,
  answered_at timestamp with time zone,
  constraint number_use_pkey PRIMARY KEY (workspace_id, number_hash),
  constraint number_use_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on number_use to outdial_service;
grant delete, insert, select, update on number_use to outdial_workspace;
create policy service on number_use to outdial_service using (true);
create policy workspace on number_use to outdial_workspace using ((workspace_id = current_workspace_id()));

create table oauth_client (
  id text not null,
  name text not null,
  secret text,
  redirect_uris text[] not null,
  created_at timestamp with time zone not null default now(),
  constraint oauth_client_pkey PRIMARY KEY (id),
  constraint oauth_client_redirect_uris_check CHECK ((cardinality(redirect_uris) > 0))
);
grant delete, insert, select, update on oauth_client to outdial_service;
grant select (id, name, created_at) on oauth_client to outdial_workspace;
create policy service on oauth_client to outdial_service using (true);
create policy workspace on oauth_client to outdial_workspace using (true);

create table oauth_grant (
  id_hash bytea not null,
  workspace_id bigint not null,
  user_id bigint not null,
  client_id text not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint oauth_grant_pkey PRIMARY KEY (id_hash),
  constraint oauth_grant_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(id) ON DELETE CASCADE,
  constraint oauth_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint oauth_grant_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX oauth_grant_member ON oauth_grant USING btree (workspace_id, user_id, client_id);
grant delete, insert, select, update on oauth_grant to outdial_service;
grant delete, insert, select, update on oauth_grant to outdial_workspace;
create policy service on oauth_grant to outdial_service using (true);
create policy workspace on oauth_grant to outdial_workspace using ((workspace_id = current_workspace_id()));

create table oauth_payload (
  model text not null,
  id_hash bytea not null,
  payload jsonb not null,
  grant_hash bytea,
  expires_at timestamp with time zone,
  consumed_at timestamp with time zone,
  constraint oauth_payload_pkey PRIMARY KEY (model, id_hash)
);
CREATE INDEX oauth_payload_expired ON oauth_payload USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX oauth_payload_grant ON oauth_payload USING btree (grant_hash) WHERE (grant_hash IS NOT NULL);
grant delete, insert, select, update on oauth_payload to outdial_service;
grant delete, insert, select, update on oauth_payload to outdial_workspace;
create policy service on oauth_payload to outdial_service using (true);
create policy workspace on oauth_payload to outdial_workspace using ((EXISTS ( SELECT
   FROM oauth_grant
  WHERE ((oauth_grant.id_hash = oauth_payload.grant_hash) AND (oauth_grant.workspace_id = current_workspace_id())))));

create table password_reset (
  token_hash bytea not null,
  user_id bigint not null,
  created_by bigint,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint password_reset_pkey PRIMARY KEY (token_hash),
  constraint password_reset_created_by_fkey FOREIGN KEY (created_by) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint password_reset_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX password_reset_user ON password_reset USING btree (user_id);
grant delete, insert, select, update on password_reset to outdial_service;
create policy service on password_reset to outdial_service using (true);

create table phone_number (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  phone_number text not null,
  label text not null,
  country text not null,
  status text not null default 'active'::text,
  created_at timestamp with time zone not null default now(),
  constraint phone_number_pkey PRIMARY KEY (id),
  constraint phone_number_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint phone_number_workspace_id_phone_number_key UNIQUE (workspace_id, phone_number),
  constraint phone_number_status_check CHECK ((status = ANY (ARRAY['active'::text, 'retired'::text]))),
  constraint phone_number_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on phone_number to outdial_service;
grant delete, insert, select, update on phone_number to outdial_workspace;
create policy service on phone_number to outdial_service using (true);
create policy workspace on phone_number to outdial_workspace using ((workspace_id = current_workspace_id()));
CREATE CONSTRAINT TRIGGER number_becomes_active AFTER UPDATE ON phone_number DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'active'::text) AND (old.status <> 'active'::text))) EXECUTE FUNCTION enqueue_campaigns_of_number();

create table replica (
  id text not null,
  role text not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  has_model boolean,
  constraint replica_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update on replica to outdial_service;
create policy service on replica to outdial_service using (true);

create table schema_function (
  name text not null,
  hash text not null,
  version integer not null,
  constraint schema_function_pkey PRIMARY KEY (name)
);
-- without row-level security
grant select on schema_function to outdial_service;

create table server_secret (
  name text not null,
  value text not null,
  created_at timestamp with time zone not null default now(),
  constraint server_secret_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update on server_secret to outdial_service;
create policy service on server_secret to outdial_service using (true);

create table session (
  id_hash bytea not null,
  id bigint not null generated always as identity,
  user_id bigint not null,
  user_agent text not null default ''::text,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint session_pkey PRIMARY KEY (id_hash),
  constraint session_id_key UNIQUE (id),
  constraint session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX session_of_user ON session USING btree (user_id);
grant delete, insert, select, update on session to outdial_service;
create policy service on session to outdial_service using (true);

create table spreadsheet (
  id text not null,
  workspace_id bigint not null,
  name text not null,
  columns text[] not null,
  created_at timestamp with time zone not null default now(),
  constraint spreadsheet_pkey PRIMARY KEY (id),
  constraint spreadsheet_workspace_id_id_key UNIQUE (workspace_id, id),
  constraint spreadsheet_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
grant delete, insert, select, update on spreadsheet to outdial_service;
grant delete, insert, select, update on spreadsheet to outdial_workspace;
create policy service on spreadsheet to outdial_service using (true);
create policy workspace on spreadsheet to outdial_workspace using ((workspace_id = current_workspace_id()));

create table spreadsheet_row (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  spreadsheet_id text not null,
  cells text[] not null,
  created_at timestamp with time zone not null default now(),
  constraint spreadsheet_row_pkey PRIMARY KEY (id),
  constraint spreadsheet_row_workspace_id_spreadsheet_id_fkey FOREIGN KEY (workspace_id, spreadsheet_id) REFERENCES spreadsheet(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX spreadsheet_row_sheet ON spreadsheet_row USING btree (spreadsheet_id, id);
grant delete, insert, select, update on spreadsheet_row to outdial_service;
grant delete, insert, select, update on spreadsheet_row to outdial_workspace;
create policy service on spreadsheet_row to outdial_service using (true);
create policy workspace on spreadsheet_row to outdial_workspace using ((workspace_id = current_workspace_id()));

create table tool_call (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  call_id bigint,
  attempt_id uuid,
  tool_name text not null,
  arguments jsonb not null,
  result text not null,
  is_error boolean not null,
  dry_run boolean not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  conversation_id uuid,
  constraint tool_call_pkey PRIMARY KEY (id),
  constraint tool_call_attempt_check CHECK (((call_id IS NULL) = (attempt_id IS NULL))),
  constraint tool_call_owner_check CHECK (((call_id IS NULL) <> (conversation_id IS NULL))),
  constraint tool_call_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES call_attempt(id) ON DELETE CASCADE,
  constraint tool_call_call_id_fkey FOREIGN KEY (call_id) REFERENCES call(id) ON DELETE CASCADE,
  constraint tool_call_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE,
  constraint tool_call_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX tool_call_call ON tool_call USING btree (call_id, id);
CREATE INDEX tool_call_conversation ON tool_call USING btree (conversation_id, id) WHERE (conversation_id IS NOT NULL);
grant delete, insert, select, update on tool_call to outdial_service;
grant delete, insert, select, update on tool_call to outdial_workspace;
create policy service on tool_call to outdial_service using (true);
create policy workspace on tool_call to outdial_workspace using ((workspace_id = current_workspace_id()));

create table webhook_delivery (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  event_id text,
  subscription_id bigint,
  callback_id bigint,
  target_url text not null,
  target_host text not null generated always as (lower(COALESCE("substring"(target_url, '^[A-Za-z]+://([^/?#]*)'::text), ''::text))) stored,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  waits_for_retry boolean not null default false,
  worker_id uuid,
  fence bigint not null default 0,
  lease_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  constraint webhook_delivery_pkey PRIMARY KEY (id),
  constraint webhook_delivery_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'gone'::text, 'canceled'::text]))),
  constraint webhook_delivery_callback_id_fkey FOREIGN KEY (callback_id) REFERENCES call_callback(id) ON DELETE SET NULL,
  constraint webhook_delivery_event_id_fkey FOREIGN KEY (event_id) REFERENCES event(id) ON DELETE CASCADE,
  constraint webhook_delivery_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES webhook_subscription(id) ON DELETE CASCADE,
  constraint webhook_delivery_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
) with (fillfactor=80);
CREATE INDEX webhook_delivery_callback ON webhook_delivery USING btree (workspace_id, id DESC) WHERE (subscription_id IS NULL);
CREATE INDEX webhook_delivery_callback_unsent ON webhook_delivery USING btree (workspace_id, status, id DESC) WHERE ((subscription_id IS NULL) AND (status = ANY (ARRAY['pending'::text, 'exhausted'::text])));
CREATE INDEX webhook_delivery_due ON webhook_delivery USING btree (target_host, next_attempt_at, id) WHERE (status = 'pending'::text);
CREATE INDEX webhook_delivery_event ON webhook_delivery USING btree (event_id);
CREATE INDEX webhook_delivery_exhausted ON webhook_delivery USING btree (workspace_id, id DESC) WHERE (status = 'exhausted'::text);
CREATE INDEX webhook_delivery_lane ON webhook_delivery USING btree (target_host, COALESCE(subscription_id, (- workspace_id)), next_attempt_at, id) WHERE ((status = 'pending'::text) AND (NOT waits_for_retry));
CREATE INDEX webhook_delivery_of_callback ON webhook_delivery USING btree (callback_id) WHERE (callback_id IS NOT NULL);
CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery USING btree (event_id, subscription_id) WHERE (subscription_id IS NOT NULL);
CREATE INDEX webhook_delivery_retry ON webhook_delivery USING btree (next_attempt_at) WHERE ((status = 'pending'::text) AND waits_for_retry);
CREATE INDEX webhook_delivery_subscription ON webhook_delivery USING btree (subscription_id, id DESC);
CREATE INDEX webhook_delivery_unsent ON webhook_delivery USING btree (subscription_id, status, id DESC) WHERE (status = ANY (ARRAY['pending'::text, 'exhausted'::text]));
grant delete, insert, select, update on webhook_delivery to outdial_service;
grant delete, insert, select, update on webhook_delivery to outdial_workspace;
create policy service on webhook_delivery to outdial_service using (true);
create policy workspace on webhook_delivery to outdial_workspace using ((workspace_id = current_workspace_id()));

create table webhook_subscription (
  id bigint not null generated always as identity,
  workspace_id bigint not null,
  user_id bigint not null,
  api_key_id bigint,
  client_id text,
  target_url text not null,
  event text not null,
  filter jsonb not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  disabled_at timestamp with time zone,
  failing_since timestamp with time zone,
  ended_at timestamp with time zone,
  ended_reason text,
  ended_by_user_id bigint,
  ended_by_api_key_id bigint,
  ended_by_client_id text,
  constraint webhook_subscription_pkey PRIMARY KEY (id),
  constraint webhook_subscription_check CHECK (((api_key_id IS NULL) <> (client_id IS NULL))),
  constraint webhook_subscription_check1 CHECK (((ended_at IS NULL) = (ended_reason IS NULL))),
  constraint webhook_subscription_ended_reason_check CHECK ((ended_reason = ANY (ARRAY['unsubscribed'::text, 'gone'::text, 'app_disconnected'::text, 'key_revoked'::text, 'member_removed'::text]))),
  constraint webhook_subscription_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE,
  constraint webhook_subscription_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(id) ON DELETE CASCADE,
  constraint webhook_subscription_ended_by_api_key_id_fkey FOREIGN KEY (ended_by_api_key_id) REFERENCES api_key(id) ON DELETE SET NULL,
  constraint webhook_subscription_ended_by_client_id_fkey FOREIGN KEY (ended_by_client_id) REFERENCES oauth_client(id) ON DELETE SET NULL,
  constraint webhook_subscription_ended_by_user_id_fkey FOREIGN KEY (ended_by_user_id) REFERENCES app_user(id) ON DELETE SET NULL,
  constraint webhook_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE,
  constraint webhook_subscription_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE
);
CREATE INDEX webhook_subscription_ended ON webhook_subscription USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX webhook_subscription_of_client ON webhook_subscription USING btree (user_id, client_id, workspace_id, target_url, event, filter) WHERE ((client_id IS NOT NULL) AND (ended_at IS NULL));
CREATE UNIQUE INDEX webhook_subscription_of_key ON webhook_subscription USING btree (api_key_id, target_url, event, filter) WHERE ((api_key_id IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX webhook_subscription_target ON webhook_subscription USING btree (target_url) WHERE (ended_at IS NULL);
CREATE INDEX webhook_subscription_workspace ON webhook_subscription USING btree (workspace_id);
grant delete, insert, select, update on webhook_subscription to outdial_service;
grant delete, insert, select, update on webhook_subscription to outdial_workspace;
create policy service on webhook_subscription to outdial_service using (true);
create policy workspace on webhook_subscription to outdial_workspace using ((workspace_id = current_workspace_id()));

create table widget_tool (
  workspace_id bigint not null,
  agent_id bigint not null,
  tool_id bigint not null,
  config jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  constraint widget_tool_pkey PRIMARY KEY (agent_id, tool_id),
  constraint widget_tool_workspace_id_agent_id_fkey FOREIGN KEY (workspace_id, agent_id) REFERENCES agent(workspace_id, id) ON DELETE CASCADE,
  constraint widget_tool_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id) ON DELETE CASCADE,
  constraint widget_tool_workspace_id_tool_id_fkey FOREIGN KEY (workspace_id, tool_id) REFERENCES mcp_tool(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX widget_tool_of_tool ON widget_tool USING btree (tool_id);
grant delete, insert, select, update on widget_tool to outdial_service;
grant delete, insert, select, update on widget_tool to outdial_workspace;
create policy service on widget_tool to outdial_service using (true);
create policy workspace on widget_tool to outdial_workspace using ((workspace_id = current_workspace_id()));

create table workspace (
  id bigint not null generated always as identity,
  name text not null,
  country text not null,
  time_zone text not null,
  calling_hours jsonb not null default '{"end": "17:00", "days": ["mon", "tue", "wed", "thu", "fri"], "start": "09:00"}'::jsonb,
  form_id uuid,
  webhook_secret text not null,
  previous_webhook_secret text,
  previous_webhook_secret_until timestamp with time zone,
  number_salt bytea not null default decode(replace((gen_random_uuid())::text, '-'::text, ''::text), 'hex'::text),
  retention_days integer,
  pending_retention_days integer,
  pending_retention_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  calls_special_numbers boolean not null default false,
  constraint workspace_pkey PRIMARY KEY (id),
  constraint workspace_form_id_key UNIQUE (form_id),
  constraint workspace_check CHECK (((pending_retention_days IS NULL) = (pending_retention_at IS NULL))),
  constraint workspace_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint workspace_pending_retention_days_check CHECK (((pending_retention_days >= 1) AND (pending_retention_days <= 3650))),
  constraint workspace_retention_days_check CHECK (((retention_days >= 1) AND (retention_days <= 3650)))
);
grant delete, insert, select, update on workspace to outdial_service;
grant select, update on workspace to outdial_workspace;
create policy service on workspace to outdial_service using (true);
create policy workspace on workspace to outdial_workspace using ((id = current_workspace_id()));

create type call_request as (
  item integer,
  contact_id bigint,
  campaign_id bigint,
  test boolean,
  if_open text,
  scheduled_at timestamp with time zone,
  due_at timestamp with time zone,
  next_attempt_at timestamp with time zone,
  metadata jsonb,
  origin jsonb,
  zones jsonb,
  delayed_by text,
  exempt boolean
);

create type contact_values as (
  phone_number text,
  changes jsonb,
  changed_by jsonb
);

create type queued_call as (
  item integer,
  call_id bigint,
  queued boolean
);

CREATE OR REPLACE FUNCTION attempt_end_lock(campaign bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(('ends of attempts of campaign '::text || campaign), (0)::bigint);

CREATE OR REPLACE FUNCTION call_settings(campaign campaign, agent agent, contact contact)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN jsonb_build_object('campaign_name', (campaign).name, 'campaign_time_zone', (campaign).time_zone, 'calling_hours', (campaign).calling_hours, 'retry', (campaign).retry, 'max_concurrent_calls', (campaign).max_concurrent_calls, 'agent_name', (agent).name, 'language', (agent).language, 'greeting', (agent).greeting, 'first_name', (contact).first_name, 'last_name', (contact).last_name, 'variables', (contact).variables, 'consent_source', (contact).consent_source, 'consent_at', iso_time((contact).consent_at), 'consent_kind', (contact).consent_kind);

CREATE OR REPLACE FUNCTION contact_lock(workspace bigint, phone_number text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(((('contact '::text || (workspace)::text) || ' '::text) || phone_number), (0)::bigint);

CREATE OR REPLACE FUNCTION current_workspace_id()
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (current_setting('outdial.workspace_id'::text))::bigint;

CREATE OR REPLACE FUNCTION dequeue_deleted_campaign()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from campaign_queue where campaign_id = old.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION do_not_call_hmac(message bytea)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN sha256((decode(current_setting('outdial.do_not_call_outer_key'::text), 'hex'::text) || sha256((decode(current_setting('outdial.do_not_call_inner_key'::text), 'hex'::text) || message))));

CREATE OR REPLACE FUNCTION enqueue_campaign()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into campaign_queue (campaign_id, workspace_id, claim_at) values (new.id, new.workspace_id, clock_timestamp())
  on conflict (campaign_id) do update
  set claim_at = clock_timestamp(), at_limit = false, limited_until = null, limited_by = null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION enqueue_campaign_of_call()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(queued_call_lock(new.campaign_id));
  update campaign_queue set claim_at = new.next_attempt_at
  where campaign_id = new.campaign_id and not at_limit
    -- A campaign whose turn has come, or comes before the call is due, keeps its place in the queue.
    and (
      claim_at is null
      or claim_at > greatest(new.next_attempt_at, clock_timestamp())
        and (limited_until is null or limited_until <= clock_timestamp())
    );
  return null;
end $function$;

CREATE OR REPLACE FUNCTION enqueue_campaigns_of_agent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform campaign_id from campaign_queue
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id)
  order by campaign_id
  for no key update;
  update campaign_queue
  set claim_at = clock_timestamp(), at_limit = false, limited_until = null, limited_by = null
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and agent_id = new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION enqueue_campaigns_of_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(attempt_end_lock(old.campaign_id));
  update campaign_queue set claim_at = clock_timestamp(), at_limit = false
  where campaign_id = old.campaign_id and at_limit;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION enqueue_campaigns_of_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform campaign_id from campaign_queue
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id)
  order by campaign_id
  for no key update;
  update campaign_queue
  set claim_at = clock_timestamp(), at_limit = false, limited_until = null, limited_by = null
  where campaign_id in (select id from campaign where workspace_id = new.workspace_id and phone_number_id = new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION find_passages(workspace bigint, query tsquery, max_count integer)
 RETURNS TABLE(passage_id bigint, rank real)
 LANGUAGE sql
 STABLE SECURITY DEFINER
BEGIN ATOMIC
 SELECT knowledge_passage.id,
     ts_rank_cd(knowledge_passage.search, find_passages.query) AS ts_rank_cd
    FROM knowledge_passage
   WHERE ((knowledge_passage.search @@ find_passages.query) AND (knowledge_passage.workspace_id =
         CASE current_setting('role'::text)
             WHEN 'outdial_workspace'::text THEN current_workspace_id()
             ELSE find_passages.workspace
         END))
   ORDER BY (ts_rank_cd(knowledge_passage.search, find_passages.query)) DESC, knowledge_passage.id
  LIMIT find_passages.max_count;
END;

CREATE OR REPLACE FUNCTION find_session_role(hash bytea, workspace bigint, at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
BEGIN ATOMIC
 SELECT membership.role
    FROM (session
      JOIN membership ON ((membership.user_id = session.user_id)))
   WHERE ((session.id_hash = find_session_role.hash) AND (session.expires_at > find_session_role.at) AND (membership.workspace_id =
         CASE current_setting('role'::text)
             WHEN 'outdial_workspace'::text THEN current_workspace_id()
             ELSE find_session_role.workspace
         END));
END;

CREATE OR REPLACE FUNCTION has_capacity(checked_campaign_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return is_calling(checked_campaign_id) and (
    select max_concurrent_calls from campaign where id = checked_campaign_id
  ) > (
    select count(*) from call_attempt where campaign_id = checked_campaign_id and ended_at is null and not test
  );
end $function$;

CREATE OR REPLACE FUNCTION has_claimable_call(checked_campaign_id bigint, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (
    select from call
    where call.campaign_id = checked_campaign_id and status = 'queued' and not test and next_attempt_at <= at
      and not exists (
        select from call_attempt
        where call_attempt.workspace_id = call.workspace_id and call_attempt.to_number = call.to_number
          and call_attempt.ended_at is null and not call_attempt.test
      )
  );
end $function$;

CREATE OR REPLACE FUNCTION is_calling(checked_campaign_id bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (
    select from campaign
    join agent on agent.id = campaign.agent_id
    join phone_number on phone_number.id = campaign.phone_number_id
    where campaign.id = checked_campaign_id
      and campaign.status = 'active' and agent.status = 'live' and phone_number.status = 'active'
  );
end $function$;

CREATE OR REPLACE FUNCTION is_listed(workspace bigint, phone_number text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hash bytea := number_hash(workspace, phone_number);
begin
  return exists (select from do_not_call where workspace_id = workspace and do_not_call.number_hash = hash);
end $function$;

CREATE OR REPLACE FUNCTION iso_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

CREATE OR REPLACE FUNCTION lock_contacts(workspace bigint, numbers text[], with_variables boolean[], waits boolean)
 RETURNS TABLE(phone_number text, contact_id bigint, is_busy boolean, time_zone text, variable_names text[], is_listed boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  locked_numbers text[] := numbers;
  locked_ids bigint[];
  salt bytea := (select number_salt from workspace as salted where salted.id = lock_contacts.workspace);
begin
  if waits then
    perform pg_advisory_xact_lock(contact_lock(workspace, wanted)) from unnest(numbers) as wanted;
    locked_ids := array(
      select contact.id
      from unnest(numbers) as wanted (phone_number)
      cross join lateral (
        select id from contact
        where workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
        limit 1
        for no key update
      ) as contact
    );
  else
    locked_numbers := array(
      select wanted from unnest(numbers) as wanted where pg_try_advisory_xact_lock(contact_lock(workspace, wanted))
    );
    locked_ids := array(
      select contact.id
      from unnest(locked_numbers) as wanted (phone_number)
      cross join lateral (
        select id from contact
        where workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
        limit 1
        for no key update skip locked
      ) as contact
    );
  end if;
  return query
    select wanted.phone_number, found.id,
      wanted.phone_number <> all(locked_numbers) or found.id is not null and found.id <> all(locked_ids),
      found.time_zone,
      case when wanted.with_variables then array(select jsonb_object_keys(found.variables)) end,
      listed.found is not null
    from unnest(numbers, with_variables) as wanted (phone_number, with_variables)
    left join lateral (
      select id, time_zone, variables from contact
      where workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
      limit 1
    ) as found on true
    -- Does the same as is_listed, which would read the workspace's salt again for each number.
    left join lateral (
      select true as found from do_not_call
      where workspace_id = workspace and number_hash = salted_number_hash(salt, wanted.phone_number)
      limit 1
    ) as listed on true;
end $function$;

CREATE OR REPLACE FUNCTION lock_session(hash bytea)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
BEGIN ATOMIC
 SELECT true
    FROM session
   WHERE (session.id_hash = lock_session.hash)
  FOR KEY SHARE OF session;
END;

CREATE OR REPLACE FUNCTION log_contact_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed text[];
  old_values jsonb := '{}';
  new_values jsonb := '{}';
  old_row jsonb;
  new_row jsonb;
  column_name text;
  change bigint;
begin
  old_row := to_jsonb(old);
  new_row := to_jsonb(new);
  foreach column_name in array array[
    'first_name', 'last_name', 'email', 'external_id', 'time_zone', 'consent_source', 'consent_at', 'consent_kind'
  ] loop
    if old_row -> column_name is distinct from new_row -> column_name then
      changed := changed || column_name;
      old_values := old_values || jsonb_build_object(column_name, old_row -> column_name);
      new_values := new_values || jsonb_build_object(column_name, new_row -> column_name);
    end if;
  end loop;
  -- If a part of the consent changed, logs all of it, because undoing an import restores a consent only as a whole.
  if changed && array['consent_source', 'consent_at', 'consent_kind'] then
    foreach column_name in array array['consent_source', 'consent_at', 'consent_kind'] loop
      old_values := old_values || jsonb_build_object(column_name, old_row -> column_name);
      new_values := new_values || jsonb_build_object(column_name, new_row -> column_name);
    end loop;
  end if;
  if old.variables is distinct from new.variables then
    changed := changed || 'variables'::text;
    -- Logs only the variables that changed.
    old_values := old_values || jsonb_build_object('variables', (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(old.variables)
      where value is distinct from new.variables -> key));
    new_values := new_values || jsonb_build_object('variables', (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(new.variables)
      where value is distinct from old.variables -> key));
  end if;
  if changed is null then return null; end if;
  insert into contact_change (workspace_id, contact_id, kind, fields, actor, import_id, at)
  values (
    new.workspace_id, new.id, 'updated', changed, new.updated_by,
    case when new.updated_by ->> 'kind' = 'import' then (new.updated_by ->> 'id')::bigint end, new.updated_at
  )
  returning id into change;
  insert into contact_change_values (change_id, contact_id, old_values, new_values)
  values (change, new.id, old_values, new_values);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION log_created_contacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into contact_change (workspace_id, contact_id, kind, fields, actor, import_id, at)
  select workspace_id, id, 'created', '{}', updated_by,
    case when updated_by ->> 'kind' = 'import' then (updated_by ->> 'id')::bigint end, created_at
  from created order by id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION look_up_number(workspace bigint, phone_number text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  hash bytea := number_hash(workspace, phone_number);
begin
  return jsonb_build_object(
    'hash', encode(hash, 'hex'),
    'isListed', exists (select from do_not_call where workspace_id = workspace and do_not_call.number_hash = hash),
    'use', (
      select jsonb_build_object('placedAt', placed_at, 'answeredAt', answered_at) from number_use
      where workspace_id = workspace and number_use.number_hash = hash
    )
  );
end $function$;

CREATE OR REPLACE FUNCTION number_hash(workspace bigint, phone_number text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
RETURN (SELECT salted_number_hash(w.number_salt, number_hash.phone_number) AS salted_number_hash FROM workspace w WHERE (w.id = number_hash.workspace));

CREATE OR REPLACE PROCEDURE protect_table(IN protected regclass, IN workspace_rows text DEFAULT 'workspace_id = current_workspace_id()'::text, IN workspace_privileges text DEFAULT 'select, insert, update, delete'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('grant select, insert, update, delete on %s to outdial_service', protected);
  execute format('create policy service on %s to outdial_service using (true)', protected);
  if workspace_rows is null then return; end if;
  execute format('grant %s on %s to outdial_workspace', workspace_privileges, protected);
  execute format('create policy workspace on %s to outdial_workspace using (%s)', protected, workspace_rows);
end $procedure$;

CREATE OR REPLACE FUNCTION queue_calls(workspace bigint, at timestamp with time zone, calls call_request[])
 RETURNS SETOF queued_call
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  done queued_call[];
  shared_ids bigint[];
begin
  while cardinality(calls) > 0 loop
    done := array(
      select row(item, first_open.id, false)::queued_call
      from unnest(calls) as request
      cross join lateral (
        select id from (
          select id from call
          where call.workspace_id = workspace and call.campaign_id = request.campaign_id
            and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
            and not call.additional
            and (request.if_open = 'skip' or status = 'queued' and call.scheduled_at = request.scheduled_at)
          union all
          select id from call
          where call.workspace_id = workspace and call.campaign_id = request.campaign_id
            and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
            and call.additional
            and (request.if_open = 'skip' or status = 'queued' and call.scheduled_at = request.scheduled_at)
        ) as open_call
        order by id
        limit 1
      ) as first_open
      where request.if_open <> 'queue'
    );
    -- If an import queued an open call, and another source now requests the same call, the call no longer belongs to the
    -- import. Undoing the import then doesn't cancel the call.
    if cardinality(done) > 0 then
      shared_ids := array(
        select call.id
        from (
          select call_id from unnest(done) join unnest(calls) as request using (item)
          where request.origin ->> 'kind' <> 'import'
          order by call_id
        ) as found
        cross join lateral (
          select id from call where call.id = found.call_id and import_id is not null limit 1 for no key update
        ) as call
      );
      if cardinality(shared_ids) > 0 then
        update call set import_id = null where id = any(shared_ids) and status <> 'completed';
        -- Drops calls from "done" that were completed while this transaction waited for their locks. New calls replace them.
        done := array(
          select open_call from unnest(done) as open_call
          where not exists (
            select from call where id = open_call.call_id and id = any(shared_ids) and status = 'completed'
          )
        );
      end if;
    end if;
    return query select * from unnest(done);
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );

    with inserted as (
      insert into call (
        workspace_id, campaign_id, contact_id, agent_id, phone_number_id, from_number, to_number, test, additional,
        scheduled_at, queued_at, due_at, next_attempt_at, delayed_by, exempt, metadata, origin, import_id, queued_with
      )
      select workspace, request.campaign_id, request.contact_id, made_with.agent_id, made_with.phone_number_id,
        made_with.from_number, made_with.to_number, request.test,
        request.if_open <> 'skip' and (
          select count(*) > 0 from (
            select from call
            where call.workspace_id = workspace and call.campaign_id = request.campaign_id
              and call.contact_id = request.contact_id and call.test = request.test and status <> 'completed'
              and not call.additional
            limit 1
          ) as open_call
        ),
        request.scheduled_at, at, request.due_at, request.next_attempt_at, request.delayed_by,
        -- During an upgrade, processes of an earlier version send requests without `exempt`.
        coalesce(request.exempt, false), request.metadata, request.origin,
        case when request.origin ->> 'kind' = 'import' then (request.origin ->> 'id')::bigint end,
        made_with.settings || request.zones
      from unnest(calls) as request
      cross join lateral (
        select call_settings(campaign, agent, contact) as settings, campaign.agent_id, campaign.phone_number_id,
          phone_number.phone_number as from_number, contact.phone_number as to_number
        from campaign
        join agent on agent.workspace_id = workspace and agent.id = campaign.agent_id
        join phone_number on phone_number.workspace_id = workspace and phone_number.id = campaign.phone_number_id
        join contact on contact.workspace_id = workspace and contact.id = request.contact_id
        where campaign.workspace_id = workspace and campaign.id = request.campaign_id
        limit 1
      ) as made_with
      -- The deferred triggers lock rows of campaign_queue in the order in which calls are inserted. Without the same order in
      -- every transaction, two transactions could deadlock.
      order by request.campaign_id, request.item
      on conflict do nothing
      returning id, contact_id
    )
    select coalesce(array_agg(row(item, inserted.id, true)::queued_call), '{}') into done
    from inserted join unnest(calls) as request on request.contact_id = inserted.contact_id;
    return query select * from unnest(done);
    -- If another transaction, which hadn't locked the contact, inserted the same call first, that call is visible now. The next
    -- round finds it.
    calls := array(
      select request from unnest(calls) as request where item <> all(array(select item from unnest(done)))
    );
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION queued_call_lock(campaign bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(('queued calls of campaign '::text || (campaign)::text), (0)::bigint);

CREATE OR REPLACE FUNCTION salted_number_hash(salt bytea, phone_number text)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN do_not_call_hmac(sha256((salt || convert_to(phone_number, 'UTF8'::name))));

CREATE OR REPLACE FUNCTION settle_campaigns(campaign_ids bigint[], served_ids bigint[], at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  settled_ids bigint[];
  full_ids bigint[];
  idle_ids bigint[];
begin
  -- Skips rows that another transaction has locked, because that transaction decides when the campaign's next turn comes.
  settled_ids := array(
    select campaign_id from campaign_queue where campaign_id = any(campaign_ids)
    order by campaign_id
    for no key update skip locked
  );
  update campaign_queue set claim_at = clock_timestamp(), claimed_at = clock_timestamp()
  where campaign_id = any(settled_ids) and campaign_id = any(served_ids);

  full_ids := array(select id from unnest(settled_ids) as id where not has_capacity(id));
  full_ids := array(select id from unnest(full_ids) as id where pg_try_advisory_xact_lock(attempt_end_lock(id)));
  -- Checks the capacity again, because attempts may have ended before this transaction got the lock.
  update campaign_queue set claim_at = null, at_limit = is_calling(campaign_id)
  where campaign_id = any(full_ids) and not has_capacity(campaign_id);

  idle_ids := array(
    select campaign_id from campaign_queue
    where campaign_id = any(settled_ids) and claim_at is not null and not has_claimable_call(campaign_id, at)
  );
  idle_ids := array(select id from unnest(idle_ids) as id where pg_try_advisory_xact_lock(queued_call_lock(id)));
  -- Checks for calls again, because calls may have been queued before this transaction got the lock.
  update campaign_queue set claim_at = (
    -- Due calls of these campaigns are to numbers that are being called. The campaign tries again a second later.
    select case when next_attempt_at <= at then clock_timestamp() + interval '1 second' else next_attempt_at end
    from call
    where call.campaign_id = campaign_queue.campaign_id and status = 'queued' and not test
    -- The prefix `call.` is needed. PostgreSQL also names the selected value next_attempt_at, and no index has its order.
    order by call.next_attempt_at
    limit 1
  )
  where campaign_id = any(idle_ids) and not has_claimable_call(campaign_id, at);
end $function$;

CREATE OR REPLACE FUNCTION unknown_results(agent bigint, version integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (SELECT COALESCE(jsonb_object_agg((result.value ->> 'name'::text), NULL::unknown), '{}'::jsonb) AS "coalesce" FROM (agent_version CROSS JOIN LATERAL jsonb_array_elements((agent_version."values" -> 'results'::text)) result(value)) WHERE ((agent_version.agent_id = unknown_results.agent) AND (agent_version.number = unknown_results.version)));

CREATE OR REPLACE FUNCTION upsert_contacts(workspace bigint, at timestamp with time zone, contacts contact_values[])
 RETURNS TABLE(contact_id bigint, phone_number text, created boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
declare
  created_ids bigint[] := '{}';
  found_ids bigint[];
begin
  -- Every transaction locks numbers in this order, so that two transactions can't deadlock.
  perform pg_advisory_xact_lock(contact_lock(workspace, phone_number))
  from (select phone_number from unnest(contacts) order by phone_number) as ordered;

  loop
    with added as (
      insert into contact (
        workspace_id, phone_number, first_name, last_name, email, external_id, time_zone, variables, consent_source,
        consent_at, consent_kind, created_at, updated_at, updated_by
      )
      select workspace, phone_number, changes ->> 'first_name', changes ->> 'last_name', changes ->> 'email',
        changes ->> 'external_id', changes ->> 'time_zone',
        coalesce(nullif(changes -> 'variables', 'null'), '{}'),
        changes ->> 'consent_source', (changes ->> 'consent_at')::timestamptz, changes ->> 'consent_kind', at, at, changed_by
      from unnest(contacts)
      order by phone_number
      on conflict (workspace_id, phone_number) where erased_at is null do nothing
      returning id
    )
    select created_ids || coalesce(array_agg(id), '{}') into created_ids from added;

    found_ids := created_ids;
    if cardinality(created_ids) < cardinality(contacts) then
      found_ids := array(
        select contact.id
        from (select phone_number from unnest(contacts) order by phone_number) as wanted
        cross join lateral (
          select id from contact
          where contact.workspace_id = workspace and contact.phone_number = wanted.phone_number and erased_at is null
          limit 1
          for no key update
        ) as contact
      );
    end if;
    -- Tries again if a contact was erased between the insert and the select.
    exit when cardinality(found_ids) = cardinality(contacts);
  end loop;

  if cardinality(created_ids) < cardinality(contacts) then
    update contact set
      first_name = case when changes ? 'first_name' then changes ->> 'first_name' else first_name end,
      last_name = case when changes ? 'last_name' then changes ->> 'last_name' else last_name end,
      email = case when changes ? 'email' then changes ->> 'email' else email end,
      external_id = case when changes ? 'external_id' then changes ->> 'external_id' else external_id end,
      time_zone = case when changes ? 'time_zone' then changes ->> 'time_zone' else time_zone end,
      variables = case
        when not changes ? 'variables' then contact.variables
        when changes -> 'variables' = 'null' then '{}'
        else contact.variables || (changes -> 'variables')
      end,
      consent_source = case when changes ? 'consent_source' then changes ->> 'consent_source' else consent_source end,
      consent_at = case when changes ? 'consent_at' then (changes ->> 'consent_at')::timestamptz else consent_at end,
      -- A new consent never keeps the kind of the previous consent.
      consent_kind = case when changes ? 'consent_source' then changes ->> 'consent_kind' else consent_kind end,
      updated_at = at,
      updated_by = changed_by
    from unnest(contacts) as changed (changed_number, changes, changed_by)
    where id = any(found_ids) and id <> all(created_ids) and phone_number = changed_number;
  end if;

  return query select id, phone_number, id = any(created_ids) from contact where id = any(found_ids);
end $function$;

