/** What counts as white space in texts of people: the same in every language, unlike `\s`. */
export const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
