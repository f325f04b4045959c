/** The process that `copyEmbeddedMongo` forks. It ends with its parent, and others have the processor before it. */
import { constants, setPriority } from 'node:os';
import { copyStore } from './storage/copy.ts';

/** The folders that the parent sends to the child. */
export interface CopyRequest {
  folder: string;
  into: string;
}
export type CopyAnswer = { copied: true } | { failed: string };

// A terminal sends its signals to the parent as well, which decides about the copy.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('SIGHUP', () => {});
process.on('disconnect', end);
process.umask(0o077);

process.once('message', async ({ folder, into }: CopyRequest) => {
  // With the lowest priority a copy beside busy processes would take several times as long, and the log file grows.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const answer = await copyStore(folder, into).then(
    (): CopyAnswer => ({ copied: true }),
    (error: Error): CopyAnswer => ({ failed: error.message }),
  );
  process.send?.(answer, end);
});

/** Ends this process. `process.exit` may wait forever for a thread that compiles (nodejs/node#54918). */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
