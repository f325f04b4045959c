import { z } from 'zod';
import { Id, Name, Role } from '../../../contract/fields.ts';

export const CallingAccount = z
  .strictObject({ id: Id, workspaceId: Id, name: Name, role: Role })
  .meta({ id: 'CallingAccount', description: 'A service account, as it sees itself' });
