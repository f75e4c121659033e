package simplify

import "fmt"

var deadCode = &pass{
	name:   "dead-code",
	title:  "nodes that nothing needs are removed",
	reason: "no operator does anything but make its outputs",
	model: func(j *job) error {
		if gone := j.m.Sweep(); gone > 0 {
			j.did(fmt.Sprintf("%d nodes whose outputs nothing reads", gone))
		}
		return nil
	},
}
