package failure

import (
	"slices"
	"strings"
)

// ofLoading are failures of the user's code while it creates the model.
var ofLoading = []entry{
	{
		id: "exits",
		matches: func(r raised) (string, bool) {
			return "", r.stage == "load" && slices.ContainsFunc(r.raw.Chain, func(x Exception) bool { return x.Class == "SystemExit" })
		},
		meaning: "the file ends Python when it is imported, as a script does that reads its command line",
		next:    always(code(`put the script part below if __name__ == "__main__":`), code("let the exported callable return the model without reading a command line")),
	},
	{
		id:      "weights-only",
		matches: says(`(?s)Weights only load failed.*?GLOBAL ([\w.]+)`, `Weights only load failed`, `WeightsUnpickler error`),
		line:    unpicklerLine,
		meaning: "the file contains more than weights, and torch.load refuses that unless the file is trusted",
		next:    withWeightsOnly,
	},
	{
		id:      "state-dict",
		matches: func(r raised) (string, bool) { k := keysOf(r.all); return k.about(), k.found() },
		line:    func(message string) string { return keysOf(message).String() },
		meaning: "the names or sizes of weights differ between the file and the model",
		next:    func(r raised) []Suggestion { return keysOf(r.all).next() },
	},
}

const unpickler = "WeightsUnpickler error:"

// unpicklerLine extracts the reason of torch.load's refusal, which comes after general advice.
func unpicklerLine(message string) string {
	_, said, found := strings.Cut(message, unpickler)
	if !found {
		return ""
	}
	said, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	said, _, _ = strings.Cut(said, " Please use")
	return "Weights only load failed. " + unpickler + " " + said
}

func withWeightsOnly(r raised) []Suggestion {
	weights := code("save only the weights in the file: torch.save(model.state_dict(), path), and model.load_state_dict(torch.load(path))")
	switch {
	case r.about == "":
		return []Suggestion{code("check that the file is complete and written by torch.save: a download may be an error page"), weights}
	case strings.Contains(r.all, "is blocked"):
		return []Suggestion{weights} // the file would run a command, so it must not be allowed
	}
	return []Suggestion{weights, code("if you trust the file: torch.serialization.add_safe_globals([" + r.about + "]) before torch.load")}
}
