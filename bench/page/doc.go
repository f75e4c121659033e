// Package page makes of results one document: a page of HTML that stands by itself, Markdown,
// or a table of comma-separated values.
//
// What is shown is made once, as sections of facts, tables and figures (Report), and written
// in three ways. A figure is an SVG whose colours the page decides, so that it follows the
// reader's light or dark; whatever a figure shows stands in a table beside it too, so nothing
// is told by shape or colour alone. The page loads nothing and runs nothing, and says so in a
// policy that browsers hold it to.
//
// Every name in a result is text that someone chose: it is cleaned of what would steer a
// terminal or turn the direction of writing when sections are made, and quoted as each format
// needs when they are written.
package page
