import fc from 'fast-check';
import { CpuLedger } from '../../../support/fair-shares/cpu-ledger.ts';

class Clock {
  now = 0;
  readonly read = () => this.now;
}

const ledgerOf = (charges: Record<string, number>, clock = new Clock()): CpuLedger => {
  const ledger = new CpuLedger(clock.read);
  for (const [owner, cpuMs] of Object.entries(charges)) ledger.charge(owner, cpuMs);
  return ledger;
};

test('over their share is who used more than one part of all, with a part for whoever comes next', () => {
  const ledger = ledgerOf({ heavy: 40_000, medium: 10_000, light: 600 });
  const over = ['heavy', 'medium', 'light', 'new'].filter((owner) => ledger.isOverShare(owner));
  expect(over).toEqual(['heavy']);
});

test('equals who use all there is go behind whoever is new', () => {
  const ledger = ledgerOf({ a: 5_000, b: 5_000, c: 5_000 });
  expect(['a', 'b', 'c', 'new'].map((owner) => ledger.isOverShare(owner))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('what is little is nobody’s fault, however little the others used', () => {
  expect(ledgerOf({ only: 400 }).isOverShare('only')).toBe(false);
});

test('levels double, so that equals are of one level and a little makes none', () => {
  const ledger = ledgerOf({ little: 500, some: 501, more: 1_000, most: 60_000 });
  const levels = ['new', 'little', 'some', 'more', 'most'].map((owner) => ledger.levelOf(owner));
  expect(levels).toEqual([0, 0, 1, 2, 7]);
});

test('after a minute it is forgotten', () => {
  const clock = new Clock();
  const ledger = ledgerOf({ heavy: 40_000 }, clock);
  clock.now = 54_999;
  expect([ledger.usedBy('heavy'), ledger.isOverShare('heavy')]).toEqual([40_000, true]);
  clock.now = 60_000;
  expect([ledger.usedBy('heavy'), ledger.isOverShare('heavy')]).toEqual([0, false]);
});

test('a million accounts cost no memory, and make nobody else forgotten soon', () => {
  const ledger = ledgerOf({ heavy: 60_000 });
  for (let n = 0; n < 5_000; n++) ledger.charge(`person:${n}`, 1);
  expect(ledger.isOverShare('heavy')).toBe(true);
  for (let n = 0; n < 20_000; n++) ledger.charge(`person:${n}`, 1);
  expect(ledger.usedBy('heavy')).toBe(0);
  expect(ledger.usedBy('person:19999')).toBe(1);
});

test('whatever is charged, it is the sum of the last minute, and who used least is not over', () => {
  const charge = fc.record({
    owner: fc.constantFrom('a', 'b', 'c'),
    cpuMs: fc.integer({ min: 0, max: 3_000 }),
    laterMs: fc.integer({ min: 0, max: 40_000 }),
  });
  fc.assert(
    fc.property(fc.array(charge, { maxLength: 60 }), (charges) => {
      const clock = new Clock();
      const ledger = new CpuLedger(clock.read);
      const all: { owner: string; cpuMs: number; at: number }[] = [];
      for (const { owner, cpuMs, laterMs } of charges) {
        clock.now += laterMs;
        ledger.charge(owner, cpuMs);
        all.push({ owner, cpuMs, at: clock.now });
        const bucket = Math.floor(clock.now / 5_000);
        const usedBy = (name: string) =>
          all
            .filter((one) => one.owner === name && Math.floor(one.at / 5_000) > bucket - 12)
            .reduce((sum, one) => sum + one.cpuMs, 0);
        const used = ['a', 'b', 'c'].map((name) => ({ name, ms: usedBy(name) }));
        for (const { name, ms } of used) expect(ledger.usedBy(name)).toBe(ms);
        const active = used.filter(({ ms }) => ms > 0).sort((x, y) => x.ms - y.ms);
        if (active.length < 2) continue;
        const total = active.reduce((sum, { ms }) => sum + ms, 0);
        for (const { name, ms } of active) {
          if (ms * 4 <= total) expect(ledger.isOverShare(name)).toBe(false);
          if (ms > 500 && ms * 3 > total * 2) expect(ledger.isOverShare(name)).toBe(true);
        }
      }
    }),
  );
});

test('who uses more than their share crowds nobody while alone', () => {
  const ledger = new CpuLedger(new Clock().read);
  ledger.charge('heavy', 5_000);
  expect([ledger.isOverShare('heavy'), ledger.isCrowding('heavy')]).toEqual([true, false]);
  ledger.charge('light', 5);
  expect([ledger.isCrowding('heavy'), ledger.isCrowding('light')]).toEqual([true, false]);
});

test('an owner above another one learns of the other’s charges of the last seconds', () => {
  const clock = new Clock();
  const ledger = ledgerOf({ heavy: 5_000 }, clock);
  const answers = () => ['heavy', 'light'].map((owner) => ledger.isLighterOwnerActive(owner));
  expect(answers()).toEqual([false, false]);
  ledger.charge('light', 5);
  expect(answers()).toEqual([true, false]);
  ledger.charge('heavy', 5);
  expect(answers()).toEqual([true, false]);
  clock.now = 5_001;
  ledger.charge('heavy', 5);
  expect(answers()).toEqual([false, false]);
});

test('an owner’s own charges at lower levels are no other owner’s', () => {
  const ledger = ledgerOf({ alone: 100 });
  for (let n = 0; n < 10; n++) ledger.charge('alone', 1_000);
  expect(ledger.isLighterOwnerActive('alone')).toBe(false);
});

test('owners of one level are not active before one another', () => {
  const ledger = ledgerOf({ a: 5_000, b: 5_000 });
  for (const owner of ['a', 'b', 'a', 'b']) ledger.charge(owner, 10);
  expect(['a', 'b'].map((owner) => ledger.isLighterOwnerActive(owner))).toEqual([false, false]);
});
