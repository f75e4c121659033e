// Package durable writes files whole or not at all, and never over a file by mistake.
//
// At any time a path has either the complete old content or the complete new content. A file is
// written under a temporary name beside the target, synced, and renamed ([WriteFile]). Several files
// that are of use only together, such as a model and its data, are replaced in one step ([Group]).
// Another file is replaced only if the caller allows it.
//
// A temporary file is locked while it is in use. If a process is killed while it writes, the next
// write into the same folder finds its temporary files without a lock and removes them
// ([RemoveStale]). Which files of a Group are then superfluous is known only to a package that can
// read them. It gives its judge to the writer ([Options.IsOrphan]). Other processes can lock files
// for the same purpose ([Lock]).
//
// Errors say what the user can do about a full disk, a quota, a limit or missing rights
// (explain.go).
package durable
