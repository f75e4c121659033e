package steps

import (
	"lathe/session"
	"lathe/session/ort"
)

// execution are the options of every step that runs a model.
type execution struct {
	EP      string
	Opt     string
	Threads int64
}

func (e *execution) options() []session.Option {
	return []session.Option{
		session.Text(&e.EP, "ep", "run on this `CHAIN` of execution providers: the first that attaches is taken, as cuda,cpu"),
		optOption(&e.Opt),
		threadsOption(&e.Threads),
	}
}

func optOption(p *string) session.Option {
	return session.Choice(p, "opt", "how far the runtime optimizes the graph", "disable", "basic", "extended", "layout", "all")
}

func threadsOption(p *int64) session.Option {
	return session.Int(p, "threads", "threads within an operator; the runtime decides without it", 1)
}

func (e *execution) value() (session.Execution, error) {
	o := session.Execution{Opt: e.Opt, Threads: e.Threads}
	if e.EP == "" {
		return o, nil
	}
	chain, err := ort.ParseProviders(e.EP)
	if err != nil {
		return o, session.UsageError(err.Error())
	}
	for _, p := range chain {
		o.Providers = append(o.Providers, p.Name)
	}
	return o, nil
}
