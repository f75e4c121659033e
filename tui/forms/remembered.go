package forms

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/inputs"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// repeated are the steps whose forms open with the values of their last run: a person runs them
// several times on one model.
var repeated = []string{"bench", "profile", "validate", "run-model"}

// shared are the options that mean the same in all of these steps. Only a validation does not take them from
// other steps: with other sizes, the numbers of a quantized model are others.
var shared = []string{"batch", "threads", "dim", "ep", "seed"}

// taken are the values of the last runs of a session: by step, and of options that steps share under
// "". The keys of the inner maps are names of options.
type taken map[string]map[string][]string

var lastRuns workspace.Slot[taken]

// remember keeps the values of a step that is about to run, except for files: a second run should not
// write to the file of the first. The file of --data is kept, because it is only read.
func remember(ws *workspace.Workspace, s session.Step) {
	rememberCounterpart(ws, s)
	if !slices.Contains(repeated, s.Name()) {
		return
	}
	all := lastRuns.In(ws)
	if *all == nil {
		*all = taken{}
	}
	own := map[string][]string{}
	common := (*all)[""]
	if common == nil {
		common = map[string][]string{}
	}
	for _, o := range s.Options() {
		if o.Operand || o.Target || o.IsPath() && o.Name != "data" || o.Role != session.NoRole {
			continue
		}
		values := slices.Clone(o.Values())
		if len(values) > 0 {
			own[o.Name] = values
		}
		if slices.Contains(shared, o.Name) {
			common[o.Name] = values
		}
	}
	(*all)[s.Name()], (*all)[""] = own, common
}

// rememberCounterpart keeps which other model a comparison is about to read.
func rememberCounterpart(ws *workspace.Workspace, s session.Step) {
	if s.Name() != "validate" && s.Name() != "diff" {
		return
	}
	named := map[string]string{}
	for _, o := range s.Options() {
		if o.Operand {
			named[o.Name] = strings.Join(o.Values(), " ")
		}
	}
	ws.CompareWith(named["a"], named["b"])
}

// recall sets the values of the last run in a step, where nothing else is suggested. It reports
// whether there were any.
func recall(ws *workspace.Workspace, s session.Step) (any bool) {
	all := *lastRuns.In(ws)
	if !slices.Contains(repeated, s.Name()) || all == nil {
		return false
	}
	for _, o := range s.Options() {
		values := all[s.Name()][o.Name]
		if slices.Contains(shared, o.Name) && s.Name() != "validate" {
			values = all[""][o.Name]
		}
		if o.Name == "dim" {
			values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !hasDims(ws, s, v) })
		}
		if len(values) == 0 || len(o.Values()) > 0 {
			continue
		}
		for _, v := range values {
			if o.Set(v) != nil { // another step accepts less
				o.Reset()
				break
			}
		}
		any = any || len(o.Values()) > 0
	}
	return any
}

// hasDims reports whether all models that a step proposes to run have the names of sizes in a value of
// --dim. If only the model as it is now has them, the opened one would reject them.
func hasDims(ws *workspace.Workspace, s session.Step, value string) bool {
	models := []*graphops.Model{ws.Model()}
	if !session.TakesModel(s) {
		models = append(models, ws.Session.Original())
	}
	dims, err := flags.ParseDims([]string{value})
	for name := range dims {
		for _, m := range models {
			if !inputs.HasDim(graphops.NamedTypes(m.Graph().FeedInputs()), name) {
				return false
			}
		}
	}
	return err == nil
}

// reset sets all fields to the values that the form has at first, and forgets the last run.
func (f *Form) reset() tea.Cmd {
	all := lastRuns.In(f.WS)
	delete(*all, f.name)
	delete(*all, "")
	s := f.WS.NewStep(f.name)
	suggest(f.WS, s, nil)
	f.Offer.close()
	f.Fields = nil
	for _, o := range session.OptionsFor(s, f.hasCache) {
		f.Fields = append(f.Fields, newField(o))
	}
	f.begun, f.offered = f.values(), f.values()
	f.foldRare()
	f.At = min(f.At, f.Lines()-1)
	f.WS.Log.Say("all options are as at the start")
	return tea.Batch(f.Changed(), f.Collect(), f.AvoidExisting())
}

// sayRecalled says that values come from the last run, and which key clears them.
func sayRecalled(ws *workspace.Workspace) {
	ws.Log.Say("filled in as in the last run; " + ws.Keys.Key(PlaceForm, shell.ActionReset) + " clears everything")
}
