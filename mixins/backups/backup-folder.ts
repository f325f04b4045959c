import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderLock, lockFolder } from '@workspace-automation/embedded-mongo';

/** Whole backups that are kept, the newest. The folder of a further one is removed. */
export const MAX_BACKUPS = 7;
/** The beginning of the name of a folder that is no backup: one being made or removed, or left by a killed process. */
const PARTIAL = 'partial-';
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})Z$/;

/** The name of a backup: its time in ISO 8601, which sorts by time, without the colons that some file systems refuse. */
export const backupName = (at: Date): string => at.toISOString().replaceAll(':', '-');

/** The time of a backup; null for the name of anything else. */
export function backupTime(name: string): Date | null {
  const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
  const time = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/**
 * The folder of the backups of one system. A backup is filled under another name and renamed once it is whole, so that
 * a folder with the name of a time is whole, whenever the process ends.
 */
export class BackupFolder {
  readonly path: string;
  #lock: FolderLock | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Makes the folder private, and locks it until `close`. Two systems that used it would remove each other's backups.
   * Throws an Error of one line when the folder cannot be used, or another process uses it.
   */
  async open(): Promise<void> {
    this.#lock ??= lockFolder(this.path);
    const names = await readdir(this.path);
    await Promise.all(
      names.filter((name) => name.startsWith(PARTIAL)).map((name) => this.#remove(name)),
    );
  }

  /**
   * The times of the whole backups, the newest first. A time after `now` was told by a wrong clock: such backups come
   * last, as if they were the oldest.
   */
  async list(now: Date): Promise<Date[]> {
    const entries = await readdir(this.path, { withFileTypes: true });
    const times = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => backupTime(name))
      .filter((time) => time !== null);
    return times.toSorted((a, b) => +(a > now) - +(b > now) || b.getTime() - a.getTime());
  }

  /**
   * Makes a backup by `fill`, which gets an empty folder and leaves it whole and on the disk. Then it removes backups
   * beyond `MAX_BACKUPS`. When `fill` rejects, nothing is left.
   */
  async add(at: Date, fill: (folder: string) => Promise<void>): Promise<void> {
    const name = backupName(at);
    const partial = join(this.path, `${PARTIAL}${name}`);
    try {
      await mkdir(partial, { mode: 0o700 });
      await fill(partial);
      await syncToDisk(partial);
      await rename(partial, join(this.path, name));
    } catch (error) {
      await this.#remove(`${PARTIAL}${name}`).catch(() => undefined); // the next `open` tries again
      throw error;
    }
    await syncToDisk(this.path);
    for (const time of (await this.list(at)).slice(MAX_BACKUPS)) {
      await this.#retire(backupName(time));
    }
  }

  close(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** Removes a whole backup, which loses its name first: half of a backup has no name of a backup. */
  async #retire(name: string): Promise<void> {
    const partial = `${PARTIAL}${name}`;
    await rename(join(this.path, name), join(this.path, partial));
    await this.#remove(partial);
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.path, name), { recursive: true, force: true });
  }
}

/** Waits until a file or the entries of a folder are on the disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
