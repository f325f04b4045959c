import type { ChangeContext } from '../../mixins/changes/change-context.ts';

/** The context of a change that a person makes by an operation of issues. */
export const changeContext = (given: Partial<ChangeContext> = {}): ChangeContext => ({
  actor: { type: 'person', id: 1, name: 'Ada' },
  via: 'http',
  requestId: 'request-1',
  operation: 'issues.update',
  audit: { resource: 'issue' },
  ...given,
});
