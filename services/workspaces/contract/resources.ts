import { z } from 'zod';
import { Id, Name, Role, Timestamp } from '../../../contract/fields.ts';
import { INVITATION_STATUSES } from '../../../models/invitation.model.ts';

export const Workspace = z.strictObject({ id: Id, name: Name }).meta({ id: 'Workspace' });

/** A workspace in the list of a member, with the member's role. */
export const WorkspaceOfCaller = Workspace.extend({ role: Role }).meta({ id: 'WorkspaceOfCaller' });

const person = { email: z.string(), firstName: z.string(), lastName: z.string() };

export const UserWithRole = z
  .strictObject({
    id: Id,
    ...person,
    role: Role,
    joinedAt: Timestamp,
    pending: z.boolean().meta({
      description:
        'Whether the address is not verified yet: until then the membership has no effect',
    }),
  })
  .meta({ id: 'UserWithRole' });

export const UserWorkspace = z
  .strictObject({
    userId: Id,
    workspaceId: Id,
    role: Role,
    ...person,
    joinedAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'UserWorkspace' });

const Pending = z.boolean();
/** A membership after a request that gives it, or its role. */
export const GivenMembership = UserWorkspace.extend({ pending: Pending });

/** The terms of a request that gives a membership, or its role. */
export const givesMembership = {
  result: GivenMembership,
  resultHeaders: {
    body: UserWorkspace,
    fields: {
      pending: {
        header: 'X-Membership-Pending',
        type: Pending,
        description:
          '`true` while the address is not verified: until then the membership has no effect, and `GET /auth/me` tells the member so',
      },
    },
  },
} as const;

export const Operation = z
  .strictObject({
    operation: z.string().meta({ description: 'Its name, as in `issues.create`' }),
    method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
    path: z.string().meta({ description: 'With its parameters in braces' }),
  })
  .meta({ id: 'Operation' });

export const Invitation = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    workspaceName: Name,
    email: z.string(),
    role: Role,
    status: z.enum(INVITATION_STATUSES),
    invitedBy: z.strictObject({ id: Id.nullable(), ...person }).meta({
      description:
        'A service account is shown by its id and its name as `firstName`, without an address',
    }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'Invitation' });
