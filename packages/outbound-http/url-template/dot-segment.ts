/** Tells whether the URL parser takes a segment of a path for `.` or `..`, which encoded dots are as well. */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);
