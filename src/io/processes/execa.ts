/** A separate file in dist/, loaded with the first program: a run without any starts faster. */
export { execa } from "execa";
