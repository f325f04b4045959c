import { SIGNAL_NAME, SIGNAL_NAME_RULE } from '../names.ts';
import { readMatching, readPlainString } from '../scalars.ts';
import { type Advice, type Fields, hasKey, keys, readFields } from '../shape.ts';
import { type Node, stringOf } from '../tree.ts';
import type { Place } from './place.ts';
import type { Kind } from './task.ts';

const LISTEN_KEYS = keys({ optional: 'to', refused: 'read foreach any all until' });
const TO_KEYS = keys({ optional: 'one', refused: 'any all until' });
const ONE_KEYS = keys({ required: 'with', refused: 'correlate' });
const WITH_KEYS = keys({
  required: 'type',
  refused: 'id source time subject datacontenttype dataschema data',
});

const TO_ADVICE: Advice = { members: { one: { keys: keys({ optional: 'with' }) } } };
const ONE_ADVICE: Advice = { members: { with: { keys: keys({ optional: 'type' }) } } };

/** A signal without a name. The plan of a file with faults is never returned. */
const NO_SIGNAL = '';

/** Waits for a signal: the event of the DSL with this type, posted to the run (DSL 1.0.0, listen). */
export const LISTEN: Kind = {
  keys: keys({ required: 'listen', refused: 'foreach' }),
  hasForm: (node) => hasKey(node, 'to'),
  read(fields, place) {
    const { context } = place;
    const listen = fields.read('listen', (node) =>
      readFields(node, '"listen"', LISTEN_KEYS, context, adviceFor(node)),
    );
    if (listen) checkTo(listen, place);
    const to = listen?.read('to', (node) =>
      readFields(node, '"listen.to"', TO_KEYS, context, TO_ADVICE),
    );
    if (to) checkTarget(to, place);
    const one = to?.read('one', (node) =>
      readFields(node, '"listen.to.one"', ONE_KEYS, context, ONE_ADVICE),
    );
    const event = one?.read('with', (node) =>
      readFields(node, '"listen.to.one.with"', WITH_KEYS, context),
    );
    const signal = event?.read('type', (node) => readSignal(node, place));
    return { kind: 'listen', signal: signal ?? NO_SIGNAL };
  },
};

/** Returns the advice for a `listen` in another form, with its text as the name of the signal. */
function adviceFor(node: Node): Advice {
  const given = stringOf(node) ?? '';
  const signal = SIGNAL_NAME.test(given) ? given : 'approved';
  return {
    form: `{ to: { one: { with: { type: ${signal} } } } }`,
    members: { to: { keys: keys({ optional: 'one' }) } },
  };
}

/** Reports a `listen` without `to`, unless another keyword that stands for it has its fault already. */
function checkTo({ node }: Fields, { context }: Place): void {
  if (['to', 'one', 'any', 'all', 'until'].some((key) => node.entries.has(key))) return;
  if ([...node.entries.keys()].some((key) => !LISTEN_KEYS.has(key))) return;
  const message =
    '"to" is missing in "listen"; write to: { one: { with: { type: <name of a signal> } } }.';
  context.fault(node, 'MISSING_KEY', message);
}

/** Reports an empty `to`. A refused or unknown key has its fault already. */
function checkTarget(to: Fields, { context }: Place): void {
  if (to.node.entries.size > 0) return;
  const message =
    '"one" is missing in "listen.to"; write one: { with: { type: <name of a signal> } }.';
  context.fault(to.node, 'MISSING_KEY', message);
}

function readSignal(node: Node, { context }: Place): string {
  const what = '"listen.to.one.with.type"';
  if (stringOf(node)?.includes('${')) return readPlainString(node, what, context);
  return readMatching(
    node,
    what,
    SIGNAL_NAME,
    `the name of a signal, ${SIGNAL_NAME_RULE}`,
    context,
  );
}
