import { z } from 'zod';
import { Id, Name, Timestamp } from '../../../contract/fields.ts';

/** A flow's name can stand where its id can, so it must not look like one. */
export const FlowName = Name.refine((name) => !/^\d+$/.test(name), 'must not be digits only').meta({
  description: 'Unique in the workspace, and not only digits',
});

export const Flow = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    name: FlowName,
    description: z.string(),
    versionId: Id.nullable().meta({ description: 'The newest version; null while there is none' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Flow' });
export type Flow = z.output<typeof Flow>;

/** Warnings of the file that was checked. The check names at most 101 warnings. */
export const WarningCount = z.int().min(0);

/** A flow after a request to store it. The count is absent when the request had no file to check. */
export const CheckedFlow = Flow.extend({ warnings: WarningCount.optional() });
export type CheckedFlow = z.output<typeof CheckedFlow>;

export const FlowVersion = z
  .strictObject({ id: Id, createdAt: Timestamp })
  .meta({ id: 'FlowVersion' });
export type FlowVersion = z.output<typeof FlowVersion>;

export const Fault = z
  .strictObject({
    line: z.int().positive(),
    column: z.int().positive(),
    message: z.string(),
    code: z.string().meta({ description: 'Stable, such as UNKNOWN_KEY' }),
  })
  .meta({ id: 'FlowFault' });
export type Fault = z.output<typeof Fault>;

/** A place that the author should look at, such as a secret. It hinders neither storing nor running. */
export const FlowWarning = z
  .strictObject({
    line: z.int().positive(),
    column: z.int().positive(),
    message: z.string(),
    code: z.string().meta({ description: 'Stable, such as SECRET_IN_HEADER' }),
  })
  .meta({ id: 'FlowWarning' });
export type FlowWarning = z.output<typeof FlowWarning>;
