import { DiagnosticEvent } from '../../support/diagnostic-event.ts';

/** The backups of this process have begun, or a backup was made. */
export const backupMade = new DiagnosticEvent<{
  /** The time of the newest whole backup; without one, the time since which backups are due. */
  since: Date;
  /** Milliseconds between two backups. */
  everyMs: number;
}>('backup-made');

/** A backup has failed. */
export const backupFailed = new DiagnosticEvent<object>('backup-failed');
