import { type ActionContract, action, type Method } from '../../../../contract/contract.ts';
import { locationOf, locationPathOf } from '../../../../mixins/gateway/routing/location.ts';

const route = (text: string, contract: Partial<ActionContract> = {}) => {
  const [method, path] = text.split(' ') as [Method, string];
  const whole = action({
    summary: '',
    access: { who: 'person' },
    audit: { none: 'a test' },
    result: null,
    ...contract,
  });
  return { action: text, contract: whole, method, path, location: null };
};
const created: Partial<ActionContract> = { status: 201 };
const routes = [
  route('GET /boxes'),
  route('GET /boxes/:boxId'),
  route('DELETE /crates/:crateId'),
  route('GET /boxes/:boxId/items/:itemId'),
];

describe('the path at which what was created can be read', () => {
  it.each([
    ['POST /boxes', created, '/boxes/:boxId'],
    ['POST /boxes/:boxId/items', created, '/boxes/:boxId/items/:itemId'],
    ['POST /boxes', {}, null],
    ['POST /crates', created, null],
    ['POST /boxes/import', created, null],
    ['POST /boxes/import', { ...created, createdIn: '/boxes' as const }, '/boxes/:boxId'],
  ])('of %s %j is %s', (text, contract, path) => {
    expect(locationPathOf(route(text, contract), routes)).toBe(path);
  });

  it('has to be there when the contract names its collection', () => {
    const wrong = route('POST /boxes/import', { ...created, createdIn: '/crates' });
    expect(() => locationPathOf(wrong, routes)).toThrow(/no GET/);
  });
});

test('the address takes the values of the path as they were sent, and last the id', () => {
  const post = route('POST /boxes/:boxId/items', created);
  const address = locationOf('/boxes/:boxId/items/:itemId', post, ['boxes', '7', 'items'], {
    id: 9,
  });
  expect(address).toBe('/boxes/7/items/9');
});
