/** A file of its own in dist/, read with the first program: a run without any starts faster. */
export { execa } from "execa";
