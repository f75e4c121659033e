// Package trust decides what a recipe may do without being asked about.
//
// A recipe is code: its steps can run a shell, start programs, run Python, load native libraries, and
// write and replace files. What a step would do follows from its options, see session.Option.Deeds. A
// recipe may read files, compute, and write new files in its own folder. Anything else needs consent:
// the answer to a question, the flag --trust, or a record that this program wrote the recipe itself.
//
// Consent covers what was listed. The steps run within limits (package permit), so that what an
// option does without saying so is refused.
package trust
