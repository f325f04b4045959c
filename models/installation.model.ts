import { defineModel, field } from './define-model.ts';

/** What tells this database from the databases of other installations: one document. */
const fields = {
  _id: field.number,
  /** 12 characters of base32, made at random at the first start on the database. */
  name: field.string,
};

export const InstallationModel = defineModel({
  name: 'Installation',
  collection: 'installation',
  fields,
  lifecycle: {
    workspace: { keep: 'it names the database' },
    person: { keep: 'it names the database' },
  },
});
