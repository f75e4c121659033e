// Package python runs scripts in the Python that the user works with, as children.
// A script tells what it does line by line, and ends when Lathe does.
package python
