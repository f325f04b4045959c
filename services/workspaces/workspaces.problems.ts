import { Forbidden, NotFound, Problem, problemType } from '../../contract/problem.ts';

export const UserAlreadyInWorkspace = problemType(
  'USER_ALREADY_IN_WORKSPACE',
  409,
  'The user is already in the workspace',
);
export const InvitationNotPending = problemType(
  'INVITATION_NOT_PENDING',
  409,
  'The invitation is not pending',
);
export const LastOwner = problemType('LAST_OWNER', 409, 'A workspace needs an owner');

export const noUser = () => new Problem(NotFound, 'There is no user with this e-mail address.');
export const noMember = () =>
  new Problem(NotFound, 'No member of the workspace has this e-mail address.');
export const lastOwner = () =>
  new Problem(LastOwner, 'The last owner cannot leave, be removed or take another role.');
export const onlyOwner = (workspaceId: number) =>
  new Problem(
    LastOwner,
    `The user is the only owner of workspace ${workspaceId}, which has other members: name another owner, or remove them.`,
    { members: { workspaceId } },
  );
export const alreadyMember = () =>
  new Problem(UserAlreadyInWorkspace, 'The user is already in the workspace.');
export const notAllowed = (detail: string) => new Problem(Forbidden, detail);
export const noInvitation = (id: number) => new Problem(NotFound, `There is no invitation ${id}.`);
export const notPending = (detail: string) => new Problem(InvitationNotPending, detail);
