const EXAMPLE = "it calls a tool of the suite's own example server";
const SAMPLING = 'the server asks the model of a client for nothing';
const ELICITATION = 'the server asks the user of a client for nothing';
const EXAMPLE_PROMPT = "it gets a prompt of the suite's own example server";
const EXAMPLE_RESOURCE = "it reads a resource of the suite's own example server";
const STATELESS = 'there are no sessions, and so no subscriptions';

/** The scenarios of the conformance suite that do not apply, with the reason. Every other scenario has to pass. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'logging-set-level': 'the server sends no log messages to clients',
  'completion-complete': 'the server offers no completion',
  'tools-call-simple-text': EXAMPLE,
  'tools-call-image': EXAMPLE,
  'tools-call-audio': EXAMPLE,
  'tools-call-embedded-resource': EXAMPLE,
  'tools-call-mixed-content': EXAMPLE,
  'tools-call-with-logging': EXAMPLE,
  'tools-call-error': EXAMPLE,
  'tools-call-with-progress': EXAMPLE,
  'tools-call-sampling': SAMPLING,
  'tools-call-elicitation': ELICITATION,
  'elicitation-sep1034-defaults': ELICITATION,
  'elicitation-sep1330-enums': ELICITATION,
  'json-schema-2020-12': EXAMPLE,
  'resources-read-text': EXAMPLE_RESOURCE,
  'resources-read-binary': EXAMPLE_RESOURCE,
  'resources-templates-read': EXAMPLE_RESOURCE,
  'resources-subscribe': STATELESS,
  'resources-unsubscribe': STATELESS,
  'prompts-get-simple': EXAMPLE_PROMPT,
  'prompts-get-with-args': EXAMPLE_PROMPT,
  'prompts-get-embedded-resource': EXAMPLE_PROMPT,
  'prompts-get-with-image': EXAMPLE_PROMPT,
};

/** The scenarios that look at sessions and streams only where a server has them: here they check nothing. */
export const WITHOUT_CHECKS: readonly string[] = [
  'server-sse-polling',
  'server-sse-multiple-streams',
];
