import { operatorActions } from '../../../services/identity/contract/operations.ts';

test.each(Object.entries(operatorActions))(
  '%s is carried out once: a repeat over NATS would answer that there was nothing left to do',
  (_, contract) => {
    expect(contract).not.toHaveProperty('idempotent');
  },
);
