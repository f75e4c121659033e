// Package stepwise compares a decoder with itself: all tokens at once, and the same tokens a few at a
// time with a cache. Both must give the same scores at every position. Most faults of caches show in
// this comparison, and it needs no second model.
//
// # How it works
//
// setup.go takes from the roles of the inputs (package graphops/roles) which of them depend on the
// position, and which are caches. An input whose role is not known and whose size depends on the
// tokens cannot be fed: then nothing is compared, and the report says which input it is. feeds.go makes
// the inputs of a run over positions p to p+n, and walk.go runs the model over them and feeds each
// present back as the past. compare.go compares rows of outputs, the new positions in caches and the
// old ones, which a run must not change.
//
// # Tolerance
//
// A difference is allowed up to the tolerance of the coarsest type in which the model computes. If it is
// larger, the model's own rounding is measured: all tokens at once in a copy that rounds differently
// (package graphops/perturb), and in runs with fewer tokens if the model quantizes while it runs.
// A difference may be a few times as large. The report says where the tolerance comes from.
//
// # Kinds of faults
//
// kind.go names the kind of a fault only if an experiment shows it, such as a run with other
// positions, in which the difference is gone. Otherwise the kind is unknown.
package stepwise
