package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// onceFlag is a flag that holds one value. Giving it twice with different values is an error:
// otherwise the last value would win silently.
type onceFlag struct {
	pflag.Value
	given bool
	first string
}

// Set implements pflag.Value.
func (f *onceFlag) Set(v string) error {
	if f.given && v != f.first {
		return fmt.Errorf("given twice, as %q and as %q; it takes one value", f.first, v)
	}
	if err := f.Value.Set(v); err != nil {
		return err
	}
	f.given, f.first = true, v
	return nil
}

// onlyOnce makes every flag of a command tree an onceFlag unless the flag takes a list.
func onlyOnce(cmd *cobra.Command) {
	once := func(f *pflag.Flag) {
		if option, ok := f.Value.(optionFlag); ok && option.o.IsList() {
			return
		}
		if _, already := f.Value.(*onceFlag); already {
			return
		}
		if _, several := f.Value.(pflag.SliceValue); !several {
			f.Value = &onceFlag{Value: f.Value}
		}
	}
	cmd.Flags().VisitAll(once)
	cmd.PersistentFlags().VisitAll(once)
	for _, below := range cmd.Commands() {
		onlyOnce(below)
	}
}

// valueOf returns the original value of a flag, without the onceFlag that onlyOnce wraps around it.
func valueOf(f *pflag.Flag) pflag.Value {
	if once, ok := f.Value.(*onceFlag); ok {
		return once.Value
	}
	return f.Value
}
