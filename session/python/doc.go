// Package python runs scripts in the user's Python, as child processes. A script reports its
// progress and its result as lines of JSON on standard output. It ends when Lathe ends.
package python
