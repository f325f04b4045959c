/** The representation of a user who was deleted. Resources keep the id of such a user. */
export const deletedUser = (id: number) => ({
  id,
  email: '',
  firstName: 'Deleted',
  lastName: 'User',
});
