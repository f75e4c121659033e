package fault

import "lathe/graphops"

// MayBeOptimizer reports whether a graph optimization may have caused the fault. It returns false
// if the fault is in the file, the options or the inputs of a run.
func MayBeOptimizer(f Fault) bool {
	switch f.Kind {
	case Canceled, ProviderFailed, ExternalData, FileMissing, NotAModel, IRUnsupported, OpsetUnsupported, LocaleMissing, FeedName, FeedType, FeedShape:
		return false
	}
	return true
}

// BlamesOptimizer reports whether the hint already names the optimization that is the cause.
func (f Finding) BlamesOptimizer() bool {
	e := explainer{&f}
	return f.Fault.Kind == TypeRefused && e.madeOfPairs()
}

// OfOptimizer returns the finding for a model that loads and runs without graph optimizations. In
// that case the runtime's text describes a fault of the optimized graph and not of the model. The
// result keeps the node, and its kind is OptimizerFailed.
func (f Finding) OfOptimizer() Finding {
	f.Fault.Kind, f.Fault.Value = OptimizerFailed, ""
	f.Value, f.ValuePlace = "", (*graphops.Place)(nil)
	explain(&f)
	return f
}

// At returns the finding with s as its only site, for a node that Bisect found.
func (f Finding) At(s Site) Finding {
	f.Sites, f.How, f.Operands = []Site{s}, BySearch, operandsOf(s)
	explain(&f)
	return f
}
