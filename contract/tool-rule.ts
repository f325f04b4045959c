import type { ActionContract } from './contract.ts';

/** The terms of an operation that models may call. Name, description, schemas and other hints follow from the contract. */
export interface ToolTerms {
  /** The title, where the summary of the contract would not do. */
  title?: string;
  /** A POST that changes nothing. A GET needs no mark. */
  reads?: true;
  /** A POST that reads nothing that is stored: its answer follows from its arguments alone. */
  pure?: true;
  /** Whether the call removes, ends or overwrites something. A DELETE and a PUT do, unless they say false. */
  destructive?: boolean;
  /** The call sends requests to other systems. */
  openWorld?: true;
  /** Only API keys are offered the tool: other callers have a twin of the operation. */
  keysOnly?: true;
}

/** Whether models may call the operation, on which terms, or the reason why not. Every action with a route has a rule. */
export type ToolRule = true | ToolTerms | { none: string };

const NO_TERMS: ToolTerms = {};

/** The terms on which models may call the operation; null for an operation that is no tool. */
export function toolTermsOf({ tool }: Pick<ActionContract, 'tool'>): ToolTerms | null {
  if (tool === undefined) return null;
  if (tool === true) return NO_TERMS;
  return 'none' in tool ? null : tool;
}

/** Whether the operation is a tool whose call changes nothing. */
export function isReadingTool(contract: Pick<ActionContract, 'route' | 'tool'>): boolean {
  const terms = toolTermsOf(contract);
  return (
    terms !== null &&
    (contract.route?.startsWith('GET ') === true || terms.reads === true || terms.pure === true)
  );
}

/**
 * Throws for a route without a rule, and for a tool that cannot be one: a reading one that the audit log records, one
 * whose answer has a secret, one without a caller, and one whose request or answer has another form than JSON or text.
 */
export function assertTool(name: string, contract: ActionContract): void {
  if (contract.route && !contract.tool) {
    throw new TypeError(`${name} does not say whether models may call it`);
  }
  if (!toolTermsOf(contract)) return;
  const [reason] = reasonsAgainst(contract);
  if (reason) throw new TypeError(`${name} cannot be a tool: ${reason}`);
}

function reasonsAgainst(contract: ActionContract): string[] {
  const { route, access, audit, shownOnce, format = 'json' } = contract;
  const reasons = {
    'it has no route': !route,
    'the audit log records it, so it does not only read':
      isReadingTool(contract) && audit !== undefined && 'resource' in audit,
    'its answer has a secret': shownOnce !== undefined,
    'it has no caller': access.who === 'public' || contract.developmentOnly,
    'its request has a form of its own':
      contract.receivedRequest ?? contract.protocol ?? contract.tokenInPath ?? contract.upload,
    [`its answer is ${format}`]: format === 'events' || format === 'html' || format === 'file',
  };
  return Object.keys(reasons).filter((reason) => reasons[reason as keyof typeof reasons]);
}
