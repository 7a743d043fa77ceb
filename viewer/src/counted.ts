/** "1 body", "3 bodies": a number with the word for what it counts; `many` is `one` with an s where it is left out. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
