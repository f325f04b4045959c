export const workspaceExample = { id: 17, name: 'Analytical Engines' };

export const adaExample = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
