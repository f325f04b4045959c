/** The states of a recording. PAUSED goes back to RECORDING; nothing leaves FINISHED. */
export const RECORDING_STATUSES = ['RECORDING', 'PAUSED', 'FINISHED'] as const;
export type RecordingStatus = (typeof RECORDING_STATUSES)[number];
