/** The operations that a bulk job can carry out on its runs. */
export const BULK_JOB_KINDS = ['cancel', 'retry'] as const;
export type BulkJobKind = (typeof BULK_JOB_KINDS)[number];
