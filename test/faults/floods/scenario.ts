import type { TestServer } from '../../helpers/server.ts';

/**
 * One flood and somebody else's figure that it must not spoil. A file of this folder exports some as
 * `scenarios`; `node test/faults/floods.ts --only <name>` plays it on a server of its own, with the limits
 * that an operator has who set nothing.
 */
export interface FloodScenario<Prepared = unknown> {
  /** What floods and what is measured, in a few words; `--only` takes a part of it. */
  name: string;
  /** The flooded figure is at most so many times the idle one. */
  bound: number;
  /** Of the server, beside its defaults. */
  env?: Record<string, string>;
  /** Accounts, workspaces and flows, before anything is measured; the figures are given the result. */
  prepare?(server: TestServer): Promise<Prepared>;
  /** The figure without the flood: milliseconds, or whatever grows when it gets worse. */
  idle(server: TestServer, prepared: Prepared): Promise<number>;
  /** The same under the flood. What else must hold is thrown as an error when it does not. */
  flooded(server: TestServer, prepared: Prepared): Promise<number>;
}
