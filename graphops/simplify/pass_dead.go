package simplify

var deadCode = &pass{
	name:   "dead-code",
	title:  "nodes that nothing needs are removed",
	reason: "no operator does anything but make its outputs",
	model: func(j *job) error {
		if gone := j.m.Sweep(); gone > 0 {
			j.did(counted(gone, "node", "nodes") + " whose outputs nothing reads")
		}
		return nil
	},
}
