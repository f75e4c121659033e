// Package aside computes something on another core while the caller goes on. A panic stays with the
// caller: it is raised where the result is asked for, so that whatever contains the caller's panics
// contains this one too.
package aside
