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

test('a job does not pay for sending the result of the job before', async () => {
  const child = spawnChild(CHILD_HEAP_MB);
  const done: Extract<Report, { kind: 'done' }>[] = [];
  child.on('message', (report: Report) => {
    if (report.kind === 'done') done.push(report);
  });
  child.send(realmSource());
  const large = evaluationJson(
    { kind: 'evaluate', template: whole('$pad("", 900000, "\u0001")'), ...scope() },
    {},
  );
  for (const [n, text] of [large, json].entries()) {
    child.send({ ...job, json: text });
    while (done.length === n) await once(child, 'message');
  }
  const [first, second] = done;
  expect(second?.fromCpuMs).toBeGreaterThan(first?.cpuMs ?? Number.NaN);
  expect(second?.cpuMs).toBeGreaterThan(second?.fromCpuMs ?? Number.NaN);
  child.kill();
});

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
