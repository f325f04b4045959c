import type { ErrorFilter, Expression, RetryPolicy, Task, Template } from '../plan.ts';

/** The lines of a task's label: its name, its condition, and what it does. */
export const labelOf = (task: Task): string[] => [
  task.name,
  ...(task.if ? [`if ${task.if.source}`] : []),
  describe(task),
];

function describe(task: Task): string {
  switch (task.kind) {
    case 'call-http':
      return `${task.method.toUpperCase()} ${addressOf(task.endpoint)}`;
    case 'call-api-description':
      return `call API description ${task.apiDescriptionId}`;
    case 'call-issue':
      return 'call issue';
    case 'call-agent':
      return 'call agent';
    case 'run':
      return `run flow ${task.flow}${task.version === 'latest' ? '' : `, version ${task.version}`}`;
    case 'listen':
      return `listen for ${task.signal}`;
    case 'wait':
      return `wait ${task.durationMs / 1000} s`;
    case 'raise':
      return `raise ${task.error.status} ${literalOf(task.error.title)}`;
    case 'for':
      return describeLoop(task);
    case 'fork':
      return task.compete ? 'fork, the first to succeed wins' : 'fork';
    case 'set':
    case 'switch':
    case 'do':
    case 'try':
      return task.kind;
  }
}

const addressOf = (endpoint: (Task & { kind: 'call-http' })['endpoint']): string =>
  endpoint.kind === 'uri-template' ? endpoint.template : endpoint.expression.source;

const literalOf = (template: Template | undefined): string =>
  template?.kind === 'literal' && typeof template.value === 'string' ? template.value : '';

function describeLoop(task: Task & { kind: 'for' }): string {
  const parallel = task.parallel === undefined ? '' : `, ${task.parallel} at once`;
  return `for ${task.each} in ${task.in.source}${parallel}`;
}

/** What a handler of errors catches. */
export function describeCatch({
  errors = {},
  when,
  exceptWhen,
}: {
  errors?: ErrorFilter;
  when?: Expression;
  exceptWhen?: Expression;
}): string {
  const { status, title, type, instance } = errors;
  const parts = [
    ...[status, title, type, instance].filter((part) => part !== undefined).map(String),
    ...(when ? [`when ${when.source}`] : []),
    ...(exceptWhen ? [`except when ${exceptWhen.source}`] : []),
  ];
  return ['error', ...parts].join(' ');
}

export const describeRetry = ({ maxRetries, delayMs }: RetryPolicy): string =>
  `retry up to ${maxRetries} times after ${delayMs / 1000} s`;
