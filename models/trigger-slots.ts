import { field, type Index } from './define-model.ts';

/** The quota slots of a trigger. Each is a number below its quota, and absent where there is no quota. */
export const triggerSlots = {
  /** The number of the trigger among those of its kind in its flow. */
  flowSlot: field.optional(field.number),
  /** The number of the trigger among those of its kind in its workspace. */
  workspaceSlot: field.optional(field.number),
};

/** The names of the unique indexes by which at most one trigger of a flow, or of a workspace, holds a slot. */
export const SLOT_INDEXES = { flowSlot: 'flow_slot', workspaceSlot: 'workspace_slot' } as const;

/** Triggers of a flow by id are listed from the first index, and a workspace's slots are read from the second. */
export const triggerIndexes: readonly Index[] = [
  [{ flowId: 1, _id: 1 }],
  [
    { flowId: 1, flowSlot: 1 },
    {
      name: SLOT_INDEXES.flowSlot,
      unique: true,
      partialFilterExpression: { flowSlot: { $exists: true } },
    },
  ],
  [
    { workspaceId: 1, workspaceSlot: 1 },
    {
      name: SLOT_INDEXES.workspaceSlot,
      unique: true,
      partialFilterExpression: { workspaceSlot: { $exists: true } },
    },
  ],
  [{ workspaceId: 1, _id: 1 }],
];
