import type { ServiceSchema } from 'moleculer';
import { changeOf } from '../../mixins/changes/change-context.ts';
import { Changes } from '../../mixins/changes/changes.ts';
import { erasuresOf } from '../../mixins/lifecycle/erasures.ts';
import { IssueModel } from '../../models/issue.model.ts';
import { IssueRaiseModel } from '../../models/issue-raise.model.ts';
import { type Ctx, implement, type Params } from '../contracts.ts';
import { directoryOf, userFinder } from './assignee.ts';
import { publishEvents } from '../outgoing-events/publish-events.ts';
import { issueEvents } from './publish-issue-events.ts';
import { createIssue } from './create-issue.ts';
import { recordFailures } from './failures/counted-failures.ts';
import { raiseForFailures } from './failures/raise-for-failures.ts';
import { issuesContract } from './issues.contract.ts';
import { issues } from './issues.store.ts';
import { listIssues } from './list-issues.ts';
import { raiseIssue } from './raise-issue.ts';
import { raiseOf } from './raise-of-effect.ts';
import { recordRaises } from './raises.ts';
import { removeIssue } from './remove-issue.ts';
import { showIssue } from './show-issue.ts';
import { updateIssue } from './update-issue.ts';

/** Issues raised inside a workspace. */
export function issuesService(): ServiceSchema {
  const erasures = erasuresOf('issues', [IssueModel, IssueRaiseModel]);
  let findUser: ReturnType<typeof userFinder>;
  const directory = (ctx: Pick<Ctx, 'call'>) => directoryOf(ctx, findUser);
  const create = (ctx: Ctx<Params<'issues.create'>>) =>
    createIssue(ctx.params, changeOf(ctx), directory(ctx));

  return {
    name: 'issues',
    mixins: [erasures.mixin, Changes(issues)],
    actions: implement(
      issuesContract,
      {
        list: (ctx) => listIssues(ctx.params, directory(ctx)),
        create,
        createExternal: create,
        get: (ctx) => showIssue(ctx.locals.resource, directory(ctx)),
        update: (ctx) =>
          updateIssue(ctx.locals.resource, ctx.params, changeOf(ctx), directory(ctx)),
        remove: (ctx) => removeIssue(ctx.locals.resource, changeOf(ctx), directory(ctx)),
        raise: (ctx) => raiseIssue(raiseOf(ctx.params), changeOf(ctx), directory(ctx)),
        raiseForFailures: (ctx) => raiseForFailures(ctx.params, directory(ctx)),
        publishEvents: (ctx) => publishEvents(ctx.params.entries, ctx, issueEvents(directory(ctx))),
        recordRaises: ({ params }) => recordRaises(params),
        recordFailures: ({ params }) => recordFailures(params),
        ...erasures.handlers,
      },
      { issue: issues.find },
    ),
    created() {
      findUser = userFinder(this.broker);
    },
  };
}
