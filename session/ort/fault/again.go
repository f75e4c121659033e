package fault

// Again tells whether loading the model a second time with graph optimizations
// disabled, and running it where the fault came from a run, is likely to name the
// node of the file. reason says what the first text lacks.
//
// A second text can also differ: the fault may be one of the optimization itself.
// Then both are worth telling.
func Again(found Finding) (worth bool, reason string) {
	f := found.Fault
	if f.Stage != Running && f.Stage != Initializing {
		return false, "" // the model was checked before anything was optimized
	}
	switch f.Kind {
	case Canceled, ProviderFailed, ExternalData, ConstantInvalid, FeedName, FeedType, FeedShape:
		return false, ""
	}
	switch {
	case !f.Node.known():
		return true, "the text names no node"
	case found.How == NotFound:
		return true, "the model has no such node"
	case found.How == ByChangeName:
		return true, "an optimization named the node"
	case len(found.Sites) == 1 && found.Sites[0].Node().OpType() != f.Node.Op:
		return true, "the node was joined with others"
	case found.How == ByOperator && f.Node.Name != "":
		return true, "the model has no node of that name"
	}
	return false, ""
}
