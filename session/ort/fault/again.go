package fault

// Again reports whether a second attempt without graph optimizations is likely to show which node
// of the file is at fault. The attempt loads the model and, if the fault came from a run, also runs
// it. reason says why the first error text does not show that node.
//
// The second attempt may succeed, or fail with a different error, if the optimization itself caused
// the first error. In that case both results are worth showing.
func Again(found Finding) (worth bool, reason string) {
	f := found.Fault
	if f.Stage != Running && f.Stage != Initializing {
		return false, "" // the fault was found before anything was optimized
	}
	switch f.Kind {
	case Canceled, ProviderFailed, ExternalData, ConstantInvalid, FeedName, FeedType, FeedShape:
		return false, ""
	}
	switch {
	case !f.Node.known():
		return true, "the error text names no node"
	case found.How == NotFound:
		return true, "the model does not have the node that the error text names"
	case found.How == ByChangeName:
		return true, "the node in the error text was created by an optimization"
	case len(found.Sites) == 1 && found.Sites[0].Node().OpType() != f.Node.Op:
		return true, "the node in the error text was fused from several nodes"
	case found.How == ByOperator && f.Node.Name != "":
		return true, "the model has no node with the name in the error text"
	}
	return false, ""
}
