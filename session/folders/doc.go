// Package folders has what steps do with a folder whose models form one pipeline (package
// graphops/folder): show it, judge it, compare it with another one, change every model of it, and
// measure every model of it.
package folders
