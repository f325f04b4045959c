/** The text of a Mermaid flowchart. Labels may have any characters: those that Mermaid could read as syntax are escaped. */

/** Edges of one chart, Mermaid's `maxEdges`. A chart with more is an error. */
const MAX_EDGES = 500;
/** Characters of one chart, Mermaid's `maxTextSize`. A longer text is not drawn. */
const MAX_CHARACTERS = 50_000;
/** Characters of one line of a label, as many as a task's name may have. The rest is cut: an expression may have thousands. */
const LONGEST_LINE = 64;

/** The characters that stand for themselves in a quoted label, wherever they are. */
const PLAIN = /[^\p{L}\p{N} _.,:=()+…-]/gu;

export type Shape = 'box' | 'round' | 'diamond' | 'point';

const BRACKETS: Record<Shape, readonly [string, string]> = {
  box: ['[', ']'],
  round: ['([', '])'],
  diamond: ['{', '}'],
  point: ['((', '))'],
};

/** Collects the lines of a flowchart. Node ids are numbers behind a letter, so that none is a word of Mermaid. */
export class MermaidText {
  readonly #lines = ['flowchart TD'];
  #nodes = 0;
  #edges = 0;
  #characters = 'flowchart TD'.length;
  #level = 1;

  /** Whether Mermaid draws the text with its default limits, which no text can change. */
  get isDrawable(): boolean {
    return this.#edges <= MAX_EDGES && this.#characters <= MAX_CHARACTERS;
  }

  /** Adds a node with a label of several lines. Returns its id. */
  addNode(shape: Shape, ...label: readonly string[]): string {
    const id = `n${this.#nodes++}`;
    const [open, close] = BRACKETS[shape];
    this.#add(`${id}${open}"${quoteLines(label)}"${close}`);
    return id;
  }

  addEdge(from: string, to: string, label?: string, style: '-->' | '-.->' = '-->'): void {
    this.#edges += 1;
    this.#add(`${from} ${style}${label ? `|"${quoteLines([label])}"|` : ''} ${to}`);
  }

  /** Adds a box around the nodes that `content` adds. */
  addGroup<T>(label: readonly string[], content: () => T): T {
    this.#add(`subgraph g${this.#nodes++}["${quoteLines(label)}"]`);
    this.#level += 1;
    const made = content();
    this.#level -= 1;
    this.#add('end');
    return made;
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #add(line: string): void {
    const indented = `${'  '.repeat(this.#level)}${line}`;
    this.#characters += indented.length + 1;
    this.#lines.push(indented);
  }
}

const quoteLines = (lines: readonly string[]): string =>
  lines
    .map(quoteLine)
    .filter((line) => line !== '')
    .join('<br/>') || ' ';

function quoteLine(line: string): string {
  const flat = line
    .slice(0, 10 * LONGEST_LINE)
    .replace(/\s+/g, ' ')
    .trim();
  const cut = flat.length > LONGEST_LINE ? `${flat.slice(0, LONGEST_LINE).toWellFormed()}…` : flat;
  return cut.replace(PLAIN, (character) => `#${character.codePointAt(0)};`);
}
