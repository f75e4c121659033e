package failure

// ofExporter are failures that no other entry matches, so that only the stage is known.
var ofExporter = []entry{
	{
		id:      "decomposition",
		matches: isAt("decompose"),
		meaning: "the exporter failed while decomposing operators, which is a defect of the exporter",
		next: func(r raised) []Suggestion {
			return append([]Suggestion{flags("capture the graph in another way", "--strategy", "strict,legacy")}, r.upgraded("bring it up to date")...)
		},
	},
	{
		id:      "translation-defect",
		matches: isAt("translate"),
		meaning: "the exporter knows the operator but failed to translate it, which is often a defect of one version",
		next: func(r raised) []Suggestion {
			return append(r.upgraded("a newer exporter may translate it"), flags("use the old exporter", "--strategy", "legacy"))
		},
	},
}

// ofEnding are failures without an exception: the child process ended without a message, or the
// model does not run at all.
var ofEnding = []entry{
	{
		id:      "timeout",
		matches: func(r raised) (string, bool) { return "", r.raw.Timeout > 0 },
		meaning: "it did not finish in time",
		next: func(r raised) []Suggestion {
			return []Suggestion{flags("give it longer", "--timeout", (10 * r.raw.Timeout).String()), code("a smaller example is exported faster")}
		},
	},
	{
		id:      "ended",
		matches: endsBy("exit status "),
		meaning: "the interpreter ended before it answered: the model's code, or a package that it imports, calls os._exit or breaks the interpreter",
		next:    always(code("run the file by itself to see where it ends")),
	},
	{
		id:      "crashed",
		matches: endsBy("signal: segmentation fault", "signal: aborted", "signal: bus error", "signal: illegal instruction", "signal: floating point exception"),
		meaning: "native code of this Python crashed",
		next:    always(code("try without packages that the export does not need"), code("upgrade the package that crashes")),
	},
	{
		id:      "killed",
		matches: isAt("killed"),
		meaning: "the Python process was killed without a message, most likely because memory ran out",
		next:    always(code("give a smaller example: --input NAME=f32[2,…]"), code("export where there is more memory")),
	},
	{
		id:      "forward",
		matches: isAt("forward"),
		meaning: "the model does not run in PyTorch on its example, before anything is exported",
		next:    always(code("give an example that fits: --input NAME=f32[…]")),
	},
}
