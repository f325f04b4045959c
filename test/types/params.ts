import type { Params } from '../../services/contracts.ts';

/** The types of an action's parameters after validation. This file is compiled and never run. */

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const workspaceId: Same<Params<'issues.update'>['workspaceId'], number> = true;
const limit: Same<Params<'issues.list'>['limit'], number> = true;
const title: Same<Params<'issues.update'>['title'], string | undefined> = true;
void [workspaceId, limit, title];

// @ts-expect-error there is no such action
type Unknown = Params<'issues.nope'>;
// @ts-expect-error the action has no such field
type Field = Params<'issues.update'>['colour'];
declare const nothing: [Unknown, Field];
void nothing;

declare function updateIssue(update: Params<'issues.update'>): void;
updateIssue({ workspaceId: 1, issueId: 2, title: 'x' });
// @ts-expect-error a parameter of the path is missing
updateIssue({ issueId: 2, title: 'x' });
