import { Registry } from 'prom-client';
import { NotFound, Problem } from '../../../contract/problem.ts';
import { Carrier } from '../../../mixins/changes/carrier.ts';
import { outboxEntryOf } from '../../../mixins/changes/outbox.ts';
import { RefusedEntries } from '../../../mixins/changes/refused-entries.ts';
import { IssueModel } from '../../../models/issue.model.ts';
import { issues } from '../../../services/issues/issues.store.ts';
import { countOutboxes } from '../../../telemetry/outbox-metrics.ts';
import { useDatabase } from '../../helpers/database.ts';

useDatabase([IssueModel]);

test('late entries of outboxes are told by their age, and refused ones are counted', async () => {
  const registry = new Registry();
  countOutboxes([registry]);
  let now = 0;
  let refuses = true;
  const logger = { error: () => undefined, warn: () => undefined };
  const broker = {
    logger,
    call: async () => {
      if (refuses) throw new Problem(NotFound, 'an entry that no version takes');
    },
  } as unknown as ConstructorParameters<typeof Carrier>[0];
  const carrier = new Carrier(broker, 'issues', issues, new RefusedEntries(logger, () => now));
  const entry = { call: 'workspaces.recordAudit', params: {} };
  const at = new Date(Date.now() - 100_000);
  const outbox = [outboxEntryOf(entry, at)];
  await IssueModel.collection.insertOne({ _id: 1, outbox } as never);

  await carrier.sweep();
  const [, age] =
    /^outbox_age_seconds\{collection="issues"\} (\S+)$/m.exec(await registry.metrics()) ?? [];
  expect(Number(age)).toBeGreaterThanOrEqual(100);
  expect(Number(age)).toBeLessThan(200);
  expect(await registry.metrics()).toMatch(
    /^outbox_refusals_total\{action="workspaces.recordAudit"\} 1$/m,
  );
  refuses = false;
  now = 600_000; // beyond the delay of a refused entry
  await carrier.sweep();
  await carrier.sweep();
  expect(await registry.metrics()).toMatch(/^outbox_age_seconds\{collection="issues"\} 0$/m);
});
