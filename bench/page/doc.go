// Package page writes results as one document: a self-contained HTML page, Markdown, or
// comma-separated values.
//
// The content is built once, as sections with facts, tables and figures (Report), and then written
// in the requested format. A figure is an SVG whose colours are variables of the page's style, so
// that it follows the reader's light or dark mode. All that a figure shows is in a table as well,
// so no information depends on shape or colour alone. The page loads no other files and runs no
// scripts, and its content security policy enforces this.
//
// Every name in a result is untrusted text. Characters that control a terminal or change the
// writing direction are removed when the sections are built, and each format quotes names as it
// needs.
package page
