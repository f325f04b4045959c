/** The representation of a user who was deleted. Resources keep the id of such a user. */
export const deletedUser = (id: number) => ({
  id,
  email: '',
  firstName: 'Deleted',
  lastName: 'User',
});

/** The name of an actor who was deleted. The actor keeps type and id. */
export const DELETED_ACTOR_NAME = 'Deleted User';
