// Package journal records what a workbench is doing in a file. If the connection or the process
// dies, the next workbench can continue from there. It also keeps the view of each model.
//
// The folder has three kinds of files. HASH is a hash of the model's path.
//
//   - HASH-ID.yaml is the journal of one workbench that works on the model.
//   - HASH-ID.lock is its lock file. The workbench holds a lock on it as long as its process lives,
//     however the process ends. So a journal that is not locked was left behind. The lock cannot be on
//     the journal itself, because every write replaces that file.
//   - HASH.view.yaml is the view of the model.
//
// A journal that was left behind stays until a person continues or discards it, but at most a year.
// If its model is gone or the journal cannot be read, it stays for four weeks. The content of these
// files is not trusted: unknown keys, excessive sizes and wrong types are errors.
//
// # Replay
//
// A journal has the history of steps, and no models. session.Session.Replay runs the steps that
// changed the model again, on the model as it was opened. They write no files then.
package journal
