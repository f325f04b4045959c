import { ascendingBy, descendingBy, newestFirst } from '../../../contract/page-order.ts';
import { cursorOf } from '../../../contract/pages.ts';

it('an ascending list goes on behind the number of its last row', () => {
  const { sort, conditionOf, cursorOf: ofRow } = ascendingBy('userId');
  expect(sort).toEqual({ userId: 1 });
  expect(conditionOf(undefined)).toEqual({ userId: { $gt: 0 } });
  expect(conditionOf(ofRow({ userId: 7 }))).toEqual({ userId: { $gt: 7 } });
});

it('a descending list goes on below the number of its last row', () => {
  const { sort, conditionOf, cursorOf: ofRow } = descendingBy('sequence');
  expect(sort).toEqual({ sequence: -1 });
  expect(conditionOf(undefined)).toEqual({});
  expect(conditionOf(ofRow({ sequence: 7 }))).toEqual({ sequence: { $lt: 7 } });
});

it('a list by time goes on behind the time and the id of its last row', () => {
  const createdAt = new Date(1_000);
  expect(newestFirst.sort).toEqual({ createdAt: -1, _id: -1 });
  expect(newestFirst.conditionOf(undefined)).toEqual({});
  expect(newestFirst.conditionOf(newestFirst.cursorOf({ createdAt, _id: 7 }))).toEqual({
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: 7 } }],
  });
});

it.each([ascendingBy('n'), descendingBy('n'), newestFirst])(
  'a cursor of another list is refused',
  ({ conditionOf }) => {
    expect(() => conditionOf(cursorOf('x'))).toThrow(expect.objectContaining({ code: 400 }));
  },
);
