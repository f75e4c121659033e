package session

// WithFlag sets the flag of an option whose name is also that of an operand of the step.
func (o Option) WithFlag(flag string) Option { o.Flag = flag; return o }

// LongFlag is the option's long flag.
func (o Option) LongFlag() string {
	if o.Flag != "" {
		return o.Flag
	}
	return o.Name
}

// Spelled has the option take other spellings of a value. meant returns the one that the option knows,
// or the value itself.
func (o Option) Spelled(meant func(v string) string) Option {
	set := o.set
	o.set = func(v string) error { return set(meant(v)) }
	return o
}

// Checked sets a check of every value before it is stored.
func (o Option) Checked(check func(v string) error) Option {
	set := o.set
	o.set = func(v string) error {
		if err := check(v); err != nil {
			return err
		}
		return set(v)
	}
	return o
}
