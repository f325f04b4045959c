import { type ActionContract, assertAudited } from '../../../contract/contract.ts';
import { implementWith } from '../../../contract/contract-types.ts';

const contract: ActionContract = { summary: '', access: { who: 'person' }, result: null };

test.each(['POST', 'PUT', 'DELETE'] as const)('%s without `audit` is refused', (method) => {
  const action: ActionContract = { ...contract, route: `${method} /boxes` };
  expect(() => assertAudited('boxes.write', action)).toThrow('boxes.write');
  expect(() => assertAudited('boxes.write', { ...action, audit: { none: 'x' } })).not.toThrow();
});

test('what only reads, or has no route, needs none', () => {
  expect(() => assertAudited('boxes.get', { ...contract, route: 'GET /boxes' })).not.toThrow();
  expect(() => assertAudited('boxes.inner', contract)).not.toThrow();
});

test('a service with such an action is not made', () => {
  const boxes = {
    name: 'boxes',
    description: '',
    actions: { add: { ...contract, route: 'POST /b' } },
  };
  expect(() => implementWith()(boxes as never, { add: () => null } as never)).toThrow('boxes.add');
});
