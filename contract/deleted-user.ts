/** How somebody is shown who is no longer there: what they were part of keeps their id. */
export const deletedUser = (id: number) => ({
  id,
  email: '',
  firstName: 'Deleted',
  lastName: 'User',
});
