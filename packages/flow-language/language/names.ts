import type { Scope } from './context.ts';

/** The pattern of a task's name, which is also a member of `$steps`. */
export const TASK_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const TASK_NAME_RULE = 'a letter, then letters, digits, "_" or "-", at most 64 characters';

/** The pattern of a signal's name, which is a segment of the path that signals are posted to. */
export const SIGNAL_NAME = TASK_NAME;
export const SIGNAL_NAME_RULE = TASK_NAME_RULE;

/** The directives that `then` may have instead of a task's name (DSL 1.0.0, flow directive). */
export const DIRECTIVES = ['continue', 'exit', 'end'] as const;

/** The pattern of `namespace` and `name` of a document (DSL 1.0.0). */
export const DOCUMENT_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** The pattern of `version` of a document (DSL 1.0.0): a semantic version. */
export const DOCUMENT_VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

/** The pattern of a variable that an author names (`each`, `at`, `as`), as JSONata reads it after a `$`. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The variables that every expression may read (flow language, section 3), without `$` and `$$`. */
export const FLOW_VARIABLES: Scope = new Set([
  'input',
  'context',
  'steps',
  'error',
  'run',
  'properties',
]);

/** The functions of JSONata 2.2.2, apart from `$eval`, which this service removes, and this service's own. */
export const BUILT_INS: ReadonlySet<string> = new Set(
  `abs append assert average base64decode base64encode boolean ceil clone contains count
  decodeUrl decodeUrlComponent distinct each encodeUrl encodeUrlComponent error exists filter
  floor formatBase formatInteger formatNumber fromMillis integer join keys length lookup lowercase map
  match max merge millis min not now number pad parseInteger power random reduce replace reverse
  round shuffle sift single sort split spread sqrt string substring substringAfter
  substringBefore sum toMillis trim type uppercase zip`.split(/\s+/),
);

/** Tells whether a variable with this name would hide a flow variable or a function of JSONata. */
export function isTakenVariable(name: string): boolean {
  return FLOW_VARIABLES.has(name) || BUILT_INS.has(name) || name === 'eval';
}

/** Tells whether a value may be given for a variable of this name: a flow variable, or a name that an author may choose. */
export const isVariableName = (name: string): boolean =>
  FLOW_VARIABLES.has(name) || (VARIABLE_NAME.test(name) && !isTakenVariable(name));
