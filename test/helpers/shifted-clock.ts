/**
 * Loaded by `--import` before a process: shifts its wall clock by CLOCK_SHIFT_MS milliseconds. Monotonic clocks are left
 * as they are.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const now = (): number => RealDate.now() + shiftMs;
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
