import { createSandbox, type Sandbox, type SandboxLoad } from '@workspace-automation/flow-language';

const pools = new Map<'files' | 'runs', Sandbox>();

function pool(of: 'files' | 'runs'): Sandbox {
  const known = pools.get(of);
  if (known) return known;
  // In the pool of files, expressions wait in one queue with the checks (`fair-shares/file-check-queue.ts`).
  const made = createSandbox(of === 'files' ? { keptForQuick: 0 } : {});
  pools.set(of, made);
  return made;
}

/** The pool of children that evaluates expressions of runs. The first call makes the pool. */
export const sandbox = (): Sandbox => pool('runs');

/**
 * The pool of children that checks files and inputs of requests, and evaluates their expressions. A pool separate from the runs' pool lets no run wait
 * for a long check.
 */
export const fileSandbox = (): Sandbox => pool('files');

/**
 * Starts a child of each pool, so that the first runs do not wait for one. Where none can be started, the first job tries
 * again and says why.
 */
export async function warmSandboxes(): Promise<void> {
  const compile = (of: Sandbox) => of.compile('do: []', { tenant: 'process' });
  await Promise.allSettled([fileSandbox(), sandbox()].map(compile));
}

/** The load of each pool. */
export const sandboxLoads = (): (SandboxLoad & { pool: string })[] =>
  [...pools].map(([of, made]) => ({ pool: of, ...made.load() }));

/** Ends the children of all pools at once. A stopping process calls this after its services have stopped. */
export function closeSandbox(): void {
  for (const made of pools.values()) made.close();
  pools.clear();
}
