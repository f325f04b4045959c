import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(4_096);

/** A file system of its own in memory, which a test can fill. Only root may make one: `SmallDisk.mount` is then null. */
export class SmallDisk {
  readonly folder: string;
  readonly #ballast: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = join(folder, 'ballast');
  }

  static mount(mebibytes: number): SmallDisk | null {
    const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
    const { status } = spawnSync('mount', [
      ...['-t', 'tmpfs', '-o', `size=${mebibytes}m`],
      ...['tmpfs', folder],
    ]);
    if (status === 0) return new SmallDisk(folder);
    rmdirSync(folder);
    return null;
  }

  /** Writes until no byte is left. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (;;) writeSync(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Makes room again. */
  free(): void {
    rmSync(this.#ballast);
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }
}
