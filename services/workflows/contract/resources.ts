import { z } from 'zod';
import { Id, Name, Timestamp } from '../../../contract/fields.ts';

export const Workflow = z
  .strictObject({ id: Id, name: Name, description: z.string(), createdAt: Timestamp })
  .meta({ id: 'Workflow' });
export type Workflow = z.output<typeof Workflow>;
