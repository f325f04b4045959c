import { join } from 'node:path';
import { logger } from '../../support/logging.ts';
import { BackupFolder, backupName } from './backup-folder.ts';
import { backupFailed, backupMade } from './backups.diagnostics.ts';
import { copyData } from './data-copy.ts';

/** Milliseconds until another attempt after a failed backup, if the backups are not more frequent. */
const RETRY_MS = 60_000;

export interface BackupSettings {
  dataDir: string;
  backupDir: string;
  /** Milliseconds between the beginnings of two backups. */
  everyMs: number;
  /** The variables of the environment that give keys. Such keys are not copied, and the log says so. */
  keyVariables?: readonly string[];
}

/**
 * Backs up the embedded database and the development keys of this process at intervals, which go on over restarts. A
 * failed backup is in the log and in the metrics, and ends nothing else.
 */
export class Backups {
  readonly #settings: BackupSettings;
  readonly #folder: BackupFolder;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(settings: BackupSettings) {
    this.#settings = settings;
    this.#folder = new BackupFolder(settings.backupDir);
  }

  /** Begins with the first backup when it is due, which is at once without an earlier one. */
  start(): void {
    backupMade.publish({ since: new Date(), everyMs: this.#settings.everyMs });
    this.#runAfter(0);
  }

  /** Ends a backup under way, which then does not count. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#running;
    this.#folder.close();
  }

  #runAfter(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, ms).unref();
  }

  async #run(): Promise<void> {
    try {
      await this.#folder.open();
      const waitMs = await this.#untilDue();
      if (waitMs > 0) return this.#runAfter(waitMs);
      const at = new Date();
      await this.#make(at);
      this.#runAfter(Math.max(0, at.getTime() + this.#settings.everyMs - Date.now()));
    } catch (err) {
      if (this.#stopping.signal.aborted) return;
      const retryMs = Math.min(RETRY_MS, this.#settings.everyMs);
      backupFailed.publish({});
      logger.error({ err, retryMs }, 'A backup of the embedded database failed');
      this.#runAfter(retryMs);
    }
  }

  /** Milliseconds until the next backup is due. A backup of the future, by a clock that was wrong, does not count. */
  async #untilDue(): Promise<number> {
    const { everyMs } = this.#settings;
    const now = new Date();
    const [newest] = await this.#folder.list(now);
    if (!newest || newest > now) return 0;
    backupMade.publish({ since: newest, everyMs });
    return newest.getTime() + everyMs - now.getTime();
  }

  async #make(at: Date): Promise<void> {
    const { dataDir, everyMs, keyVariables = [] } = this.#settings;
    await this.#folder.add(at, (into) => copyData(dataDir, into, this.#stopping.signal));
    backupMade.publish({ since: at, everyMs });
    const folder = join(this.#folder.path, backupName(at));
    const withoutKeysOf = keyVariables.length ? { withoutKeysOf: keyVariables } : {};
    const ms = Date.now() - at.getTime();
    logger.info({ folder, ms, ...withoutKeysOf }, 'The embedded database is backed up');
  }
}
