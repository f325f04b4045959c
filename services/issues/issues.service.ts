import type { ServiceSchema } from 'moleculer';
import { actorOf } from '../../contract/caller.ts';
import { Database } from '../../mixins/database/database.ts';
import { IssueModel } from '../../models/issue.model.ts';
import { type Ctx, implement } from '../contracts.ts';
import { directoryOf, userFinder } from './assignee.ts';
import { createIssue, type NewIssue } from './create-issue.ts';
import { findIssue, removeIssue } from './get-issue.ts';
import { issuesContract } from './issues.contract.ts';
import { listIssues } from './list-issues.ts';
import { type StoredIssue, showIssue } from './show-issue.ts';
import { updateIssue } from './update-issue.ts';

/** The issue that the access check has found on its way. */
const foundBy = (ctx: Ctx): StoredIssue => ctx.locals.resource as StoredIssue;

/** Issues raised inside a workspace. */
export function issuesService(): ServiceSchema {
  let findUser: ReturnType<typeof userFinder>;
  const directory = (ctx: Pick<Ctx, 'call'>) => directoryOf(ctx, findUser);
  const create = (ctx: Ctx<NewIssue>) =>
    createIssue(ctx.params, actorOf(ctx.meta.caller), directory(ctx));

  return {
    name: 'issues',
    mixins: [Database(IssueModel)],
    actions: implement(
      issuesContract,
      {
        list: (ctx) => listIssues(ctx.params, directory(ctx)),
        create,
        createExternal: create,
        get: (ctx) => showIssue(foundBy(ctx), directory(ctx)),
        update: (ctx) => updateIssue(foundBy(ctx), ctx.params, directory(ctx)),
        remove: (ctx) => removeIssue(ctx.params),
      },
      { issue: findIssue },
    ),
    created() {
      findUser = userFinder(this.broker);
    },
  };
}
