import { systemChange } from '../../../mixins/changes/change-context.ts';
import { auditMessage, outboxOf } from '../../../mixins/changes/outbox.ts';

const change = systemChange('test', 'test.change', { resource: 'box' });
const resource = { id: 1, workspaceId: 2 };

describe('the outbox of a change', () => {
  it('has ids in the order of its entries, also for changes of one millisecond', () => {
    const at = new Date();
    const messages = [{ event: 'box.changed', delivery: 'one', payload: {} }] as const;
    const ids = Array.from({ length: 500 }, () =>
      outboxOf(change, resource, { at, messages }).map(({ id }) => id),
    ).flat();
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(1_000);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('records an earlier change before the change', () => {
    const earlier = { ...change, operation: 'test.earlier' };
    const messages = auditMessage(earlier, resource, []);
    const entries = outboxOf(change, resource, { at: new Date(), messages });
    const operations = entries.map((entry) => 'call' in entry && entry.params);
    expect(operations).toMatchObject([{ operation: 'test.earlier' }, { operation: 'test.change' }]);
  });
});
