import { parser } from '@prometheus-io/lezer-promql';

/** A metric of an expression, with the labels that its selector compares. */
export interface Selector {
  metric: string;
  labels: string[];
}
/** What an expression uses. */
export interface Usage {
  selectors: Selector[];
  /** The labels by which the expression groups or matches. */
  grouping: string[];
  /** The texts that are no PromQL. */
  errors: string[];
}

/** Parses an expression by Prometheus' own grammar. */
export function usageOf(expression: string): Usage {
  const usage: Usage = { selectors: [], grouping: [], errors: [] };
  parser.parse(expression).iterate({
    enter({ name, type, from, to, node }) {
      const text = expression.slice(from, to);
      if (type.isError) usage.errors.push(`${from}: ${text}`);
      if (name === 'VectorSelector') usage.selectors.push({ metric: '', labels: [] });
      const selector = usage.selectors.at(-1);
      if (name === 'Identifier' && selector && node.parent?.name === 'VectorSelector') {
        selector.metric = text;
      }
      if (name !== 'LabelName') return;
      if (node.parent?.name === 'GroupingLabels') usage.grouping.push(text);
      else selector?.labels.push(text);
    },
  });
  return usage;
}
