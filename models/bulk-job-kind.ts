/** What a bulk job does with each of its runs. */
export const BULK_JOB_KINDS = ['cancel', 'retry'] as const;
export type BulkJobKind = (typeof BULK_JOB_KINDS)[number];
