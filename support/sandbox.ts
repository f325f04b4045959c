import { createSandbox, type Sandbox, type SandboxLoad } from '@workspace-automation/flow-language';

const pools = new Map<'files' | 'runs', Sandbox>();

function pool(of: 'files' | 'runs'): Sandbox {
  const known = pools.get(of);
  if (known) return known;
  // Nobody evaluates expressions among the files.
  const made = createSandbox(of === 'files' ? { keptForQuick: 0 } : {});
  pools.set(of, made);
  return made;
}

/** Where this process evaluates what running flows need: one pool of children, made when first asked for. */
export const sandbox = (): Sandbox => pool('runs');

/**
 * Where it checks the files and inputs that people send: a pool of its own, so that what takes long to
 * check holds up no run.
 */
export const fileSandbox = (): Sandbox => pool('files');

/** How full each pool is. */
export const sandboxLoads = (): (SandboxLoad & { pool: string })[] =>
  [...pools].map(([of, made]) => ({ pool: of, ...made.load() }));

/** Ends the children at once. For the process that stops, after its services have. */
export function closeSandbox(): void {
  for (const made of pools.values()) made.close();
  pools.clear();
}
