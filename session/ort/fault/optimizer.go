package fault

import "lathe/graphops"

// MayBeOptimizer reports whether a graph optimization can be the cause of a fault. It cannot be
// of one that is about the file, the options or what a run was given.
func MayBeOptimizer(f Fault) bool {
	switch f.Kind {
	case Canceled, ProviderFailed, ExternalData, FileMissing, NotAModel, IRUnsupported, OpsetUnsupported, LocaleMissing, FeedName, FeedType, FeedShape:
		return false
	}
	return true
}

// BlamesOptimizer reports whether the hint says already which optimization is the cause.
func (f Finding) BlamesOptimizer() bool {
	e := explainer{&f}
	return f.Fault.Kind == TypeRefused && e.madeOfPairs()
}

// OfOptimizer is the finding if the model loads and runs without graph optimizations. What the
// runtime's words say is wrong is then wrong with what the optimizations made of the model, so
// the node is all that is kept.
func (f Finding) OfOptimizer() Finding {
	f.Fault.Kind, f.Fault.Value = OptimizerFailed, ""
	f.Value, f.ValuePlace = "", (*graphops.Place)(nil)
	explain(&f)
	return f
}

// At is the finding at a node that was searched for.
func (f Finding) At(s Site) Finding {
	f.Sites, f.How, f.Operands = []Site{s}, BySearch, operandsOf(s)
	explain(&f)
	return f
}
