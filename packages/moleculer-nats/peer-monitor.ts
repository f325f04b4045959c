import { fingerprintOf } from './fingerprints.ts';

/** Milliseconds between two sweeps. A call that is answered within one is never asked about. */
const SWEEP_INTERVAL_MS = 200;
/**
 * Consecutive probes without a subscriber after which a peer counts as gone: 600 ms at least, in which a
 * live process that has lost its connection has made another one.
 */
const MISSES_UNTIL_GONE = 4;
/** Milliseconds after a connection was made. Within them a peer may still be reconnecting to nats-server. */
const RECONNECT_GRACE_MS = 2_500;
/** Consecutive sweeps that find no holder of an item until the item is lost: a response may be on its way. */
const SWEEPS_UNTIL_LOST = 2;
/** Sweeps after which the holder of an item is asked again whether it still has the item. */
const SWEEPS_UNTIL_ASKED_AGAIN = 5;
/** Items that one probe names. Beyond them items wait for a later sweep. */
export const MAX_ITEMS = 2_000;

/** What one node asks another: which of the items, named by fingerprint, the other has in progress. */
export interface ProbeQuestion {
  asker: string;
  items: string[];
}

export interface ProbeAnswer {
  node: string;
  held: string[];
  missing: string[];
}

/** An item that another process has in progress: a call or a stream. */
export interface RemoteItem {
  /** The nodes that may have the item now. */
  candidates(): Iterable<string>;
  /** Called once when no live process has the item. */
  onLost(): void;
}

/** The part of the connection that the monitor uses. */
export interface ProbeConnection {
  /** The time by `performance.now()` since which there is a connection; undefined without one. */
  upSince(): number | undefined;
  /** Whether the node answers probes; nodes of earlier versions do not. */
  isProbeable(node: string): boolean;
  /** Sends a question. Without a subscriber, `onNoResponders` is called with the probe's id. */
  ask(node: string, items: string[], probeId: string): void;
}

interface MonitoredItem {
  item: RemoteItem;
  fingerprint: string;
  candidates: Set<string>;
  /** Nodes that have answered that they do not have the item. */
  excluded: Set<string>;
  holder: string | undefined;
  sweepsWithoutHolder: number;
}

/**
 * Finds items that were lost with a process. nats-server reports a probe without a subscriber, so that a
 * frozen process, whose connection lives, is never taken for a dead one.
 */
export class PeerMonitor {
  readonly #connection: ProbeConnection;
  readonly #items = new Map<string, MonitoredItem>();
  readonly #byFingerprint = new Map<string, MonitoredItem>();
  /** Consecutive probes without a subscriber, by node. */
  readonly #misses = new Map<string, number>();
  /** The nodes asked by this sweep's probes and by those of the sweep before, by probe id. */
  #probes = new Map<string, string>();
  #probesBefore = new Map<string, string>();
  readonly #beforeSweep: () => void;
  #serial = 0;
  #sweeps = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param beforeSweep is called before each sweep and may monitor and forget items */
  constructor(connection: ProbeConnection, beforeSweep: () => void = () => undefined) {
    this.#connection = connection;
    this.#beforeSweep = beforeSweep;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Forgets what a lost connection has taught: holders may have changed meanwhile. */
  reset(): void {
    this.#misses.clear();
    this.#probes = new Map();
    for (const monitored of this.#items.values()) {
      monitored.sweepsWithoutHolder = 0;
      monitored.excluded.clear();
    }
  }

  monitor(id: string, item: RemoteItem): void {
    const monitored: MonitoredItem = {
      item,
      fingerprint: fingerprintOf(id),
      candidates: new Set(),
      excluded: new Set(),
      holder: undefined,
      sweepsWithoutHolder: 0,
    };
    this.#items.set(id, monitored);
    this.#byFingerprint.set(monitored.fingerprint, monitored);
  }

  has(id: string): boolean {
    return this.#items.has(id);
  }

  forget(id: string): void {
    const monitored = this.#items.get(id);
    if (!monitored) return;
    this.#items.delete(id);
    this.#byFingerprint.delete(monitored.fingerprint);
  }

  /** The probe had no subscriber. False when the id is no probe's. */
  onNoResponders(probeId: string): boolean {
    const node = this.#probes.get(probeId) ?? this.#probesBefore.get(probeId);
    if (node === undefined) return false;
    this.#misses.set(node, (this.#misses.get(node) ?? 0) + 1);
    return true;
  }

  onAnswer({ node, held, missing }: ProbeAnswer): void {
    this.#misses.delete(node);
    for (const monitored of this.#itemsAskedOf(node, held)) monitored.holder = node;
    for (const monitored of this.#itemsAskedOf(node, missing)) {
      monitored.excluded.add(node);
      if (monitored.holder === node) monitored.holder = undefined;
    }
  }

  /** The items that the node may have. A node that was not asked for an item has no say. */
  #itemsAskedOf(node: string, fingerprints: readonly string[]): MonitoredItem[] {
    return fingerprints
      .map((fingerprint) => this.#byFingerprint.get(fingerprint))
      .filter((monitored) => monitored !== undefined)
      .filter(({ candidates }) => candidates.has(node));
  }

  #sweep(): void {
    const upSince = this.#connection.upSince();
    if (upSince === undefined) return;
    this.#beforeSweep();
    const isReconnecting = performance.now() - upSince < RECONNECT_GRACE_MS;
    if (isReconnecting) this.#misses.clear();
    const asksHolders = ++this.#sweeps % SWEEPS_UNTIL_ASKED_AGAIN === 0;
    const questions = new Map<string, string[]>();
    for (const [id, monitored] of this.#items) {
      const nodes = possibleHolders(monitored);
      for (const node of nodes) {
        const items = questions.get(node) ?? [];
        questions.set(node, items);
        const isAsked = monitored.holder === undefined || asksHolders;
        if (isAsked && items.length < MAX_ITEMS) items.push(monitored.fingerprint);
      }
      this.#judge(id, monitored, nodes);
    }
    this.#ask(questions);
  }

  /** Reports the item as lost when none of its possible holders lives. */
  #judge(id: string, monitored: MonitoredItem, nodes: readonly string[]): void {
    const isGone = (node: string) => (this.#misses.get(node) ?? 0) >= MISSES_UNTIL_GONE;
    // Without any candidate nothing is known of the item.
    if (monitored.candidates.size === 0 || !nodes.every(isGone)) {
      monitored.sweepsWithoutHolder = 0;
      return;
    }
    if (++monitored.sweepsWithoutHolder < SWEEPS_UNTIL_LOST) return;
    this.forget(id);
    monitored.item.onLost();
  }

  #ask(questions: ReadonlyMap<string, string[]>): void {
    for (const node of this.#misses.keys()) if (!questions.has(node)) this.#misses.delete(node);
    this.#probesBefore = this.#probes;
    this.#probes = new Map();
    for (const [node, items] of questions) {
      if (!this.#connection.isProbeable(node)) continue;
      const probeId = `probe-${++this.#serial}`;
      this.#probes.set(probeId, node);
      this.#connection.ask(node, items, probeId);
    }
  }
}

/** The node that has the item, or the nodes that have not denied to have the item. */
function possibleHolders({ item, candidates, excluded, holder }: MonitoredItem): string[] {
  for (const node of item.candidates()) candidates.add(node);
  if (holder !== undefined) return [holder];
  return [...candidates].filter((node) => !excluded.has(node));
}
