// Package journal keeps what a workbench was doing in a file, so that the next
// one can go on where a dropped line ended it, and the view of each model beside
// it.
//
// A folder holds, for each model file, HASH-ID.yaml and HASH-ID.lock for each
// workbench that works on it, and HASH.view.yaml; HASH is of the model's path. A
// workbench holds a lock on its lock file as long as its process lives, however
// that ends: a journal whose lock is free was left behind. The lock cannot be on
// the journal itself, because every write puts a new file in its place.
//
// What is left behind stays until a person takes it up or discards it, or, if the
// model is gone or the journal cannot be read, for four weeks; a year in any case.
// The content of these files is not trusted: keys that are not known, sizes beyond
// reason and wrong types are errors.
//
// # Replay
//
// A history is replayed, not stored: session.Session.Replay runs the steps that changed the
// model again, on the model as it was opened. In a replay they write no file.
package journal
