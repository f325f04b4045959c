import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { evaluationJson } from '../../sandbox/evaluation-json.ts';
import { CHILD_HEAP_MB, SPARE_REALM_AFTER_MS } from '../../sandbox/limits.ts';
import type { Report } from '../../sandbox/protocol.ts';
import { realmSource } from '../../sandbox/realm-source.ts';
import { spawnChild } from '../../sandbox/spawn.ts';
import { CONTEXT, scope, whole } from './request.ts';

const json = evaluationJson({ kind: 'evaluate', template: whole('1'), ...scope() }, {});
const job = { kind: 'evaluation', tenant: CONTEXT.tenant, json };

test('a child that rests reports a realm that it makes ahead, and nothing else', async () => {
  const child = spawnChild(CHILD_HEAP_MB);
  const reports: Report['kind'][] = [];
  child.on('message', ({ kind }: Report) => reports.push(kind));
  const untilReported = async (kind: Report['kind']) => {
    while (reports.at(-1) !== kind) await once(child, 'message');
  };
  await untilReported('ready');
  child.send(realmSource());
  for (const after of ['ready', 'done'] as const) {
    reports.length = 0;
    child.send(job);
    await untilReported('done');
    if (after === 'ready') await untilReported('ready');
  }
  await sleep(20 * SPARE_REALM_AFTER_MS);
  expect(reports).toEqual(['done']);
  child.kill();
});
