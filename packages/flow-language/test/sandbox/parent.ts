/** A process with one child at rest, for the test that kills it. */
import { createSandbox } from '../../sandbox/sandbox.ts';
import { scope, whole } from './request.ts';

await createSandbox().evaluate({ template: whole('1'), ...scope() });
process.stdout.write('ready\n');
setInterval(() => undefined, 1000);
