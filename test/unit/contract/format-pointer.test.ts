import { formatPointer } from '../../../contract/format-pointer.ts';

test.each([
  ['', ''],
  ['/a/0/b', '.a.0.b'],
  ['/b.x', '["b.x"]'],
  ['/b/x', '.b.x'],
  ['/a~1b~0c/d', '.a/b~c.d'],
  ['/a~01', '.a~1'],
  ['/', '[""]'],
  ['/a"]/b', '["a\\"]"].b'],
])('the pointer %j is shown as field%s', (pointer, shown) => {
  expect(formatPointer(pointer)).toBe(shown);
});
